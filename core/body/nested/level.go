package nested

// state says what may come next.
type state uint8

const (
	begin    state = iota // an object or an array
	end                   // nothing: it is whole
	dead                  // this is no JSON text
	first                 // an array's first value, or its end
	value                 // a value
	firstKey              // an object's first key, or its end
	nextKey               // a key
	colon                 // the colon behind a key
	after                 // a comma, or the end of what is open
	inKey                 // the rest of a key
	inValue               // the rest of a string
	literal               // the rest of true, false or null
	number                // the rest of a number
)

// maxOpen is how many objects and arrays may be open in one text.
const maxOpen = 64

// level is a place in one JSON text.
type level struct {
	state   state
	open    uint8
	objects uint64 // one bit for each that is open: 1 for an object
	rest    string // of a literal
	escape  uint8  // 1 behind a backslash, then one more than the digits that are due; 0 in no escape
	code    rune
}

func (l *level) inString() bool { return l.state == inKey || l.state == inValue }

func (l *level) endString() {
	if l.state == inKey {
		l.state = colon
	} else {
		l.state = after
	}
}

// value takes a placeholder for the value that is due.
func (l *level) value() {
	switch l.state {
	case first, value:
		l.state = after
	default:
		l.state = dead
	}
}

// structure takes a byte outside of strings.
func (l *level) structure(b byte) {
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
		if numberByte(b) {
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
		l.begins(b)
		return
	case after:
		l.goesOn(b)
		return
	}
	l.state = dead
}

// begins takes the first byte of a value.
func (l *level) begins(b byte) {
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

// goesOn takes the byte behind a value.
func (l *level) goesOn(b byte) {
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

// numberByte is as lenient as the gateway's other look at numbers: what decides is what stands around them.
func numberByte(b byte) bool {
	return '0' <= b && b <= '9' || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E'
}
