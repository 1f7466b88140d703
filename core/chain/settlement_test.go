package chain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

// server counts calls instead of what is taken.
type server struct {
	core.Counters
	calls  [][]string // keys of each round trip
	panics bool
}

func (s *server) Settle(ctx context.Context, limits []core.Limit) error {
	return s.SettleAll(ctx, [][]core.Limit{limits})[0]
}

func (s *server) SettleAll(_ context.Context, takes [][]core.Limit) (errs []error) {
	if s.panics {
		panic("the state's own fault")
	}
	var keys []string
	for _, t := range takes {
		keys = append(keys, t[0].Key)
		errs = append(errs, errors.New(t[0].Key))
	}
	s.calls = append(s.calls, keys)
	return errs
}

// told is a stage that waits for its settlement.
type told func(limits []core.Limit, err error)

func (f told) Settle(_ context.Context, limits []core.Limit, err error) {
	f(limits, err)
}

func TestLinksSettleTogetherAfterTheLastHasHeardOfTheEnd(t *testing.T) {
	var heard []string
	s := new(server)
	settles := func(n string) *guard {
		return &guard{finish: func(x *core.Exchange, _ any) {
			heard = append(heard, n+" finished")
			x.Settle(context.Background(), s, []core.Limit{{Key: n}}, told(func(l []core.Limit, err error) {
				assert.Equal(t, n, l[0].Key)
				assert.EqualError(t, err, n)
				heard = append(heard, n+" settled")
				if n == "b" {
					panic("in one stage")
				}
			}))
		}}
	}
	c := newChain(t, nil, link("a", settles("a")), link("b", settles("b")), link("c", settles("c")))
	for range 2 { // the exchange is reused
		x := newRequest(t, helloRequest)
		heard, s.calls = nil, nil
		c.RunRequest(context.Background(), x)
		panics := c.Finish(context.Background(), x)
		assert.Equal(t, [][]string{{"a", "b", "c"}}, s.calls)
		assert.Equal(t, []string{"a finished", "b finished", "c finished", "a settled", "b settled", "c settled"}, heard)
		if assert.Len(t, panics, 1) {
			assert.Equal(t, "b", panics[0].Link)
			assert.Equal(t, core.FaultPanic, x.Visits[len(x.Visits)-1].Fault)
		}
		x.Settle(context.Background(), s, []core.Limit{{Key: "later"}}, told(func([]core.Limit, error) { heard = append(heard, "later") }))
		assert.Equal(t, "later", heard[len(heard)-1], "nothing waits once the exchange has ended")
	}
}

func TestAStateThatPanicsIsAFaultOfALinkAndAllStagesHear(t *testing.T) {
	s, heard := &server{panics: true}, 0
	settles := &guard{finish: func(x *core.Exchange, _ any) {
		x.Settle(context.Background(), s, []core.Limit{{Key: "k"}}, told(func(_ []core.Limit, err error) {
			assert.Error(t, err)
			heard++
		}))
	}}
	c := newChain(t, nil, link("a", settles), link("b", settles))
	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	panics := c.Finish(context.Background(), x)
	assert.Equal(t, 2, heard)
	if assert.Len(t, panics, 1) {
		assert.Equal(t, "a", panics[0].Link)
		assert.Equal(t, "the state's own fault", panics[0].Value)
	}
}
