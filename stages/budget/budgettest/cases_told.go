package budgettest

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

func checkHeaders(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		wide, tight := newUSDBudget(1<<50), spending.Budget{ID: "t", Name: "t", Tenant: "acme", Period: spending.Daily, Limit: -1, Tokens: 1320}
		b := newBench(t, on, s, "{}", wide, tight)
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, "1156", findHeader(x, "X-Budget-Remaining-Tokens"))
		assert.Equal(t, "87.5", findHeader(x, "X-Budget-Remaining-Pct"))
		x, d = b.startCall(carol, "")
		require.Equal(t, core.Pass, d.Action)
		assert.NotEmpty(t, findHeader(x, "X-Budget-Remaining-Tokens"))
		assert.Equal(t, "99.9", findHeader(x, "X-Budget-Remaining-Pct"))
	})
}

func checkConclusion(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{}", spending.Budget{ID: "t", Name: "t", Tenant: "acme", Period: spending.Daily, Limit: -1, Tokens: 1320})
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, "87.5", findHeader(x, "X-Budget-Remaining-Pct"), "with the hold, as a stream has it")
		b.recordAnswer(x, 10, 5)
		lines := len(x.Header)
		assert.Empty(t, b.chain.Conclude(x))
		assert.Equal(t, "98.8", findHeader(x, "X-Budget-Remaining-Pct"))
		assert.Equal(t, "1305", findHeader(x, "X-Budget-Remaining-Tokens"))
		assert.Len(t, x.Header, lines)
		b.end(x)
		assert.EqualValues(t, 1305, b.readLeft()[0].Left, "the header told what is left")

		x, _ = b.startCall(alice, "")
		b.runTarget(x, "dear") // a second call: both holds are given back, and both usages are counted
		b.recordAnswer(x, 10, 5)
		b.chain.Conclude(x)
		assert.Equal(t, "1290", findHeader(x, "X-Budget-Remaining-Tokens"))
		b.end(x)
		assert.EqualValues(t, 1290, b.readLeft()[0].Left)
	})
}

func beginPeriods(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{least_output_tokens: 0}", newUSDBudget(inPrice*raw+outPrice*100))
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		late, d := b.startCall(bob, "")
		require.Equal(t, core.Block, d.Action)
		b.refuse(late, d)
		_, end := b.budgets[0].FindWindow(b.now)
		old := b.now
		b.now = end
		next, d := b.startCall(bob, "")
		require.Equal(t, core.Pass, d.Action)
		b.recordAnswer(x, 5, 5) // counted in the period in which it began
		b.end(x)
		next.Priced = true
		b.end(next)
		assert.Zero(t, b.readLeft()[0].Spent)
		assert.Equal(t, x.Cost, b.readLeftAt(old)[0].Spent)
	})
}

func notifySoft(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		budget := newUSDBudget(100 * outPrice * 100)
		budget.Soft, budget.Tenant = 50, "acme"
		b := newBench(t, on, s, "{}", budget)
		for range 90 {
			x, d := b.startCall(alice, "")
			require.Equal(t, core.Pass, d.Action)
			b.recordAnswer(x, 0, 100)
			b.end(x)
		}
		require.Len(t, b.notices, 1)
		n := b.notices[0]
		assert.Equal(t, on.Soft, n.Type)
		assert.Equal(t, "acme", n.Tenant)
		assert.Contains(t, n.Facts, spending.Fact{Name: on.Share, Value: "50"})
	})
}

func notifyExceeded(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}", newUSDBudget(0))
	x, d := b.startCall(alice, "")
	require.Equal(t, core.Block, d.Action)
	require.Equal(t, core.Block, b.runTarget(x, "dear").Action)
	b.refuse(x, d)
	require.Len(t, b.notices, 1)
	assert.Equal(t, on.Exceeded, b.notices[0].Type)
	assert.Equal(t, "acme", b.notices[0].Tenant)
}

func warnOfWindows(t *testing.T, on *Subject) {
	b := newBench(t, on, state.NewMemory(state.Options{}), "{}")
	ask := func(words int, provider string) *core.Exchange {
		x := &core.Exchange{Principal: &core.Principal{}}
		x.Request.Raw = []byte(
			`{"model":"m","messages":[{"role":"user","content":"` + strings.TrimSpace(strings.Repeat("hello ", words)) + `"}]}`,
		)
		x.Request.Segments = []core.Segment{{Kind: core.KindText, Depth: 1}}
		x.Request.Segments[0].Span.Start = len(`{"model":"m","messages":[{"role":"user","content":"`)
		x.Request.Segments[0].Span.End = len(x.Request.Raw) - len(`"}]}`)
		x.Head.Messages = 1
		require.Equal(t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
		require.Equal(t, core.Pass, b.runTarget(x, provider).Action)
		return x
	}
	x := ask(169, "cheap")
	assert.Equal(t, "true", findHeader(x, "X-Context-Window-Warning"))
	assert.Equal(t, "87.5", findHeader(x, "X-Context-Window-Utilization"))
	assert.Empty(t, ask(154, "cheap").Header, "80 % are not more than 80 %")
	assert.Empty(t, ask(5, "cheap").Header)
	assert.Empty(t, ask(500, "dear").Header, "the size of the window is unknown")
}

func failWithoutState(t *testing.T, on *Subject) {
	srv := statetest.StartRedis(t)
	b := newBench(t, on, newRedis(t, srv), "{}", newUSDBudget(1<<40))
	srv.Stop(t)
	x, d := b.startCall(alice, "")
	assert.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	b.end(x)
}

func refuseSettings(t *testing.T, on *Subject) {
	for config, want := range map[string]string{
		"default_output_tokens: 0": "default_output_tokens", "least_output_tokens: -1": "least_output_tokens",
		"context_window_warning_pct: 101": "context_window_warning_pct", "hold: 1ms": "hold", "budgets: []": "budgets",
	} {
		_, err := on.Build(t, config, Deps{State: state.NewMemory(state.Options{})})
		assert.ErrorContains(t, err, want, config)
	}
	_, err := on.Build(t, "{}", Deps{})
	assert.Error(t, err)
}

func bookCrashes(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{}", newUSDBudget(1<<50))
		x, d := b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		held := b.readLeft()[0].Left
		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 200})
		x.Outcome.Kind, x.Priced = core.Crashed, true
		b.end(x)
		l := b.readLeft()[0]
		assert.Equal(t, [2]int64{held, 1<<50 - held}, [2]int64{l.Left, l.Spent})

		x, d = b.startCall(alice, "")
		require.Equal(t, core.Pass, d.Action)
		x.Outcome.Kind, x.Priced = core.Crashed, true // before any call
		b.end(x)
		assert.Equal(t, held, b.readLeft()[0].Left)
	})
}

func checkStanding(t *testing.T, on *Subject) {
	runEach(t, func(t *testing.T, s core.State) {
		b := newBench(t, on, s, "{}", newUSDBudget(1_000_000))
		x := b.sendRequest(alice, "")
		assert.Equal(t, "100", findHeader(x, "X-Budget-Remaining-Pct"), "nothing is held for it")
		assert.Equal(t, strconv.Itoa(1_000_000/outPrice), findHeader(x, "X-Budget-Remaining-Tokens"),
			"at the price of the first target of the plan")
		b.end(x)
		assert.EqualValues(t, 1_000_000, b.readLeft()[0].Left)

		x, d := b.startCall(alice, `,"max_tokens":10`)
		require.Equal(t, core.Pass, d.Action)
		b.recordAnswer(x, 200, 0)
		b.end(x)
		x = b.sendRequest(alice, "")
		assert.Equal(t, "70", findHeader(x, "X-Budget-Remaining-Pct"), "settled amounts count")
		b.end(x)

		b.now = b.now.AddDate(0, 2, 0)
		x = b.sendRequest(alice, "")
		assert.Equal(t, "100", findHeader(x, "X-Budget-Remaining-Pct"), "a new period")
		b.end(x)
	})
}

func passWithoutState(t *testing.T, on *Subject) {
	srv := statetest.StartRedis(t)
	b := newBench(t, on, newRedis(t, srv), "{}", newUSDBudget(1_000_000))
	srv.Stop(t)
	x := b.sendRequest(alice, "")
	assert.Empty(t, x.Header)
	assert.Equal(t, core.Block, b.runTarget(x, "cheap").Action)
	b.end(x)
}
