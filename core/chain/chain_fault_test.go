package chain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

const secret = "4111 1111 1111 1111"

// brokenVerdicts are the ways in which a stage fails.
var brokenVerdicts = map[string]struct {
	check func() (core.Verdict, error)
	want  core.Fault
}{
	"an error": {func() (core.Verdict, error) { return core.Verdict{}, errors.New("broken") }, core.FaultError},
	"a time-out": {func() (core.Verdict, error) {
		return core.Verdict{}, fmt.Errorf("ask: %w", context.DeadlineExceeded)
	}, core.FaultTimeout},
	"an error that comes with a verdict": {func() (core.Verdict, error) {
		return core.Verdict{Action: core.Pass}, errors.New("broken")
	}, core.FaultError},
	"a panic with a text":   {func() (core.Verdict, error) { panic(secret) }, core.FaultPanic},
	"a panic with an error": {func() (core.Verdict, error) { panic(errors.New(secret)) }, core.FaultPanic},
	"a runtime panic": {func() (core.Verdict, error) {
		var none []int
		return core.Verdict{Findings: make([]core.Finding, none[len(secret)])}, nil
	}, core.FaultPanic},
	"no decision":                     {func() (core.Verdict, error) { return core.Verdict{}, nil }, core.FaultVerdict},
	"an unknown decision":             {func() (core.Verdict, error) { return core.Verdict{Action: 77}, nil }, core.FaultVerdict},
	"an answer without a reply":       {func() (core.Verdict, error) { return core.Verdict{Action: core.Answer}, nil }, core.FaultVerdict},
	"a block without an error":        {func() (core.Verdict, error) { return core.Verdict{Action: core.Block}, nil }, core.FaultVerdict},
	"an edit of no segment":           {edit(core.Edit{Segment: 9}), core.FaultVerdict},
	"an edit of segment -1":           {edit(core.Edit{Segment: -1}), core.FaultVerdict},
	"an edit behind the text":         {edit(core.Edit{Start: 2, End: 99}), core.FaultVerdict},
	"an edit turned round":            {edit(core.Edit{Start: 3, End: 2}), core.FaultVerdict},
	"edits that overlap":              {edit(core.Edit{Start: 0, End: 3}, core.Edit{Start: 2, End: 4}), core.FaultVerdict},
	"an edit in a rune":               {edit(core.Edit{Start: 6, End: 7}), core.FaultVerdict},
	"a replacement that is not UTF-8": {edit(core.Edit{Start: 0, End: 1, With: "\xff"}), core.FaultVerdict},
	"a placeholder without a vault":   {edit(core.Edit{Start: 0, End: 1, Type: "EMAIL"}), core.FaultError},
}

func edit(e ...core.Edit) func() (core.Verdict, error) {
	return func() (core.Verdict, error) { return core.Verdict{Action: core.Rewrite, Edits: e}, nil }
}

func TestAFaultFollowsTheRuleOfItsLink(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"hello é"}]}`
	for name, tc := range brokenVerdicts {
		for _, rule := range []chain.OnFault{0, chain.FaultBlocks, chain.FaultPasses} {
			t.Run(fmt.Sprintf("%s, rule %d", name, rule), func(t *testing.T) {
				l := link("broken", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) { return tc.check() }})
				l.OnFault = rule
				later := 0
				c := newChain(t, nil, l, link("next", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
					later++
					return core.Verdict{Action: core.Pass}, nil
				}}))
				x := newRequest(t, body)
				d := c.RunRequest(context.Background(), x)
				require.NotEmpty(t, x.Visits)
				assert.Equal(t, tc.want, x.Visits[0].Fault, "the fault is recorded whatever the rule")
				assert.Equal(t, body, string(x.Request.Raw), "a verdict that failed changes nothing")
				if rule == chain.FaultPasses {
					assert.Equal(t, core.Pass, d.Action)
					assert.Equal(t, 1, later)
					return
				}
				require.Equal(t, core.Block, d.Action)
				assert.True(t, d.Fault)
				assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
				assert.Equal(t, 503, d.Err.HTTPStatus())
				assert.Zero(t, later)
				assert.NotContains(t, d.Err.Error(), secret)
				require.Error(t, d.Err.Err)
				assert.NotContains(t, d.Err.Err.Error(), secret, "a panic's value may hold a prompt")
			})
		}
	}
}

func TestAnAnswerIsOneOfTheRequestPhaseOnly(t *testing.T) {
	reply := &core.Payload{Raw: []byte(helloAnswer)}
	for _, p := range []core.Phase{core.Target, core.Response} {
		t.Run(p.String(), func(t *testing.T) {
			first := 0
			c := newChain(t, nil,
				link("first", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
					first++
					return core.Verdict{Action: core.Pass}, nil
				}}),
				link("odd", &guard{check: func(_ *core.Exchange, at core.Phase, _ any) (core.Verdict, error) {
					if at == p {
						return core.Verdict{Action: core.Answer, Reply: reply}, nil
					}
					return core.Verdict{Action: core.Pass}, nil
				}}))
			x := newRequest(t, helloRequest)
			require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
			var d chain.Decision
			if p == core.Target {
				d = c.RunTarget(context.Background(), x)
			} else {
				setAnswer(t, x, helloAnswer)
				d = c.RunResponse(context.Background(), x)
			}
			assert.Equal(t, core.Block, d.Action, "links before this one would never see such an answer")
			assert.True(t, d.Fault)
		})
	}
}

func TestAClientThatLeftIsNoFaultOfAGuard(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l := link("slow", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
		cancel()
		return core.Verdict{}, ctx.Err()
	}})
	l.OnFault = chain.FaultPasses
	d := newChain(t, nil, l).RunRequest(ctx, newRequest(t, helloRequest))
	require.Equal(t, core.Block, d.Action, "nothing goes on for a client that left, whatever the rule")
	assert.Equal(t, core.Canceled, d.Err.Kind)
	assert.False(t, d.Fault)
}
