package pii

// Classes of bytes of the folded text, as bits.
const (
	isDigit  uint8 = 1 << iota // 0-9
	isLetter                   // A-Z a-z
	isHex                      // 0-9 A-F a-f
	isLocal                    // ASCII allowed in the local part of an e-mail address
	isWide                     // a byte of a character outside ASCII
	isHard                     // ends every value and every look-ahead: see hold.go
)

var class = makeClass()

func makeClass() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= '0' && b <= '9':
			t[c] = isDigit | isHex | isLocal
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
			t[c] = isLetter | isLocal
			if b|0x20 <= 'f' {
				t[c] |= isHex
			}
		case b >= 0x80:
			t[c] = isWide
		case b == '.' || b == '_' || b == '-' || b == '+' || b == '\'':
			t[c] = isLocal
		case b == '@' || b == ':' || b == ' ' || b == '/' || b == '(' || b == ')' || b == ';' || b == '%' || b == '&' || b == '#':
		default:
			t[c] = isHard
		}
	}
	return t
}

func isDigitByte(b byte) bool  { return class[b]&isDigit != 0 }
func isLetterByte(b byte) bool { return class[b]&isLetter != 0 }

// isWordByte reports whether b continues an ASCII word: a value does not begin or
// end inside one. Characters outside ASCII do not count, since Chinese or
// Thai text is next to a number without a space.
func isWordByte(b byte) bool { return class[b]&(isDigit|isLetter) != 0 || b == '_' }

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// isAlnum reports whether b is an ASCII letter or digit.
func isAlnum(b byte) bool { return class[b]&(isDigit|isLetter) != 0 }
