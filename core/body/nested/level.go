package nested

// state says what may follow.
type state uint8

const (
	begin    state = iota // an object or an array
	end                   // nothing: the text is complete
	dead                  // the text is not JSON
	first                 // an array's first value, or its end
	value                 // a value
	firstKey              // an object's first key, or its end
	nextKey               // a key
	colon                 // the colon after a key
	after                 // a comma, or the closing bracket
	inKey                 // the rest of a key
	inValue               // the rest of a string
	literal               // the rest of true, false or null
	number                // the rest of a number
)

// maxOpen is the number of objects and arrays that may be open in one text.
const maxOpen = 64

// level is a place in one JSON text.
type level struct {
	state   state
	open    uint8
	objects uint64 // a bit per open bracket: 1 for an object, 0 for an array
	rest    string // of a literal
	escape  uint8  // 0 outside of escapes, 1 after a backslash, then one more than the digits that follow
	code    rune
}

func (l *level) isInString() bool { return l.state == inKey || l.state == inValue }

func (l *level) endString() {
	if l.state == inKey {
		l.state = colon
	} else {
		l.state = after
	}
}

// readValue reads a placeholder that represents a value.
func (l *level) readValue() {
	switch l.state {
	case first, value:
		l.state = after
	default:
		l.state = dead
	}
}

// readOutside reads a byte outside of strings.
func (l *level) readOutside(b byte) {
	switch l.state {
	case dead:
		return
	case literal:
		if b != l.rest[0] {
			l.state = dead
		} else if l.rest = l.rest[1:]; l.rest == "" {
			l.state = after
		}
		return
	case number:
		if isNumberByte(b) {
			return
		}
		l.state = after
	}
	if b == ' ' || b == '\n' || b == '\t' || b == '\r' {
		return
	}
	switch l.state {
	case begin:
		if b == '{' || b == '[' {
			l.push(b)
			return
		}
	case firstKey, nextKey:
		if b == '"' {
			l.state = inKey
			return
		}
		if b == '}' && l.state == firstKey {
			l.pop(b)
			return
		}
	case colon:
		if b == ':' {
			l.state = value
			return
		}
	case first, value:
		if b == ']' && l.state == first {
			l.pop(b)
			return
		}
		l.beginValue(b)
		return
	case after:
		l.readAfterValue(b)
		return
	}
	l.state = dead
}

// beginValue reads the first byte of a value.
func (l *level) beginValue(b byte) {
	switch {
	case b == '"':
		l.state = inValue
	case b == '{' || b == '[':
		l.push(b)
	case b == 't':
		l.state, l.rest = literal, "rue"
	case b == 'f':
		l.state, l.rest = literal, "alse"
	case b == 'n':
		l.state, l.rest = literal, "ull"
	case b == '-' || '0' <= b && b <= '9':
		l.state = number
	default:
		l.state = dead
	}
}

// readAfterValue reads the byte after a value.
func (l *level) readAfterValue(b byte) {
	switch {
	case b != ',':
		l.pop(b)
	case l.objects&1 == 1:
		l.state = nextKey
	default:
		l.state = value
	}
}

func (l *level) push(b byte) {
	if l.open == maxOpen {
		l.state = dead
		return
	}
	l.open++
	l.objects <<= 1
	l.state = first
	if b == '{' {
		l.objects |= 1
		l.state = firstKey
	}
}

func (l *level) pop(b byte) {
	closing := byte(']')
	if l.objects&1 == 1 {
		closing = '}'
	}
	if b != closing {
		l.state = dead
		return
	}
	l.open--
	l.objects >>= 1
	l.state = after
	if l.open == 0 {
		l.state = end
	}
}

// isNumberByte reports whether a number can contain b. It does not check the number: only the text around it matters.
func isNumberByte(b byte) bool {
	return '0' <= b && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E'
}
