package nested

// inUnicode is the value of level.escape after `\u`: four digits follow.
const inUnicode = 5

// decode reads a byte of a string's content. It returns the decoded byte once it is known. Of a
// character beyond ASCII it returns some byte above 0x7f: JSON's own characters are all ASCII.
func (l *level) decode(b byte) (spelled byte, ok bool) {
	switch {
	case l.escape == 0 && b == '\\':
		l.escape = 1
	case l.escape == 0:
		return b, true
	case l.escape == 1 && b == 'u':
		l.escape, l.code = inUnicode, 0
	case l.escape == 1:
		l.escape = 0
		if spelled = decodeShort(b); spelled != 0 {
			return spelled, true
		}
		l.state = dead
	default:
		digit, ok := decodeHex(b)
		if !ok {
			l.state = dead
			return 0, false
		}
		l.code = l.code<<4 | digit
		if l.escape--; l.escape > 1 {
			return 0, false
		}
		l.escape = 0
		return byte(min(l.code, 0x80)), true
	}
	return 0, false
}

// decodeShort returns the character of an escape of two bytes, or 0 if there is no such escape.
func decodeShort(b byte) byte {
	switch b {
	case '"', '\\', '/':
		return b
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

func decodeHex(b byte) (rune, bool) {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0'), true
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10, true
	}
	return 0, false
}
