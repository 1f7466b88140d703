package scan

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Response scans the body of a provider's whole answer.
type Response struct {
	X   *core.Exchange
	S   *splice.Scanner
	Doc []byte

	fileText int // bytes of the files read so far
}

// NewResponse prepares the scan of the answer that x holds.
func NewResponse(x *core.Exchange) Response {
	return Response{X: x, S: &x.Scanner, Doc: x.Response.Raw}
}

// FindNotes returns the notes that a dialect keeps from one scan of x to the next. It
// creates them on first use.
func FindNotes[T any](x *core.Exchange) *T {
	n, ok := x.Notes.(*T)
	if !ok {
		n = new(T)
		x.Notes = n
	}
	return n
}
