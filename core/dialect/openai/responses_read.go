package openai

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// reader reads a document value by value. Names of members are told apart by
// case, as the scan of a request does. A value of another kind than the one asked
// for is skipped.
type reader struct {
	s   splice.Scanner
	doc []byte
}

func (r *reader) reset(doc []byte) {
	r.doc = doc
	r.s.Reset(doc)
}

// fields calls f for each member of an object. It must read the value.
func (r *reader) fields(f func(key string)) {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.s.Next() {
		f(string(r.s.Key()))
	}
}

// each calls f for each element of an array. It must read the element.
func (r *reader) each(f func()) {
	if r.s.Kind() != splice.Array {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.s.Next() {
		f()
	}
}

// str gives a string of its own.
func (r *reader) str() string {
	if r.s.Kind() != splice.String {
		r.s.Skip()
		return ""
	}
	return str(&r.s, r.doc)
}

// raw gives a value as it stands, and nil for null.
func (r *reader) raw() json.RawMessage {
	isNull := r.s.Kind() == splice.Null
	at := r.s.Skip()
	if isNull || r.s.Err() != nil {
		return nil
	}
	return json.RawMessage(r.doc[at.Start:at.End])
}

func (r *reader) number() llm.Number {
	if r.s.Kind() != splice.Number {
		r.s.Skip()
		return ""
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return ""
	}
	return llm.Number(r.doc[at.Start:at.End])
}

func (r *reader) integer() int64 {
	n, _ := splice.Integer([]byte(r.number()))
	return n
}

// flag gives a boolean, and nil for anything else.
func (r *reader) flag() *bool {
	if k := r.s.Kind(); k != splice.True && k != splice.False {
		r.s.Skip()
		return nil
	}
	b := r.s.Bool()
	return &b
}
