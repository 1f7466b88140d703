package splice

import "encoding/binary"

const eachSpace = 0x2020202020202020

// skipSpace moves over white space and returns the byte behind it, zero at the end.
// Indented documents hold long runs of blanks, so those go eight at a time.
// Compact ones hold none: hot callers peek first, which costs no call.
func (s *Scanner) skipSpace() byte {
	i := s.pos
	for i < len(s.doc) {
		switch s.doc[i] {
		case '\n', '\r', '\t':
			i++
		case ' ':
			i++
			for len(s.doc)-i >= 8 && binary.LittleEndian.Uint64(s.doc[i:]) == eachSpace {
				i += 8
			}
		default:
			s.pos = i
			return s.doc[i]
		}
	}
	s.pos = i
	return 0
}
