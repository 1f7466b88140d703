package chain

import (
	"context"
	"math/bits"

	"github.com/headgate-dev/headgate/core"
)

// RequestReleaser is a stage that can do without the request while the answer arrives. Other stages find it as the request
// phase has left it until the exchange ends.
type RequestReleaser interface {
	// ReleaseRequest takes from the request what the stage still needs, and reports whether that is all. It is called at
	// most once per exchange, when the answer has begun; kept is what the stage kept in the request phase.
	ReleaseRequest(ctx context.Context, x *core.Exchange, kept any) bool
}

// ReleaseRequest lets go of the request's body and texts once the answer of a stream has begun, if all links can do without
// them. It reports whether it did; nothing may refer to the body as it was received then. An agent's request has 300 KB, and
// its answer takes a minute.
func (c *Chain) ReleaseRequest(ctx context.Context, x *core.Exchange) bool {
	r := c.begin(x)
	for s := r.reached | c.responders(r); s != 0; s &= s - 1 {
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
