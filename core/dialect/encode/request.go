// Package encode holds what the writers of provider requests share: the checks that
// come first, and members that are written the same way for every vendor.
package encode

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// Request writes the body of one request for a provider.
type Request struct {
	B []byte // the body so far
	R *llm.Request
	T core.Traits
}

// NewRequest begins a body behind dst. It refuses what no provider of this kind can
// be asked: several answers, and thinking in the words of another shape.
func NewRequest(dst []byte, r *llm.Request, t core.Traits) (Request, *core.Error) {
	if r.Count > 1 {
		return Request{}, scan.NewUnsupportedError("n", t.Label+" gives one answer to a request: leave n out, or send 1")
	}
	if err := wire.RefuseThinking(r, t); err != nil {
		return Request{}, err
	}
	return Request{B: append(dst, '{'), R: r, T: t}, nil
}

// BeginChat appends the model, and whether to stream: some providers stream unless
// they are told not to.
func (e *Request) BeginChat() {
	e.B = splice.AppendString(splice.AppendKey(e.B, "model"), e.R.Model)
	e.B = strconv.AppendBool(splice.AppendKey(e.B, "stream"), e.R.Stream)
}

// AppendNumber appends a member that is a number, if it was given.
func (e *Request) AppendNumber(key string, n llm.Number) {
	if n != "" {
		e.B = append(splice.AppendKey(e.B, key), n...)
	}
}

// AppendNumberIf is AppendNumber for a target that takes the member, and else drops
// and counts the number.
func (e *Request) AppendNumberIf(taken bool, key string, n llm.Number) {
	if n != "" && !taken {
		e.R.RecordDropped(key)
		return
	}
	e.AppendNumber(key, n)
}

// AppendStrings appends a member that is a list of strings, if there are any.
func (e *Request) AppendStrings(key string, list []string) {
	if len(list) == 0 {
		return
	}
	e.B = append(splice.AppendKey(e.B, key), '[')
	for _, s := range list {
		e.B = splice.AppendString(splice.AppendComma(e.B), s)
	}
	e.B = append(e.B, ']')
}

// Field is a field of the request that a target has no place for.
type Field struct {
	Name  string
	Given bool
}

// Drop counts the fields that were given.
func (e *Request) Drop(fields ...Field) {
	for _, f := range fields {
		if f.Given {
			e.R.RecordDropped(f.Name)
		}
	}
}

// DropCommon counts the fields that none of these targets has a place for.
func (e *Request) DropCommon() {
	r := e.R
	e.Drop(
		Field{"verbosity", r.Verbosity != ""},
		Field{"prompt_cache_key", r.CacheKey != ""},
		Field{"user", r.User != ""},
		Field{"parallel_tool_calls", r.Parallel != nil && !*r.Parallel},
	)
}
