package budgettest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// limitConcurrentRequests has a thousand requests arrive at once, and there is money for three hundred. Refused requests
// try again while anything is held that may become free.
func limitConcurrentRequests(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		const requests = 1000
		one := inPrice*raw + outPrice*100
		limit := 300*one + one/2
		b := newBench(t, on, s, "{least_output_tokens: 0}", newUSDBudget(limit))
		var served, refused, holding atomic.Int64
		var all sync.WaitGroup
		crowded := make(chan struct{}) // closed when the first is refused; no request ends before
		firstRefused := sync.OnceFunc(func() { close(crowded) })
		freed := make(chan struct{}, requests) // a refused request tries again for each one that ends or gives up
		free := func() {
			select {
			case freed <- struct{}{}:
			default: // there is one for each request
			}
		}
		for i := range requests {
			all.Go(func() {
				for {
					idle := holding.Load() == 0
					x, d := b.startCall(alice, "")
					if d.Action == core.Pass {
						holding.Add(1)
						<-crowded
						b.recordAnswer(x, 8, 100-int64(i%7)) // by the tokenizer, and a little less than the maximum
						b.end(x)
						holding.Add(-1)
						served.Add(1)
						free()
						continue // and again, so that the budget is used up
					}
					refused.Add(1)
					b.refuse(x, d)
					firstRefused()
					if idle { // the last request finds nothing held
						free()
						return
					}
					<-freed
				}
			})
		}
		all.Wait()
		l := b.readLeft()[0]
		t.Logf("%d requests at once: limit %d, spent %d, left %d of which one request takes %d; %d served, %d refusals",
			requests, limit, l.Spent, l.Left, one, served.Load(), refused.Load())
		assert.LessOrEqual(t, l.Spent, limit)
		assert.Greater(t, l.Spent, limit-one)
		assert.Equal(t, limit, l.Spent+l.Left, "nothing is held")
		require.Greater(t, served.Load(), int64(299))
	})
}
