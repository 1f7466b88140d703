package nested

// Scanner follows JSON text, whole or in pieces, and tells its strings and numbers from the
// rest. It accepts any bytes: a model may write text that is not JSON, and the strings in it
// must still be found. The zero value is at the beginning of a text.
type Scanner struct {
	depth   int
	in      Token
	escaped bool // the next byte belongs to an escape
}

// Token says what a piece of JSON text is.
type Token uint8

// Tokens.
const (
	Other  Token = iota // structure, white space, literals
	String              // inside a string, which can be the name of a member
	Number              // inside a number
	quote               // at the quote that ends a string
)

const (
	// MinNumber is the length of the shortest bare number that guards see: no detector finds
	// anything with fewer digits.
	MinNumber = 6
	// MaxNumber is the length of the longest bare number that guards see.
	MaxNumber = 64
)

// IsWhole reports whether the text so far is one whole object or array, or empty.
func (s *Scanner) IsWhole() bool { return s.depth <= 0 && s.in == Other }

// Inside returns String or Number while the text so far ends inside one.
func (s *Scanner) Inside() Token { return s.in }

// Next reads the piece of text that begins at i and is all of one kind: text[i:end]. done
// reports that the token ends with the piece.
func (s *Scanner) Next(text []byte, i int) (kind Token, end int, done bool) {
	switch s.in {
	case String:
		for end = i; end < len(text); end++ {
			switch b := text[end]; {
			case s.escaped:
				s.escaped = false
			case b == '\\':
				s.escaped = true
			case b == '"':
				s.in = quote
				return String, end, true
			}
		}
		return String, end, false
	case Number:
		for end = i; end < len(text); end++ {
			if !isNumberByte(text[end]) {
				s.in = Other
				return Number, end, true
			}
		}
		return Number, end, false
	case quote:
		s.in = Other
		return s.skipToValue(text, i+1)
	}
	return s.skipToValue(text, i)
}

// skipToValue reads up to the content of a string, after its quote, or to the first byte of a number.
func (s *Scanner) skipToValue(text []byte, i int) (Token, int, bool) {
	for ; i < len(text); i++ {
		b := text[i]
		switch b {
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case '"':
			s.in = String
			return Other, i + 1, true
		default:
			if b == '-' || '0' <= b && b <= '9' {
				s.in = Number
				return Other, i, true
			}
		}
	}
	return Other, i, false
}
