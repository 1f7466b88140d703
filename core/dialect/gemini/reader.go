package gemini

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// object reads the members of one object. It detects a field that is given in both
// spellings, which the scanner cannot.
type object struct {
	s     *splice.Scanner
	key   []byte
	start int // of the key
	seen  [2]uint64
	twice field
}

// openObject opens the next object. It skips any other value and then has no members.
func openObject(s *splice.Scanner) (o object) {
	if s.Kind() != splice.Object {
		s.Skip()
		return o
	}
	s.Enter()
	o.s = s
	return o
}

// openDocument opens the object that doc must be.
func openDocument(s *splice.Scanner, doc []byte) (object, error) {
	err := scan.OpenObject(s, doc, errNoObject)
	return object{s: s}, err
}

// readField moves to the next member.
func (o *object) readField() (field, bool) {
	if o.s == nil || !o.s.Next() {
		return fUnknown, false
	}
	o.start = o.s.Pos()
	o.key = o.s.Key()
	f := fields[string(o.key)]
	if f != fUnknown {
		word, bit := &o.seen[f>>6], uint64(1)<<(f&63)
		if *word&bit != 0 {
			o.twice = f
		}
		*word |= bit
	}
	return f, true
}

// list reads the values of an array. Google accepts a single value as a list of one, and
// null as an empty list.
type list struct {
	s           *splice.Scanner
	array, more bool
}

func openList(s *splice.Scanner) list {
	switch s.Kind() {
	case splice.Array:
		return list{s: s, array: s.Enter()}
	case splice.Null:
		s.Null()
		return list{s: s}
	}
	return list{s: s, more: true}
}

// moveToNext moves to the next value, which the caller must consume.
func (l *list) moveToNext() bool {
	if l.array {
		return l.s.Next()
	}
	more := l.more && l.s.Err() == nil
	l.more = false
	return more
}
