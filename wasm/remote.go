package wasm

import (
	"context"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Remote answers for a stage whose exchanges are elsewhere, as in a program that the gateway starts: core.Exchange has only a part of what
// a guest may read there. The context is that of the call.
type Remote struct {
	// Field returns a field, or "" if it is not known.
	Field func(ctx context.Context, f abi.Field) string
	// Body returns the body of the request, or in the phase finish the kept answer; nil if there is none.
	Body func(ctx context.Context) []byte
}

// readRemoteField returns a field of an exchange that is elsewhere. Waiting for it does not count as time of the guest.
func (c *talk) readRemoteField(i *instance, f abi.Field) string {
	if c.made != f {
		ctx, done := newStoreContext(i)
		defer done()
		c.made, c.value = f, c.s.remote.Field(ctx, f)
	}
	return c.value
}

// AnswerLimit returns how many bytes the answer may have that a stage asked for in the request, from the Keep of its verdict; 0 if it
// asked for none.
func AnswerLimit(keep any) int {
	if k, _ := keep.(*exchangeState); k != nil && k.answer != nil {
		return k.answer.most
	}
	return 0
}
