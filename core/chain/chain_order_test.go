package chain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
)

// noting is a stage that writes its name when asked, then gives a verdict.
func noting(log *[]string, name string, v func(p core.Phase) core.Verdict) *guard {
	return &guard{check: func(_ *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		*log = append(*log, p.String()+" "+name)
		if v == nil {
			return core.Verdict{Action: core.Pass}, nil
		}
		return v(p), nil
	}}
}

func TestLinksAreAskedInOrderOnTheWayInAndInReverseOnTheWayOut(t *testing.T) {
	var log []string
	c := newChain(t, nil, link("a", noting(&log, "a", nil)), link("b", noting(&log, "b", nil)), link("c", noting(&log, "c", nil)))
	x := newRequest(t, helloRequest)
	assert.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, core.Pass, c.RunTarget(context.Background(), x).Action)
	setAnswer(t, x, helloAnswer)
	assert.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	assert.Equal(t, strings.Split("request a,request b,request c,target a,target b,target c,response c,response b,response a", ","), log)
	assert.Len(t, x.Visits, 9)
}

func TestOnlyLinksBeforeTheAnsweringOneSeeTheAnswer(t *testing.T) {
	var log []string
	answer := func(p core.Phase) core.Verdict {
		if p == core.Request {
			return core.Verdict{Action: core.Answer, Reply: &core.Payload{Status: 200, Raw: []byte(helloAnswer)}}
		}
		return core.Verdict{Action: core.Pass}
	}
	late := link("late", noting(&log, "late", nil))
	late.Phases = core.NewPhaseSet(core.Response) // counts as passed, and still stands behind
	c := newChain(
		t,
		nil,
		link("first", noting(&log, "first", nil)),
		link("cache", noting(&log, "cache", answer)),
		link("after", noting(&log, "after", nil)),
		late,
	)
	x := newRequest(t, helloRequest)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Answer, d.Action)
	assert.Equal(t, "cache", d.Link)
	setAnswer(t, x, string(d.Reply.Raw))
	c.RunResponse(context.Background(), x)
	assert.Equal(t, []string{"request first", "request cache", "response first"}, log)
}

func TestABlockEndsThePhaseAndNamesItsLink(t *testing.T) {
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		t.Run(p.String(), func(t *testing.T) {
			var log []string
			shared := &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"}
			block := func(at core.Phase) core.Verdict {
				if at == p {
					return core.Verdict{Action: core.Block, Err: shared}
				}
				return core.Verdict{Action: core.Pass}
			}
			c := newChain(t, nil, link("a", noting(&log, "a", nil)), link("b", noting(&log, "b", block)), link("c", noting(&log, "c", nil)))
			x := newRequest(t, helloRequest)
			d := c.RunRequest(context.Background(), x)
			if p != core.Request {
				require.Equal(t, core.Pass, d.Action)
				d = c.RunTarget(context.Background(), x)
			}
			if p == core.Response {
				setAnswer(t, x, helloAnswer)
				d = c.RunResponse(context.Background(), x)
			}
			require.Equal(t, core.Block, d.Action)
			assert.False(t, d.Fault)
			assert.Equal(t, "b", d.Link)
			assert.Equal(t, "b", d.Err.Link)
			assert.Empty(t, shared.Link, "the stage's own error may be shared and is not written to")
			assert.Equal(t, p.String()+" b", log[len(log)-1])
		})
	}
}

func TestTheMessageOfTheLinkStandsInForTheStages(t *testing.T) {
	shared := &core.Error{Kind: core.ContentFiltered, Code: "own_code", Public: "no"}
	l := link("b", noting(new([]string), "b", func(core.Phase) core.Verdict { return core.Verdict{Action: core.Block, Err: shared} }))
	l.Refusal = "Ask it@example.com."
	d := newChain(t, nil, l).RunRequest(context.Background(), newRequest(t, helloRequest))
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, "Ask it@example.com.", d.Err.Public)
	assert.Equal(t, "own_code", d.Err.Code)
	assert.Equal(t, "no", shared.Public, "the stage's own error may be shared and is not written to")

	l = link("word", blocking("forbidden").stage())
	l.Refusal = "Ask it@example.com."
	r := stream(t, newChain(t, nil, l), chunks("this is for", "bidden", " and more"))
	require.NotNil(t, r.err)
	assert.Equal(t, "Ask it@example.com.", r.err.Public)
}

func TestALinkWithoutARequestPhaseCountsAsPassed(t *testing.T) {
	var log []string
	only := link("only", noting(&log, "only", nil))
	only.Phases = core.NewPhaseSet(core.Response)
	c := newChain(t, nil, only)
	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	assert.True(t, c.Governs(x))
	setAnswer(t, x, helloAnswer)
	c.RunResponse(context.Background(), x)
	assert.Equal(t, []string{"response only"}, log)
}

func TestAFilterNarrowsALinkToSomeExchanges(t *testing.T) {
	who := &core.Principal{Tenant: "acme", KeyID: "k1", KeyName: "dev"}
	for name, tc := range map[string]struct {
		f    chain.Filter
		want bool
	}{
		"an empty filter takes all": {chain.Filter{}, true},
		"the tenant":                {chain.Filter{Tenants: []string{"acme"}}, true},
		"another tenant":            {chain.Filter{Tenants: []string{"other"}}, false},
		"a key by its name":         {chain.Filter{Keys: []string{"de*"}}, true},
		"a key by its id":           {chain.Filter{Keys: []string{"k1"}}, true},
		"a model by a glob":         {chain.Filter{Models: []string{"x", "m?"}}, true},
		"the shape":                 {chain.Filter{Dialects: []string{"openai.*"}}, true},
		"all lists must match: one of them is not": {chain.Filter{Tenants: []string{"acme"}, Models: []string{"gpt-*"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			l := link("a", noting(&log, "a", nil))
			l.For = tc.f
			c := newChain(t, nil, l)
			x := newRequest(t, strings.Replace(helloRequest, `"m"`, `"m1"`, 1))
			x.Principal = who
			c.RunRequest(context.Background(), x)
			assert.Equal(t, tc.want, len(log) == 1)
			assert.Equal(t, tc.want, c.Governs(x))
		})
	}
}

func TestWhatALinkKeepsIsHandedBackToItAlone(t *testing.T) {
	var got []any
	keeper := func(name string) *guard {
		return &guard{
			check: func(_ *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				got = append(got, kept)
				return core.Verdict{Action: core.Pass, Keep: name + p.String()}, nil
			},
			finish: func(_ *core.Exchange, kept any) { got = append(got, kept) },
		}
	}
	c := newChain(t, nil, link("a", keeper("a")), link("b", keeper("b")))
	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	setAnswer(t, x, helloAnswer)
	c.RunResponse(context.Background(), x)
	c.Finish(context.Background(), x)
	assert.Equal(t, []any{nil, nil, "brequest", "arequest", "aresponse", "bresponse"}, got)
}

func TestAChainRefusesWhatCannotWork(t *testing.T) {
	ok := link("a", &guard{})
	for name, links := range map[string][]chain.Link{
		"a link without a name":  {{Stage: &guard{}, Phases: anyPhase}},
		"two links of one name":  {ok, ok},
		"a link without a stage": {{Name: "a", Phases: anyPhase}},
		"a link without a phase": {{Name: "a", Stage: &guard{}}},
		"more than 64 links":     make([]chain.Link, 65),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chain.New(links, nil)
			assert.Error(t, err)
		})
	}
}

func TestAChainOfSixtyFourLinksRunsThemAll(t *testing.T) {
	var log []string
	links := make([]chain.Link, 64)
	for i := range links {
		links[i] = link(strings.Repeat("x", i+1), noting(&log, "x", nil))
	}
	c := newChain(t, nil, links...)
	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	setAnswer(t, x, helloAnswer)
	c.RunResponse(context.Background(), x)
	assert.Len(t, log, 128)
}

func TestTheLinesOfBatchesPassTheLinksThatRedact(t *testing.T) {
	var log []string
	a, b := link("a", noting(&log, "a", nil)), link("b", noting(&log, "b", nil))
	a.Redacts, b.Redacts = true, true
	c := newChain(t, vault{}, a, link("cache", noting(&log, "cache", nil)), b)
	lines, err := c.ForRedaction()
	require.NoError(t, err)
	assert.Equal(t, 2, lines.Len())
	assert.Equal(t, core.Pass, lines.RunRequest(context.Background(), newRequest(t, helloRequest)).Action)
	assert.Equal(t, []string{"request a", "request b"}, log)
	assert.Equal(t, 3, c.Len(), "the chain itself stays as it is")
}

func TestARetryIsForAnswersOnly(t *testing.T) {
	retry := core.Verdict{
		Action: core.Retry,
		Err:    &core.Error{Code: "x"},
		Append: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("again")}}},
	}
	for p, want := range map[core.Phase]core.Action{core.Request: core.Block, core.Target: core.Block, core.Response: core.Retry} {
		var log []string
		at := func(now core.Phase) core.Verdict {
			if now == p {
				return retry
			}
			return core.Verdict{Action: core.Pass}
		}
		ctx := context.Background()
		c := newChain(t, nil, link("a", noting(&log, "a", nil)), link("r", noting(&log, "r", at)), link("b", noting(&log, "b", nil)))
		x := newRequest(t, helloRequest)
		d := c.RunRequest(ctx, x)
		if p == core.Target {
			d = c.RunTarget(ctx, x)
		}
		if p == core.Response {
			c.RunTarget(ctx, x)
			setAnswer(t, x, helloAnswer)
			d = c.RunResponse(ctx, x)
		}
		require.Equal(t, want, d.Action)
		assert.Equal(t, want == core.Block, d.Fault)
		if want == core.Retry {
			assert.Equal(t, "r", d.Link)
			assert.Equal(t, "r", d.Err.Link)
			assert.Equal(t, retry.Append, d.Append)
			log = log[:0]
			setAnswer(t, x, helloAnswer)
			c.RunResponse(ctx, x)
			assert.Equal(t, []string{"response b", "response r"}, log, "the next answer is shown from the last link on")
		}
	}
	for _, v := range []core.Verdict{{Action: core.Retry, Err: retry.Err}, {Action: core.Retry, Append: retry.Append}} {
		l := link("r", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) { return v, nil }})
		l.Phases = core.NewPhaseSet(core.Response)
		c := newChain(t, nil, l)
		x := newRequest(t, helloRequest)
		setAnswer(t, x, helloAnswer)
		assert.True(t, c.RunResponse(context.Background(), x).Fault, "it says what to add, and what the client is told otherwise")
	}
}

func TestARetryInShadowIsRecordedOnly(t *testing.T) {
	l := link("r", &guard{check: func(_ *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		if p != core.Response {
			return core.Verdict{Action: core.Pass}, nil
		}
		return core.Verdict{Action: core.Retry, Err: &core.Error{Code: "x"}, Append: []llm.Message{{Role: llm.User}}}, nil
	}})
	l.Mode = chain.Shadow
	c := newChain(t, nil, l)
	x := newRequest(t, helloRequest)
	setAnswer(t, x, helloAnswer)
	assert.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	require.NotEmpty(t, x.Visits)
	assert.Equal(t, core.Retry, x.Visits[len(x.Visits)-1].Action)
}
