package chain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

func TestAFinisherHearsOfEveryExchangeThatReachedItOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		second func() (core.Verdict, error)
		want   []string
	}{
		"when all pass":       {func() (core.Verdict, error) { return core.Verdict{Action: core.Pass}, nil }, []string{"a", "b", "c", "shadow"}},
		"when one blocks":     {func() (core.Verdict, error) { return core.Verdict{Action: core.Block, Err: &core.Error{}}, nil }, []string{"a", "b", "shadow"}},
		"when one answers":    {func() (core.Verdict, error) { return core.Verdict{Action: core.Answer, Reply: &core.Payload{}}, nil }, []string{"a", "b", "shadow"}},
		"when one fails":      {func() (core.Verdict, error) { return core.Verdict{}, errors.New("broken") }, []string{"a", "b", "shadow"}},
		"when one panics":     {func() (core.Verdict, error) { panic("x") }, []string{"a", "b", "shadow"}},
		"when its edits fail": {edit(core.Edit{Segment: 5}), []string{"a", "b", "shadow"}},
	} {
		t.Run(name, func(t *testing.T) {
			var heard []string
			named := func(n string, check func() (core.Verdict, error)) *guard {
				g := &guard{finish: func(*core.Exchange, any) {
					heard = append(heard, n)
					panic("a Finisher that panics must not keep the next from hearing")
				}}
				if check != nil {
					g.check = func(*core.Exchange, core.Phase, any) (core.Verdict, error) { return check() }
				}
				return g
			}
			c := newChain(
				t,
				nil,
				link("a", named("a", nil)),
				link("b", named("b", tc.second)),
				link("c", named("c", nil)),
				newShadowLink("s", named("shadow", nil)),
			)
			x := newRequest(t, helloRequest)
			c.RunRequest(context.Background(), x)
			before := len(x.Visits)
			panics := c.Finish(context.Background(), x)
			assert.Equal(t, tc.want, heard)
			assert.Len(t, panics, len(heard), "all of them panic")
			for i, v := range x.Visits[before:] {
				assert.Equal(t, panics[i].Link, v.Link)
				assert.Equal(t, core.FaultPanic, v.Fault)
			}
			assert.Contains(t, string(panics[0].Stack), "chain_finish_test.go")
			assert.Empty(t, c.Finish(context.Background(), x))
			assert.Equal(t, tc.want, heard, "a second call notifies no stage again")
		})
	}
}

func TestAFinisherOfALaterPhaseHearsWhenItWasAsked(t *testing.T) {
	heard := 0
	l := link("late", &guard{finish: func(*core.Exchange, any) { heard++ }})
	l.Phases = core.NewPhaseSet(core.Response)
	c := newChain(t, nil, l)

	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	c.Finish(context.Background(), x)
	assert.Zero(t, heard, "the exchange ended before the stage was asked")

	x = newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	setAnswer(t, x, helloAnswer)
	c.RunResponse(context.Background(), x)
	c.Finish(context.Background(), x)
	assert.Equal(t, 1, heard)

	r := stream(t, c, chunks("hello"))
	c.Finish(context.Background(), r.x)
	assert.Equal(t, 2, heard)
}

// closer is a stage that holds something.
type closer struct {
	guard
	err error
}

func (c *closer) Close(context.Context) error { return c.err }

func TestClosingAChainClosesAllStagesAndTellsEveryError(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	c := newChain(t, nil, link("a", &closer{err: one}), link("b", &guard{}), link("c", &closer{}), link("d", &closer{err: two}))
	err := c.Close(context.Background())
	assert.ErrorIs(t, err, one)
	assert.ErrorIs(t, err, two)
	assert.NoError(t, newChain(t, nil).Close(context.Background()))
}
