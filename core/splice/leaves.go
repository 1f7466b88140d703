package splice

import "sync"

// leaf is a string, number or literal of JSON text: where its bytes lie, without
// quotes, and whether the end of the text may have cut it.
type leaf struct {
	Span
	place Place
	open  bool
}

// leaves walks the leaves of JSON text in order. Unlike [Scanner.Key] it lets
// equal keys pass: the text was written by a model or client and only places in
// it are looked for.
type leaves struct{ s Scanner }

var leavesPool = sync.Pool{New: func() any { return new(leaves) }}

func openLeaves(text []byte) *leaves {
	l := leavesPool.Get().(*leaves)
	l.s.Reset(text)
	return l
}

func (l *leaves) close() {
	l.s.Reset(nil)
	leavesPool.Put(l)
}

// err is the syntax error that ended the walk. A text that is merely cut off has
// none.
func (l *leaves) err() error {
	if l.s.err == nil || l.s.err.Reason == ReasonTruncated {
		return nil
	}
	return l.s.err
}

// next returns the next leaf, or false at the end of the text and on an error.
func (l *leaves) next() (leaf, bool) {
	s := &l.s
	for s.err == nil {
		switch {
		case s.want == wantKey:
			start := s.pos + 1
			if at, _, ok := s.keySpan(); ok || at.End > 0 {
				return leaf{at, InString, false}, true
			}
			return l.cut(start, InString)
		case s.want == wantValue:
			if lf, ok, done := l.value(); done {
				return lf, ok
			}
		case len(s.stack) == 0:
			s.End()
			return leaf{}, false
		default:
			s.Next()
		}
	}
	return leaf{}, false
}

// value reads a leaf, or steps into an array or object and is not done.
func (l *leaves) value() (lf leaf, ok, done bool) {
	s := &l.s
	switch kind := s.Kind(); kind {
	case 0:
	case Object, Array:
		s.Enter()
	case String:
		start := s.pos + 1
		at, _ := s.String()
		if s.err != nil {
			lf, ok = l.cut(start, InString)
			return lf, ok, true
		}
		return leaf{at, InString, false}, true, true
	default:
		start := s.pos
		at := s.Skip()
		if s.err != nil {
			lf, ok = l.cut(start, InNumber)
			return lf, ok, true
		}
		// More digits may follow, but not of a number that stands alone.
		open := kind == Number && at.End == len(s.doc) && len(s.stack) > 0
		return leaf{at, InNumber, open}, true, true
	}
	return leaf{}, false, false
}

// cut is the leaf that begins at start and that the end of the text cut off.
func (l *leaves) cut(start int, place Place) (leaf, bool) {
	if l.s.err.Reason != ReasonTruncated {
		return leaf{}, false
	}
	return leaf{Span{start, len(l.s.doc)}, place, true}, true
}
