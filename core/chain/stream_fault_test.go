package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func filtering(f func(w core.Window) (core.Verdict, int, error)) *guard {
	return &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return filterFunc(f), nil }}
}

// brokenFilters fail at the word "bad"; before it they hold one byte.
var brokenFilters = map[string]struct {
	at   func(w core.Window) (core.Verdict, int, error)
	want core.Fault
}{
	"an error":    {func(core.Window) (core.Verdict, int, error) { return core.Verdict{}, 0, errors.New("broken") }, core.FaultError},
	"a time-out":  {func(core.Window) (core.Verdict, int, error) { return core.Verdict{}, 0, context.DeadlineExceeded }, core.FaultTimeout},
	"a panic":     {func(core.Window) (core.Verdict, int, error) { panic(secret) }, core.FaultPanic},
	"no decision": {func(core.Window) (core.Verdict, int, error) { return core.Verdict{}, 0, nil }, core.FaultVerdict},
	"an answer": {func(core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Answer, Reply: &core.Payload{}}, 0, nil
	}, core.FaultVerdict},
	"a hold below 0": {func(core.Window) (core.Verdict, int, error) { return core.Verdict{Action: core.Pass}, -1, nil }, core.FaultVerdict},
	"a hold of what was sent": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent + 1, nil
	}, core.FaultVerdict},
	"a hold of more than all": {
		func(core.Window) (core.Verdict, int, error) { return core.Verdict{Action: core.Pass}, 1 << 62, nil },
		core.FaultVerdict,
	},
	"a hold that cuts a rune": {
		func(core.Window) (core.Verdict, int, error) { return core.Verdict{Action: core.Pass}, 1, nil },
		core.FaultVerdict,
	},
	"an edit of what was sent": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: w.Sent - 1, End: w.Sent}}}, 0, nil
	}, core.FaultVerdict},
	"an edit of what is held": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: len(w.Text) - 2, End: len(w.Text)}}}, 2, nil
	}, core.FaultVerdict},
	"an edit in a rune": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: len(w.Text) - 1, End: len(w.Text)}}}, 0, nil
	}, core.FaultVerdict},
	"edits that overlap": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{
			Action: core.Rewrite,
			Edits:  []core.Edit{{Start: w.Sent, End: w.Sent + 2}, {Start: w.Sent + 1, End: w.Sent + 3}},
		}, 0, nil
	}, core.FaultVerdict},
	"a placeholder without a vault": {func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Start: w.Sent, End: w.Sent + 1, Type: "X"}}}, 0, nil
	}, core.FaultError},
}

func TestAFilterThatFailsInTheMiddleFollowsTheRuleOfItsLink(t *testing.T) {
	for name, tc := range brokenFilters {
		for rule, passes := range map[chain.OnFault]bool{0: false, chain.FaultBlocks: false, chain.FaultPasses: true} {
			t.Run(name, func(t *testing.T) {
				l := link("broken", filtering(func(w core.Window) (core.Verdict, int, error) {
					if strings.Contains(w.Text[w.Sent:], "bad") {
						return tc.at(w)
					}
					return core.Verdict{Action: core.Pass}, min(1, len(w.Text)-w.Sent) * btoi(!w.Last), nil
				}))
				l.OnFault = rule
				events := []string{
					contentOf(1, "other"),
					contentOf(0, "fine"),
					contentOf(0, "bad é"),
					contentOf(0, " more"),
					contentOf(1, " choice"),
					chunk(0, "", `"stop"`),
					chunk(1, "", `"stop"`),
					doneEvent,
				}
				r := stream(t, newChain(t, nil, l), events)
				v := r.x.Visits[len(r.x.Visits)-1]
				assert.Equal(t, tc.want, v.Fault)
				assert.Equal(t, core.Response, v.Phase)
				if passes {
					require.Nil(t, r.err)
					assert.Equal(t, "finebad é more", r.parts["0.content"], "nothing is lost, nothing doubled")
					assert.Equal(t, "other choice", r.parts["1.content"], "nor of a part that was held when another failed")
					return
				}
				require.NotNil(t, r.err)
				assert.Equal(t, core.CodeGuardUnavailable, r.err.Code)
				assert.Equal(t, "fin", r.parts["0.content"])
				assert.NotContains(t, r.err.Error(), secret)
				assert.NotContains(t, r.err.Err.Error(), secret)
			})
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAFilterMayNotHoldWithoutBoundNorAtTheEnd(t *testing.T) {
	all := filtering(func(w core.Window) (core.Verdict, int, error) {
		return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent, nil
	})
	c := newChain(t, nil, link("greedy", all))
	r := stream(t, c, []string{contentOf(0, "x"), doneEvent})
	require.NotNil(t, r.err, "at the end nothing may be held")
	r = stream(t, c, []string{contentOf(0, strings.Repeat("x", 40<<10)), contentOf(0, strings.Repeat("x", 40<<10)), contentOf(0, "x")})
	require.NotNil(t, r.err)
	assert.Len(t, r.after, 2, "at 64 KiB it is a fault")
	assert.Empty(t, r.parts["0.content"])
}

func TestAStageThatCannotSeeStreamsIsAFaultOnStreams(t *testing.T) {
	whole := struct{ core.Stage }{&guard{}}
	for name, s := range map[string]core.Stage{
		"no stream stage":     whole,
		"a filter that fails": &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return nil, errors.New("broken") }},
		"one that panics":     &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { panic(secret) }},
	} {
		t.Run(name, func(t *testing.T) {
			l := link("blind", s)
			r := stream(t, newChain(t, nil, l), chunks("hello"))
			require.NotNil(t, r.err)
			assert.Empty(t, r.out)
			assert.NotContains(t, r.err.Err.Error(), secret)
			l.OnFault = chain.FaultPasses
			r = stream(t, newChain(t, nil, l), chunks("hello"))
			require.Nil(t, r.err)
			assert.Equal(t, strings.Join(chunks("hello"), ""), r.out)
			assert.NotZero(t, r.x.Visits[len(r.x.Visits)-1].Fault)
		})
	}
}

// closing counts the calls of Close.
type closing struct {
	filterFunc
	closed *int
	err    error
}

func (c closing) Close(context.Context) error {
	*c.closed++
	if c.err != nil {
		panic(c.err)
	}
	return nil
}

func TestEveryFilterIsClosedOnce(t *testing.T) {
	pass := func(core.Window) (core.Verdict, int, error) { return core.Verdict{Action: core.Pass}, 0, nil }
	fail := func(core.Window) (core.Verdict, int, error) { return core.Verdict{}, 0, errors.New("broken") }
	for name, f := range map[string]filterFunc{"at the end": pass, "after a fault": fail} {
		t.Run(name, func(t *testing.T) {
			closed := 0
			g := func(err error) *guard {
				return &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return closing{f, &closed, err}, nil }}
			}
			r := stream(t, newChain(t, nil, link("a", g(nil)), link("b", g(errors.New(secret))), link("c", g(nil))), chunks("hello"))
			assert.Equal(t, 3, closed)
			assert.Len(t, r.x.Visits, 6)
		})
	}
}

func TestABlockInAStreamNamesItsLinkAndEndsIt(t *testing.T) {
	r := stream(t, newChain(t, nil, link("word", blocking("forbidden").stage())), chunks("this is for", "bidden", " and more"))
	require.NotNil(t, r.err)
	assert.Equal(t, "word", r.err.Link)
	assert.Equal(t, "this is ", r.parts["0.content"])
	assert.Equal(t, core.Block, r.x.Visits[len(r.x.Visits)-1].Action)
}
