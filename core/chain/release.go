package chain

import (
	"context"
	"math/bits"

	"github.com/headgate-dev/headgate/core"
)

// RequestReleaser is a stage that does not need the request while the answer arrives. Other stages can read it, as it was
// after the request phase, until the exchange ends.
type RequestReleaser interface {
	// ReleaseRequest copies from the request what the stage still needs, and reports whether the request can be
	// released. It is called at most once per exchange, when the answer has begun; kept is what the stage kept in the
	// request phase.
	ReleaseRequest(ctx context.Context, x *core.Exchange, kept any) bool
}

// ReleaseRequest releases the request's body and texts once a streamed answer has begun, if no link needs them. It reports
// whether it did; then nothing may refer to the body as received. An agent's request has 300 KB, and its answer takes a
// minute.
func (c *Chain) ReleaseRequest(ctx context.Context, x *core.Exchange) bool {
	r := c.begin(x)
	for s := r.reached | c.findResponders(r); s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if st, ok := c.links[i].Stage.(RequestReleaser); !ok || !callReleaser(ctx, st, x, r.kept[i]) {
			return false
		}
	}
	c.Compact(x) // what the head says may lie in the body
	x.Request.Release()
	return true
}

// callReleaser returns false for a stage that panics.
func callReleaser(ctx context.Context, st RequestReleaser, x *core.Exchange, kept any) (released bool) {
	defer func() {
		if recover() != nil {
			released = false
		}
	}()
	return st.ReleaseRequest(ctx, x, kept)
}
