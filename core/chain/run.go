package chain

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
)

// MaxLinks limits the length of a chain: the bits of one word hold a set of links.
const MaxLinks = 64

// set is a set of links, by their place in the chain.
type set uint64

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// run is the chain's state of an exchange between its phases.
type run struct {
	begun   bool
	on      set // links that apply to this exchange
	reached set // links that were asked in any phase, and whose Finisher is still to be called
	passed  set // links that let the request through, or have no request phase
	limit   int // this link and all after it take no part in the response
	kept    []any
	clock   time.Duration // when the last link of the running phase was done

	// The request or response before its first rewrite, for links in shadow.
	saved    bool
	original core.Payload

	edits []core.Edit // of the link at hand, in order
	grown []int

	settlements settlements // of all links

	spare spareTails
}

// getRun returns the chain's state for an exchange.
func getRun(x *core.Exchange) *run {
	if r, ok := x.Chain.(*run); ok {
		return r
	}
	r := new(run)
	x.Chain = r
	return r
}

// Reset empties the state and keeps its buffers.
func (r *run) Reset() {
	clear(r.kept)
	if r.original.Raw != nil {
		r.original.Reset()
	}
	r.settlements.reset()
	*r = run{
		settlements: r.settlements, kept: r.kept[:0], original: r.original,
		edits: scratch.ReuseAll(r.edits), grown: scratch.ReuseAll(r.grown), spare: r.spare,
	}
}

// Settle settles for a link. During Finish, settlements with the same server are collected until send.
func (r *run) Settle(ctx context.Context, c core.Counters, limits []core.Limit, by core.Settlement) {
	r.settlements.settle(ctx, c, limits, by)
}
