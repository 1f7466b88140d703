package budgettest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
	"github.com/headgate-dev/headgate/core/records/state"
)

// Cases are what a budget stage does.
var Cases = []Case{
	{"what a call can cost is held, and what it cost is settled", holdAndSettle},
	{"a budget holds for whom it says", checkScopes},
	{"every way an exchange ends settles it", settleEveryEnd},
	{"the next target is reserved for again", reserveAgain},
	{"an answer that is asked for again is sent back and held for", holdRepeats},
	{"a target that is too dear is skipped for one that is not", skipExpensiveTarget},
	{"an answer is cut down to what there is room for", cutAnswers},
	{"an answer without a limit gets one", limitAnswers},
	{"many answers and thought are held for", reserveThinking},
	{"near its end a budget is reckoned with exactly", countExactly},
	{"tokens are budgeted too", countTokens},
	{"money cannot be held for what has no price", failWithoutPrice},
	{"the headers tell the tightest budget", checkHeaders},
	{"the header of a finished answer does not count its own hold", checkConclusion},
	{"a new period begins at nothing", beginPeriods},
	{"the soft limit is told once", notifySoft},
	{"a refusal for want of money is noted once", notifyExceeded},
	{"a prompt that fills the window is warned of", warnOfWindows},
	{"without its state the stage fails", failWithoutState},
	{"settings that make no sense are refused", refuseSettings},
	{"what a crash leaves is booked as held", bookCrashes},
	{"how budgets stand is told without a call", checkStanding},
	{"a state that is away refuses nothing before the call", passWithoutState},
	{"a thousand at once do not overspend", limitConcurrentRequests},
}

// thinking is what an effort adds with some shapes.
const thinking = 32000

// raw is the length of the plain request of bench.sendRequest.
const raw = int64(len(`{"model":"gpt-a","messages":[{"role":"user","content":"hello"}]}`))

func holdAndSettle(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		const limit = 100_000_000
		b := newBench(t, on, s, "{}", newUSDBudget(limit))
		x, d := b.startCall(alice, `,"max_tokens":50`)
		require.Equal(t, core.Pass, d.Action)
		bytes := raw + int64(len(`,"max_tokens":50`))
		assert.Equal(t, limit-inPrice*bytes-outPrice*50, b.readLeft()[0].Left, "bytes for the prompt, the limit for the answer")
		b.recordAnswer(x, 9, 7)
		b.end(x)
		assert.Equal(t, int64(limit-9*inPrice-7*outPrice), b.readLeft()[0].Left)
		assert.Equal(t, int64(9*inPrice+7*outPrice), b.readLeft()[0].Spent)
		assert.Zero(t, x.TokenCap(), "there was room for what the client asked for")
	})
}

func checkScopes(t *testing.T, on *Subject) {
	for name, c := range map[string]struct {
		budget spending.Budget
		fits   map[requestOrigin]bool
	}{
		"all":              {spending.Budget{}, map[requestOrigin]bool{alice: true, carol: true}},
		"a tenant":         {spending.Budget{Tenant: "acme"}, map[requestOrigin]bool{alice: true, bob: true, carol: false}},
		"a key by name":    {spending.Budget{Tenant: "acme", Key: "bob"}, map[requestOrigin]bool{alice: false, bob: true, carol: false}},
		"a key by id":      {spending.Budget{Key: "bob-id"}, map[requestOrigin]bool{alice: false, bob: true}},
		"a model":          {spending.Budget{Model: "*-a"}, map[requestOrigin]bool{alice: true, bob: false, carol: true}},
		"a tenant's model": {spending.Budget{Tenant: "acme", Model: "gpt-a"}, map[requestOrigin]bool{alice: true, bob: false, carol: false}},
	} {
		t.Run(name, func(t *testing.T) {
			c.budget.ID, c.budget.Name, c.budget.Period, c.budget.Limit, c.budget.Tokens = "b", "b", spending.Daily, 0, -1
			b := newBench(t, on, state.NewMemory(state.Options{}), "{}", c.budget)
			for w, fits := range c.fits {
				x, d := b.startCall(w, "")
				assert.Equal(t, fits, d.Action == core.Block, "%v", w)
				if fits {
					assert.Equal(t, core.CodeQuota, d.Err.Code)
					assert.Equal(t, 429, d.Err.HTTPStatus())
					assert.True(t, d.Err.NoRetry)
					assert.Contains(t, d.Err.Public, `the daily budget "b" has no room for this request; it resets on `)
					assert.Equal(t, "0", findHeader(x, "X-Budget-Remaining-Pct"))
					b.refuse(x, d)
				} else {
					assert.Empty(t, x.Header, "headers are omitted without a budget")
					b.end(x)
				}
			}
		})
	}
}

func settleEveryEnd(t *testing.T, on *Subject) {
	const limit = 1_000_000_000
	for name, end := range map[string]func(b *bench, x *core.Exchange){
		"refused before the call":       func(*bench, *core.Exchange) {},
		"answered":                      func(b *bench, x *core.Exchange) { b.recordAnswer(x, 10, 10) },
		"more expensive than estimated": func(b *bench, x *core.Exchange) { b.recordAnswer(x, 10_000, 10_000) },
		"the provider has failed":       func(_ *bench, x *core.Exchange) { x.Attempts = []core.Attempt{{Status: 500}} },
		"the client has left":           func(b *bench, x *core.Exchange) { b.recordAnswer(x, 10, 3); x.Usage.Estimated = true },
		"the cost is unknown":           func(b *bench, x *core.Exchange) { b.recordAnswer(x, 10, 3); x.Priced = false },
	} {
		t.Run(name, func(t *testing.T) {
			runEach(t, func(t *testing.T, s core.State) {
				b := newBench(t, on, s, "{}", newUSDBudget(limit))
				x, d := b.startCall(alice, "")
				require.Equal(t, core.Pass, d.Action)
				held := limit - b.readLeft()[0].Left
				x.Priced = true
				end(b, x)
				b.end(x)
				l := b.readLeft()[0]
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

func reserveAgain(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		const limit = 1_000_000_000
		b := newBench(t, on, s, "{}", newUSDBudget(limit))
		one := inPrice*raw + outPrice*100
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, limit-one, b.readLeft()[0].Left)

		require.Equal(t, core.Pass, b.runTarget(x, "dear").Action)
		require.Equal(t, limit-10*one, b.readLeft()[0].Left, "the first was not called")

		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 503})
		require.Equal(t, core.Pass, b.runTarget(x, "cheap").Action)
		require.Equal(t, limit-one, b.readLeft()[0].Left, "a failure costs nothing")

		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Lost: true, Usage: llm.Usage{Estimated: true, Input: 20}})
		require.Equal(t, core.Pass, b.runTarget(x, "dear").Action)
		require.Equal(t, limit-11*one, b.readLeft()[0].Left, "a lost call may have been served")

		b.recordAnswer(x, 10, 10)
		x.Cost += 20 * inPrice
		b.end(x)
		assert.Equal(t, limit-x.Cost, b.readLeft()[0].Left)
	})
}

func holdRepeats(t *testing.T, on *Subject) {
	const limit = 1 << 50
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}", newUSDBudget(limit))
	one := inPrice*raw + outPrice*100
	x, d := b.startCall(alice, "")
	require.Equal(t, core.Pass, d.Action)
	b.recordAnswer(x, 10, 100)
	const again = "Give the answer as JSON."
	x.Appended = []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText(again)}}}
	require.Equal(t, core.Pass, b.runTarget(x, "cheap").Action)
	assert.Equal(t, limit-2*one-inPrice*(100+bound.PerText+int64(len(again))), b.readLeft()[0].Left)
	b.recordAnswer(x, 120, 100)
	b.end(x)
	assert.Equal(t, limit-x.Cost, b.readLeft()[0].Left, "both are settled")
}

func skipExpensiveTarget(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{least_output_tokens: 0}", newUSDBudget(inPrice*raw+outPrice*100))
	x := b.sendRequest(alice, "")
	require.Equal(t, core.Block, b.runTarget(x, "dear").Action)
	require.Equal(t, core.Pass, b.runTarget(x, "cheap").Action)
	b.recordAnswer(x, 5, 5)
	b.end(x)
	assert.Empty(t, b.notices, "it was served")
}

func cutAnswers(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{}", newUSDBudget(inPrice*100+outPrice*30))
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		limit := x.TokenCap()
		assert.GreaterOrEqual(t, limit, int64(30))
		assert.Less(t, limit, int64(60))
		assert.Less(t, b.readLeft()[0].Left, int64(outPrice), "as much as there is")
		assert.GreaterOrEqual(t, b.readLeft()[0].Left, int64(0))
		_, d = b.startCall(bob, "")
		assert.Equal(t, core.Block, d.Action)
		b.end(x)
	})
}

func limitAnswers(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}", newUSDBudget(1<<50))
	b.addLink("{default_output_tokens: 77}", Deps{State: b.state, Prices: prices{}, Spending: b.spending, Now: b.spending.Now})
	x, d := b.startCall(alice, "")
	require.Equal(t, core.Pass, d.Action)
	assert.EqualValues(t, 77, x.TokenCap())
}

func reserveThinking(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}", newUSDBudget(1<<50))
	held := func(more string, change func(x *core.Exchange)) int64 {
		x := b.sendRequest(alice, more)
		x.Target = core.TargetRef{Provider: "cheap", Model: "m", Wire: x.Dialect}
		change(x)
		require.Equal(t, core.Pass, b.chain.RunTarget(context.Background(), x).Action)
		x.Priced = true
		n := (1<<50 - b.readLeft()[0].Left - inPrice*int64(len(x.Request.Raw))) / outPrice
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
	assert.EqualValues(t, 555, held("", func(x *core.Exchange) { x.Head.Task, x.Head.MaxUsage.Output = llm.TaskCompact, 555 }))
}

func countExactly(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		words := `,"note":"` + strings.Repeat("hello ", 400) + `"`
		b := newBench(t, on, s, "{}", newUSDBudget(inPrice*1000+outPrice*100))
		_, d := b.startCall(alice, words)
		require.Equal(t, core.Pass, d.Action, "2,400 bytes would not fit, 400 words do")
		assert.Positive(t, b.readLeft()[0].Left)
	})
}

func countTokens(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{}", spending.Budget{ID: "t", Name: "t", Period: spending.Weekly, Limit: -1, Tokens: 1000})
		x := b.sendRequest(alice, "")
		require.Equal(t, core.Pass, b.runTarget(x, "unpriced").Action, "tokens need no price")
		assert.Equal(t, 1000-raw-100, b.readLeft()[0].Left)
		b.recordAnswer(x, 9, 7)
		b.end(x)
		assert.EqualValues(t, 16, b.readLeft()[0].Spent)
	})
}

func failWithoutPrice(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}", newUSDBudget(1<<40))
	d := b.runTarget(b.sendRequest(alice, ""), "unpriced")
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Contains(t, on.Reason(d), "the price of unpriced/gpt-a is unknown")
}
