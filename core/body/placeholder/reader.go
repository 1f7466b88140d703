package placeholder

import "strings"

// reader reads one altered placeholder.
type reader struct {
	text  string
	at    int
	limit int  // where it ends at the latest
	short bool // it looked beyond the end of the text

	braced bool // there are opening braces
	loose  bool // a blank stood for an underscore

	name   [maxType + 1]byte // the type, in capitals, and one underscore
	length int
	digits string
}

// peek is the next byte, or 0.
func (r *reader) peek() byte {
	switch {
	case r.at >= r.limit:
		return 0
	case r.at >= len(r.text):
		r.short = true
		return 0
	}
	return r.text[r.at]
}

// readLiteral reads lit, which is written in small letters, in letters of any case.
func (r *reader) readLiteral(lit string) bool {
	from := r.at
	for i := range len(lit) {
		if lowerByte(r.peek()) != lit[i] {
			r.at = from
			return false
		}
		r.at++
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// readLetters reads PII.
func (r *reader) readLetters() bool {
	if lowerByte(r.peek()) != 'p' {
		return false
	}
	r.at++
	c := r.peek()
	if lowerByte(c) != 'i' {
		return false
	}
	r.at++
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

// readBody reads what follows the letters: the words of the type, and the digits.
func (r *reader) readBody() bool {
	if r.readSeparator() == 0 {
		return false
	}
	for !r.readHex() {
		if !r.readWord() {
			return false
		}
		n := r.readSeparator()
		if n == 0 || r.length+n > len(r.name) {
			return false
		}
		for range n {
			r.name[r.length] = '_'
			r.length++
		}
	}
	// The last underscore is not the type's.
	return r.length > 1 && IsValidType(string(r.name[:r.length-1]))
}

func isHex(c byte) bool { return class[lowerByte(c)]&inHex != 0 }

// readHex reads the digits.
func (r *reader) readHex() bool {
	from, n := r.at, 0
	for n <= LongHex && isHex(r.peek()) {
		r.at++
		n++
	}
	if n != ShortHex && n != LongHex {
		r.at = from
		return false
	}
	r.digits = r.text[from:r.at]
	return true
}

// readWord reads letters and digits of the type.
func (r *reader) readWord() bool {
	from := r.length
	for {
		c := r.peek()
		if 'a' <= c && c <= 'z' {
			c &^= 0x20
		}
		if c == '_' || class[c]&inType == 0 {
			return r.length > from
		}
		if r.length >= maxType {
			return false
		}
		r.name[r.length] = c
		r.length++
		r.at++
	}
}

// formatCanonical returns the canonical form of a placeholder that was read as text.
func (r *reader) formatCanonical(text string) string {
	if r.digits == "" { // it was proper
		return text
	}
	return Format(string(r.name[:r.length-1]), strings.ToLower(r.digits))
}
