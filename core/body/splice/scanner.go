package splice

import "math"

// Limits that hold when the fields of a [Scanner] are zero.
const (
	// DefaultMaxDepth is far above what any client API shape nests, tool schemas
	// included.
	DefaultMaxDepth = 512
	// DefaultMaxKeys bounds the memory one document can take for its keys to
	// about 12 MB.
	DefaultMaxKeys = 1 << 18
)

// Scanner reads one JSON document in a single pass, value by value, as the
// caller asks. It accepts what RFC 8259 and RFC 7493 both accept: one value,
// valid UTF-8 without a byte order mark, no lone surrogates and no two equal
// keys in one object, compared as decoded.
//
// The first error sticks: every later call does nothing and returns zero values, so a caller may check [Scanner.Err]
// once at the end. The zero Scanner is ready for [Scanner.Reset]; pool it: it allocates nothing once its stacks have
// grown, except for an error. It is not safe for concurrent use.
type Scanner struct {
	// MaxDepth is the number of arrays and objects that may be open at once;
	// zero means [DefaultMaxDepth].
	MaxDepth int
	// MaxKeys is the number of keys that the objects open at once may have
	// together; zero means [DefaultMaxKeys].
	MaxKeys int

	doc   []byte
	pos   int
	want  expectation
	stack []frame
	names names
	key   Span // the content of the last key
	err   *SyntaxError
}

// frame is one open array or object.
type frame struct {
	scope  scope
	object bool
}

// expectation is what the grammar has next.
type expectation uint8

const (
	wantNothing expectation = iota // no document yet
	wantValue                      // a value begins here
	wantKey                        // at the opening quote of a key
	wantFirst                      // just inside a bracket
	wantMore                       // behind a value
)

// Reset makes the scanner start on doc, which must not change while it is scanned. Reset(nil) releases the last
// document; call it before pooling.
func (s *Scanner) Reset(doc []byte) {
	s.doc = doc[:len(doc):len(doc)]
	s.pos, s.err, s.want, s.key = 0, nil, wantValue, Span{}
	s.stack = s.stack[:0]
	s.names.reset()
	if cap(s.stack) > 2*DefaultMaxDepth {
		s.stack = nil
	}
	if len(doc) > math.MaxInt32 { // the key lists keep 32-bit offsets
		s.fail(0, ReasonTooLarge)
	}
}

// Err returns the [*SyntaxError] at which the scan stopped, or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Pos returns the offset of the next byte. After an error it is the start of the offending token; the error itself has
// the exact offset.
func (s *Scanner) Pos() int { return s.pos }

// Kind returns the kind of the next value without consuming it. If no value can start here, it returns zero and sets
// the error.
func (s *Scanner) Kind() Kind {
	if s.err != nil || s.want != wantValue {
		s.fail(s.pos, ReasonOrder)
		return 0
	}
	k := kinds[s.peek()]
	if k == 0 {
		if k = kinds[s.skipSpace()]; k == 0 {
			s.fail(s.pos, ReasonSyntax)
		}
	}
	return k
}

// Enter consumes the opening bracket of an object or array.
func (s *Scanner) Enter() bool {
	k := s.Kind()
	if k == 0 {
		return false
	}
	if k > Array {
		return s.fail(s.pos, ReasonWrongType)
	}
	return s.enter(k)
}

// enter does what Enter does for a bracket that has been seen.
func (s *Scanner) enter(k Kind) bool {
	limit := s.MaxDepth
	if limit == 0 {
		limit = DefaultMaxDepth
	}
	if len(s.stack) >= limit {
		return s.fail(s.pos, ReasonTooDeep)
	}
	s.stack = append(s.stack, frame{scope: s.names.open(), object: k == Object})
	s.pos++
	s.want = wantFirst
	return true
}

// Next moves to the next key of an object or element of an array, which the
// caller must then consume. It is false when the closing bracket was consumed
// instead, and on an error.
func (s *Scanner) Next() bool {
	if s.err != nil {
		return false
	}
	if len(s.stack) == 0 || s.want < wantFirst {
		return s.fail(s.pos, ReasonOrder)
	}
	f := &s.stack[len(s.stack)-1]
	c := s.peek()
	if c <= ' ' {
		c = s.skipSpace()
	}
	switch {
	case f.object && c == '}' || !f.object && c == ']':
		s.names.close(&f.scope)
		s.stack = s.stack[:len(s.stack)-1]
		s.pos++
		s.want = wantMore
		return false
	case s.want == wantFirst:
	case c != ',':
		return s.fail(s.pos, ReasonSyntax)
	default:
		s.pos++
		if c = s.peek(); c <= ' ' {
			c = s.skipSpace()
		}
	}
	if !f.object {
		s.want = wantValue
		return true
	}
	if c != '"' {
		return s.fail(s.pos, ReasonSyntax)
	}
	s.want = wantKey
	return true
}

// Jump moves on within the innermost open array, to the end of an element that is known to be valid as all before it are.
// Call it after Enter, instead of Next.
func (s *Scanner) Jump(end int) {
	if s.err == nil && s.want == wantFirst && !s.stack[len(s.stack)-1].object && end > s.pos && end <= len(s.doc) {
		s.pos, s.want = end, wantMore
		return
	}
	s.fail(s.pos, ReasonOrder)
}

// End reports whether the one value was read whole and only white space
// follows; anything else becomes the error.
func (s *Scanner) End() bool {
	if s.err != nil {
		return false
	}
	if len(s.stack) != 0 || s.want != wantMore {
		return s.fail(s.pos, ReasonOrder)
	}
	s.skipSpace()
	return s.pos == len(s.doc) || s.fail(s.pos, ReasonTrailing)
}

// peek is the byte at the current position, zero at the end.
func (s *Scanner) peek() byte {
	if s.pos < len(s.doc) {
		return s.doc[s.pos]
	}
	return 0
}

// fail sets the error unless there is one already. Broken syntax at the very end
// is a truncation. It returns false for its callers to return.
func (s *Scanner) fail(at int, why Reason) bool {
	if s.err == nil {
		if why == ReasonSyntax && at >= len(s.doc) {
			why = ReasonTruncated
		}
		s.err = &SyntaxError{Offset: at, Reason: why}
	}
	return false
}
