package budget

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// raw is the length of the plain request of bench.asked.
// thinking is what an effort adds with some shapes.
const thinking = 32000

const raw = int64(len(`{"model":"gpt-a","messages":[{"role":"user","content":"hello"}]}`))

func TestWhatACallCanCostIsHeldAndWhatItCostIsSettled(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		const limit = 100_000_000
		b := newBench(t, s, "{}", usd(limit))
		x, d := b.begin(alice, `,"max_tokens":50`)
		require.Equal(t, core.Pass, d.Action)
		bytes := raw + int64(len(`,"max_tokens":50`))
		assert.Equal(t, limit-inPrice*bytes-outPrice*50, b.left()[0].Left, "bytes for the prompt, the limit for the answer")
		b.answer(x, 9, 7)
		b.end(x)
		assert.Equal(t, int64(limit-9*inPrice-7*outPrice), b.left()[0].Left)
		assert.Equal(t, int64(9*inPrice+7*outPrice), b.left()[0].Spent)
		assert.Zero(t, x.TokenCap(), "there was room for what the client asked for")
	})
}

func TestABudgetHoldsForWhomItSays(t *testing.T) {
	for name, c := range map[string]struct {
		budget spending.Budget
		fits   map[who]bool
	}{
		"all":              {spending.Budget{}, map[who]bool{alice: true, carol: true}},
		"a tenant":         {spending.Budget{Tenant: "acme"}, map[who]bool{alice: true, bob: true, carol: false}},
		"a key by name":    {spending.Budget{Tenant: "acme", Key: "bob"}, map[who]bool{alice: false, bob: true, carol: false}},
		"a key by id":      {spending.Budget{Key: "bob-id"}, map[who]bool{alice: false, bob: true}},
		"a model":          {spending.Budget{Model: "*-a"}, map[who]bool{alice: true, bob: false, carol: true}},
		"a tenant's model": {spending.Budget{Tenant: "acme", Model: "gpt-a"}, map[who]bool{alice: true, bob: false, carol: false}},
	} {
		t.Run(name, func(t *testing.T) {
			c.budget.ID, c.budget.Name, c.budget.Period, c.budget.Limit, c.budget.Tokens = "b", "b", spending.Daily, 0, -1
			b := newBench(t, state.NewMemory(state.Options{}), "{}", c.budget)
			for w, fits := range c.fits {
				x, d := b.begin(w, "")
				assert.Equal(t, fits, d.Action == core.Block, "%v", w)
				if fits {
					assert.Equal(t, core.CodeQuota, d.Err.Code)
					assert.Equal(t, 429, d.Err.HTTPStatus())
					assert.True(t, d.Err.NoRetry)
					assert.Contains(t, d.Err.Public, `the daily budget "b" has no room for this request; it resets on `)
					assert.Equal(t, "0", header(x, "X-Budget-Remaining-Pct"))
					b.refuse(x, d)
				} else {
					assert.Empty(t, x.Header, "headers are omitted without a budget")
					b.end(x)
				}
			}
		})
	}
}

func TestEveryWayAnExchangeEndsSettlesIt(t *testing.T) {
	const limit = 1_000_000_000
	for name, end := range map[string]func(b *bench, x *core.Exchange){
		"refused before the call":       func(*bench, *core.Exchange) {},
		"answered":                      func(b *bench, x *core.Exchange) { b.answer(x, 10, 10) },
		"more expensive than estimated": func(b *bench, x *core.Exchange) { b.answer(x, 10_000, 10_000) },
		"the provider has failed":       func(_ *bench, x *core.Exchange) { x.Attempts = []core.Attempt{{Status: 500}} },
		"the client has left":           func(b *bench, x *core.Exchange) { b.answer(x, 10, 3); x.Usage.Estimated = true },
		"the cost is unknown":           func(b *bench, x *core.Exchange) { b.answer(x, 10, 3); x.Priced = false },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s core.State) {
				b := newBench(t, s, "{}", usd(limit))
				x, d := b.begin(alice, "")
				require.Equal(t, core.Pass, d.Action)
				held := limit - b.left()[0].Left
				x.Priced = true
				end(b, x)
				b.end(x)
				l := b.left()[0]
				want := x.Cost
				if !x.Priced {
					want = held
				}
				assert.Equal(t, want, l.Spent)
				assert.Equal(t, limit-want, l.Left, "nothing is held")
			})
		})
	}
}

func TestTheNextTargetIsHeldForAnew(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		const limit = 1_000_000_000
		b := newBench(t, s, "{}", usd(limit))
		one := inPrice*raw + outPrice*100
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, limit-one, b.left()[0].Left)

		require.Equal(t, core.Pass, b.target(x, "dear").Action)
		require.Equal(t, limit-10*one, b.left()[0].Left, "the first was not called")

		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 503})
		require.Equal(t, core.Pass, b.target(x, "cheap").Action)
		require.Equal(t, limit-one, b.left()[0].Left, "a failure costs nothing")

		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Lost: true, Usage: llm.Usage{Estimated: true, Input: 20}})
		require.Equal(t, core.Pass, b.target(x, "dear").Action)
		require.Equal(t, limit-11*one, b.left()[0].Left, "a lost call may have been served")

		b.answer(x, 10, 10)
		x.Cost += 20 * inPrice
		b.end(x)
		assert.Equal(t, limit-x.Cost, b.left()[0].Left)
	})
}

func TestAnAnswerThatIsAskedForAgainIsSentBackAndHeldFor(t *testing.T) {
	const limit = 1 << 50
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(limit))
	one := inPrice*raw + outPrice*100
	x, d := b.begin(alice, "")
	require.Equal(t, core.Pass, d.Action)
	b.answer(x, 10, 100)
	const again = "Give the answer as JSON."
	x.Appended = []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text(again)}}}
	require.Equal(t, core.Pass, b.target(x, "cheap").Action)
	assert.Equal(t, limit-2*one-inPrice*(100+bound.PerText+int64(len(again))), b.left()[0].Left)
	b.answer(x, 120, 100)
	b.end(x)
	assert.Equal(t, limit-x.Cost, b.left()[0].Left, "both are settled")
}

func TestATargetThatIsTooDearIsSkippedForOneThatIsNot(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{least_output_tokens: 0}", usd(inPrice*raw+outPrice*100))
	x := b.asked(alice, "")
	require.Equal(t, core.Block, b.target(x, "dear").Action)
	require.Equal(t, core.Pass, b.target(x, "cheap").Action)
	b.answer(x, 5, 5)
	b.end(x)
	assert.Empty(t, b.notices, "it was served")
}

func TestAnAnswerIsCutDownToWhatThereIsRoomFor(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{}", usd(inPrice*100+outPrice*30))
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		limit := x.TokenCap()
		assert.GreaterOrEqual(t, limit, int64(30))
		assert.Less(t, limit, int64(60))
		assert.Less(t, b.left()[0].Left, int64(outPrice), "as much as there is")
		assert.GreaterOrEqual(t, b.left()[0].Left, int64(0))
		_, d = b.begin(bob, "")
		assert.Equal(t, core.Block, d.Action)
		b.end(x)
	})
}

func TestAnAnswerWithoutALimitGetsOne(t *testing.T) {
	s := state.NewMemory(state.Options{})
	st, err := New(block("{default_output_tokens: 77}"), Deps{State: s, Prices: prices{}, Spending: spendingOf(usd(1 << 50))})
	require.NoError(t, err)
	c, err := chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	b := &bench{t: t, chain: c, state: s}
	x, d := b.begin(alice, "")
	require.Equal(t, core.Pass, d.Action)
	assert.EqualValues(t, 77, x.TokenCap())
}

func TestManyAnswersAndThoughtAreHeldFor(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(1<<50))
	held := func(more string, change func(x *core.Exchange)) int64 {
		x := b.asked(alice, more)
		x.Target = core.TargetRef{Provider: "cheap", Model: "m", Wire: x.Dialect}
		change(x)
		require.Equal(t, core.Pass, b.chain.Target(context.Background(), x).Action)
		x.Priced = true
		n := (1<<50 - b.left()[0].Left - inPrice*int64(len(x.Request.Raw))) / outPrice
		b.end(x)
		return n
	}
	assert.EqualValues(t, 300, held(`,"n":3`, func(*core.Exchange) {}))
	assert.EqualValues(
		t,
		100+thinking,
		held(`,"reasoning_effort":"low"`, func(x *core.Exchange) { x.Target.Wire = "anthropic.messages" }),
	)
	assert.EqualValues(t, 100+thinking, held(`,"reasoning_effort":"low"`, func(x *core.Exchange) { x.Target.Wire = "bedrock.converse" }))
	assert.EqualValues(t, 0, held("", func(x *core.Exchange) { x.Head.Task = llm.TaskEmbed }))
}

func TestNearItsEndABudgetIsReckonedWithExactly(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		words := `,"note":"` + strings.Repeat("hello ", 400) + `"`
		b := newBench(t, s, "{}", usd(inPrice*1000+outPrice*100))
		_, d := b.begin(alice, words)
		require.Equal(t, core.Pass, d.Action, "2,400 bytes would not fit, 400 words do")
		assert.Positive(t, b.left()[0].Left)
	})
}

func TestTokensAreBudgetedToo(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{}", spending.Budget{ID: "t", Name: "t", Period: spending.Weekly, Limit: -1, Tokens: 1000})
		x := b.asked(alice, "")
		require.Equal(t, core.Pass, b.target(x, "unpriced").Action, "tokens need no price")
		assert.Equal(t, 1000-raw-100, b.left()[0].Left)
		b.answer(x, 9, 7)
		b.end(x)
		assert.EqualValues(t, 16, b.left()[0].Spent)
	})
}

func TestMoneyCannotBeHeldForWhatHasNoPrice(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(1<<40))
	d := b.target(b.asked(alice, ""), "unpriced")
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.ErrorContains(t, d.Err.Err, "the price of unpriced/gpt-a is unknown")
}

func TestTheHeadersTellTheTightestBudget(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		wide, tight := usd(1<<50), spending.Budget{ID: "t", Name: "t", Tenant: "acme", Period: spending.Daily, Limit: -1, Tokens: 1320}
		b := newBench(t, s, "{}", wide, tight)
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, "1156", header(x, "X-Budget-Remaining-Tokens"))
		assert.Equal(t, "87.5", header(x, "X-Budget-Remaining-Pct"))
		x, d = b.begin(carol, "")
		require.Equal(t, core.Pass, d.Action)
		assert.NotEmpty(t, header(x, "X-Budget-Remaining-Tokens"))
		assert.Equal(t, "99.9", header(x, "X-Budget-Remaining-Pct"))
	})
}

func TestTheHeaderOfAFinishedAnswerDoesNotCountItsOwnHold(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{}", spending.Budget{ID: "t", Name: "t", Tenant: "acme", Period: spending.Daily, Limit: -1, Tokens: 1320})
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, "87.5", header(x, "X-Budget-Remaining-Pct"), "with the hold, as a stream has it")
		b.answer(x, 10, 5)
		lines := len(x.Header)
		assert.Empty(t, b.chain.Conclude(x))
		assert.Equal(t, "98.8", header(x, "X-Budget-Remaining-Pct"))
		assert.Equal(t, "1305", header(x, "X-Budget-Remaining-Tokens"))
		assert.Len(t, x.Header, lines)
		b.end(x)
		assert.EqualValues(t, 1305, b.left()[0].Left, "the header told what is left")

		x, _ = b.begin(alice, "")
		b.target(x, "dear") // a second call: both holds are given back, and both usages are counted
		b.answer(x, 10, 5)
		b.chain.Conclude(x)
		assert.Equal(t, "1290", header(x, "X-Budget-Remaining-Tokens"))
		b.end(x)
		assert.EqualValues(t, 1290, b.left()[0].Left)
	})
}

func TestConcludingAllocatesNoMoreThanTheTextOfOneHeader(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(1<<50))
	x, d := b.begin(alice, "")
	require.Equal(t, core.Pass, d.Action)
	b.answer(x, 10, 5)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { b.chain.Conclude(x) }), 1.0)
	b.end(x)
}

func TestANewPeriodBeginsAtNothing(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{least_output_tokens: 0}", usd(inPrice*raw+outPrice*100))
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		late, d := b.begin(bob, "")
		require.Equal(t, core.Block, d.Action)
		b.refuse(late, d)
		_, end := b.budgets[0].Window(b.now)
		old := b.left()[0]
		b.now = end
		next, d := b.begin(bob, "")
		require.Equal(t, core.Pass, d.Action)
		b.answer(x, 5, 5) // counted in the period in which it began
		b.end(x)
		next.Priced = true
		b.end(next)
		assert.Zero(t, b.left()[0].Spent)
		l := []core.Limit{old}
		l[0].Cost = 0
		_, err := s.Take(context.Background(), l)
		require.NoError(t, err)
		assert.Equal(t, x.Cost, l[0].Spent)
	})
}

func TestTheSoftLimitIsToldOnce(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		budget := usd(100 * outPrice * 100)
		budget.Soft, budget.Tenant = 50, "acme"
		b := newBench(t, s, "{}", budget)
		for range 90 {
			x, d := b.begin(alice, "")
			require.Equal(t, core.Pass, d.Action)
			b.answer(x, 0, 100)
			b.end(x)
		}
		require.Len(t, b.notices, 1)
		n := b.notices[0]
		assert.Equal(t, spending.NoticeSoftLimit, n.Type)
		assert.Equal(t, "acme", n.Tenant)
		assert.Contains(t, n.Facts, spending.Fact{Name: "utilization_pct", Value: "50"})
	})
}

func TestARefusalForWantOfMoneyIsNotedOnce(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}", usd(0))
	x, d := b.begin(alice, "")
	require.Equal(t, core.Block, d.Action)
	require.Equal(t, core.Block, b.target(x, "dear").Action)
	b.refuse(x, d)
	require.Len(t, b.notices, 1)
	assert.Equal(t, spending.NoticeBudgetExceeded, b.notices[0].Type)
	assert.Equal(t, "acme", b.notices[0].Tenant)
}

func TestAPromptThatFillsTheWindowIsWarnedOf(t *testing.T) {
	b := newBench(t, state.NewMemory(state.Options{}), "{}")
	ask := func(words int, provider string) *core.Exchange {
		x := &core.Exchange{Principal: &core.Principal{}}
		x.Request.Raw = []byte(
			`{"model":"m","messages":[{"role":"user","content":"` + strings.TrimSpace(strings.Repeat("hello ", words)) + `"}]}`,
		)
		x.Request.Segments = []core.Segment{{Kind: core.KindText, Depth: 1}}
		x.Request.Segments[0].Span.Start = len(`{"model":"m","messages":[{"role":"user","content":"`)
		x.Request.Segments[0].Span.End = len(x.Request.Raw) - len(`"}]}`)
		x.Head.Messages = 1
		require.Equal(t, core.Pass, b.chain.Request(context.Background(), x).Action)
		require.Equal(t, core.Pass, b.target(x, provider).Action)
		return x
	}
	x := ask(169, "cheap")
	assert.Equal(t, "true", header(x, "X-Context-Window-Warning"))
	assert.Equal(t, "87.5", header(x, "X-Context-Window-Utilization"))
	assert.Empty(t, ask(154, "cheap").Header, "80 % are not more than 80 %")
	assert.Empty(t, ask(5, "cheap").Header)
	assert.Empty(t, ask(500, "dear").Header, "the size of the window is unknown")
}

func TestWithoutItsStateTheStageIsAtFault(t *testing.T) {
	srv := statetest.Redis(t)
	b := newBench(t, redis(t, srv), "{}", usd(1<<40))
	srv.Stop(t)
	x, d := b.begin(alice, "")
	assert.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	b.end(x)
}

func TestSettingsThatMakeNoSenseAreRefused(t *testing.T) {
	for config, want := range map[string]string{
		"default_output_tokens: 0": "default_output_tokens", "least_output_tokens: -1": "least_output_tokens",
		"context_window_warning_pct: 101": "context_window_warning_pct", "hold: 1ms": "hold", "budgets: []": "budgets",
	} {
		_, err := New(block(config), Deps{State: state.NewMemory(state.Options{})})
		assert.ErrorContains(t, err, want, config)
	}
	_, err := New(nil, Deps{})
	assert.Error(t, err)
}

func TestPeriodsBeginAtMidnightOfTheirZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return v
	}
	for name, c := range map[string]struct {
		period      spending.Period
		zone        *time.Location
		now         string
		start, ends string
	}{
		"a day":                       {spending.Daily, time.UTC, "2026-11-21T20:00:00Z", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"},
		"a day in Berlin":             {spending.Daily, berlin, "2026-11-21T23:30:00Z", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"},
		"the day with 25 hours":       {spending.Daily, berlin, "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"the day with 23 hours":       {spending.Daily, berlin, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		"a week on its Sunday":        {spending.Weekly, time.UTC, "2026-11-22T23:59:59Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"},
		"a week on its Monday":        {spending.Weekly, time.UTC, "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
		"a week over the year's end":  {spending.Weekly, time.UTC, "2027-01-01T00:00:00Z", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"},
		"a month":                     {spending.Monthly, time.UTC, "2026-12-31T23:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"a month in Berlin in summer": {spending.Monthly, berlin, "2026-06-30T22:30:00Z", "2026-06-30T22:00:00Z", "2026-07-31T22:00:00Z"},
		"a month without a zone":      {spending.Monthly, nil, "2024-02-29T10:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
	} {
		b := spending.Budget{Period: c.period, Zone: c.zone}
		start, end := b.Window(at(c.now))
		assert.True(t, start.Equal(at(c.start)), "%s begins %v", name, start)
		assert.True(t, end.Equal(at(c.ends)), "%s ends %v", name, end)
	}
}

// benchRoutes returns a prepared plan, as the gateway's routes do.
type benchRoutes struct{ cheapFirst }

var benchPlan = []core.TargetRef{{Provider: "cheap", Model: "gpt-a"}}

func (benchRoutes) Plan(string) []core.TargetRef { return benchPlan }

func BenchmarkBudgetInMemory(b *testing.B) {
	ctx := context.Background()
	tenant := usd(1 << 58)
	tenant.Tenant = "acme"
	st, err := New(nil, Deps{
		State:      state.NewMemory(state.Options{}),
		Prices:     prices{},
		Windows:    prices{},
		Routes:     benchRoutes{},
		DefaultCap: 100,
		Spending: spendingOf(
			tenant,
			spending.Budget{ID: "k", Name: "k", Tenant: "acme", Key: "alice", Period: spending.Daily, Limit: 1 << 58, Tokens: 1 << 50},
		),
	})
	require.NoError(b, err)
	x := (&bench{t: b, chain: emptyChain(b)}).asked(alice, "")
	x.Target = core.TargetRef{Provider: "cheap", Model: "gpt-a"}
	x.Priced = true
	b.ReportAllocs()
	for b.Loop() {
		v, err := st.Check(ctx, x, core.Request, nil)
		if err != nil {
			b.Fatal(err)
		}
		v, err = st.Check(ctx, x, core.Target, v.Keep)
		if err != nil || v.Action != core.Pass {
			b.Fatal(err, v.Action)
		}
		st.(core.Finisher).Finish(ctx, x, v.Keep)
	}
}

func emptyChain(t testing.TB) *chain.Chain {
	c, err := chain.New(nil, nil)
	require.NoError(t, err)
	return c
}

// If the gateway itself failed during an exchange, its usage is unknown.
func TestWhatACrashLeavesIsBookedAsHeld(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{}", usd(1<<50))
		x, d := b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		held := b.left()[0].Left
		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 200})
		x.Outcome.Kind, x.Priced = core.Crashed, true
		b.end(x)
		l := b.left()[0]
		assert.Equal(t, [2]int64{held, 1<<50 - held}, [2]int64{l.Left, l.Spent})

		x, d = b.begin(alice, "")
		require.Equal(t, core.Pass, d.Action)
		x.Outcome.Kind, x.Priced = core.Crashed, true // before any call
		b.end(x)
		assert.Equal(t, held, b.left()[0].Left)
	})
}

// cheapFirst plans the cheap target for every model.
type cheapFirst struct{}

func (cheapFirst) Plan(model string) []core.TargetRef {
	return []core.TargetRef{{Provider: "cheap", Model: model}}
}
func (cheapFirst) Bare(model string) string { return model }

func TestHowBudgetsStandIsToldWithoutACall(t *testing.T) {
	each(t, func(t *testing.T, s core.State) {
		b := newBench(t, s, "{}", usd(1_000_000))
		x := b.asked(alice, "")
		assert.Equal(t, "100", header(x, "X-Budget-Remaining-Pct"), "nothing is held for it")
		assert.Equal(t, strconv.Itoa(1_000_000/outPrice), header(x, "X-Budget-Remaining-Tokens"), "at the price of the first target of the plan")
		b.end(x)
		assert.EqualValues(t, 1_000_000, b.left()[0].Left)

		x, d := b.begin(alice, `,"max_tokens":10`)
		require.Equal(t, core.Pass, d.Action)
		b.answer(x, 200, 0)
		b.end(x)
		x = b.asked(alice, "")
		assert.Equal(t, "70", header(x, "X-Budget-Remaining-Pct"), "settled amounts count")
		b.end(x)

		b.now = b.now.AddDate(0, 2, 0)
		x = b.asked(alice, "")
		assert.Equal(t, "100", header(x, "X-Budget-Remaining-Pct"), "a new period")
		b.end(x)
	})
}

func TestAStateThatIsAwayRefusesNothingBeforeTheCall(t *testing.T) {
	srv := statetest.Redis(t)
	b := newBench(t, redis(t, srv), "{}", usd(1_000_000))
	srv.Stop(t)
	x := b.asked(alice, "")
	assert.Empty(t, x.Header)
	assert.Equal(t, core.Block, b.target(x, "cheap").Action)
	b.end(x)
}
