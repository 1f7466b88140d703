package openai

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// reader reads a document value by value. Member names are case-sensitive, as in the
// scan of a request. It skips a value of another kind than the one asked for.
type reader struct {
	s   splice.Scanner
	doc []byte
}

func (r *reader) reset(doc []byte) {
	r.doc = doc
	r.s.Reset(doc)
}

// visitMembers calls f for each member of an object. f must consume the value.
func (r *reader) visitMembers(f func(key string)) {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.s.Next() {
		f(string(r.s.Key()))
	}
}

// visitElements calls f for each element of an array. f must consume it.
func (r *reader) visitElements(f func()) {
	if r.s.Kind() != splice.Array {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.s.Next() {
		f()
	}
}

// readText returns a copy of a string.
func (r *reader) readText() string {
	return scan.ReadText(&r.s, r.doc)
}

// readRaw returns a value as it is spelled, or nil for null.
func (r *reader) readRaw() json.RawMessage { return scan.ReadRaw(&r.s, r.doc) }

func (r *reader) readNumber() llm.Number { return scan.ReadNumber(&r.s, r.doc) }

func (r *reader) readInteger() int64 {
	n, _ := splice.ParseInteger([]byte(r.readNumber()))
	return n
}

// readFlag returns a boolean, or nil for any other value.
func (r *reader) readFlag() *bool { return scan.ReadFlag(&r.s) }
