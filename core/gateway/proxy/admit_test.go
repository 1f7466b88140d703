package proxy_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// admits lets so many calls through.
type admits struct{ left, asked *atomic.Int64 }

func (a admits) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	a.asked.Add(1)
	if a.left.Add(-1) < 0 {
		return core.Verdict{
			Action: core.Block,
			Err:    &core.Error{Kind: core.RateLimited, Code: core.CodeQuota, NoRetry: true, Public: "no more"},
		}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

// A call that may have been paid for is not repeated without asking; one that cost
// nothing is.
func TestTheLinksAreAskedBeforeAPaidCallIsRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		raw    string
		calls  int
		asked  int64
		status int
	}{
		"an answer that cannot be used": {buildWhole(200, "application/json", `{"choices":1`), 1, 2, 429}, // a used-up budget is told: a retry could not succeed
		"a failure":                     {buildWhole(503, "application/json", `{}`), 2, 1, 503},
	} {
		t.Run(name, func(t *testing.T) {
			a := admits{new(atomic.Int64), new(atomic.Int64)}
			a.left.Store(1)
			up := newFake(t, says(c.raw))
			g := open(t, setup{url: up.url, links: []chain.Link{link("admits", a, core.Target)}, runtime: func(rt *snapshot.Runtime) {
				rt.Traffic.Retry = route.RetrySettings{Attempts: 2, Base: 1, Max: 1, Budget: generous, Lost: true}
			}})
			r := g.post("dev", chat("hello"))
			require.NoError(t, r.err)
			assert.Len(t, up.requests(), c.calls)
			assert.Equal(t, c.asked, a.asked.Load())
			assert.Equal(t, c.status, r.status, r.body)
		})
	}
}
