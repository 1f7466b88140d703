package nested

// inUnicode is level.escape behind the u of an escape: four digits are due.
const inUnicode = 5

// content takes a byte of a string's content. It gives what that spells, once it
// is known: ASCII as it is, and of other characters only that they are none of
// JSON's own.
func (l *level) content(b byte) (spelled byte, ok bool) {
	switch {
	case l.escape == 0 && b == '\\':
		l.escape = 1
	case l.escape == 0:
		return b, true
	case l.escape == 1 && b == 'u':
		l.escape, l.code = inUnicode, 0
	case l.escape == 1:
		l.escape = 0
		if spelled = short(b); spelled != 0 {
			return spelled, true
		}
		l.state = dead
	default:
		digit, ok := hex(b)
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

// short is what an escape of two bytes spells, or 0.
func short(b byte) byte {
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

func hex(b byte) (rune, bool) {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0'), true
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10, true
	}
	return 0, false
}
