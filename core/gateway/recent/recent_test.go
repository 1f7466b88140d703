package recent_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/recent"
)

func exchange(id string, kind core.OutcomeKind) *core.Exchange {
	return &core.Exchange{
		ID: id, Trace: "trace-" + id, Received: time.Now(), Principal: &core.Principal{Tenant: "acme", KeyID: "k"},
		Head: core.Head{Model: "m"}, Outcome: core.Outcome{Kind: kind, Status: 200},
	}
}

func TestAnExchangeIsFoundByItsIDAndItsTraceInItsTenant(t *testing.T) {
	r := recent.New()
	x := exchange("a", core.Served)
	x.Visits = []core.Visit{{Link: "pii", Phase: core.Request, Action: core.Rewrite, Duration: 3 * time.Microsecond}}
	x.Attempts = []core.Attempt{
		{Target: core.TargetRef{Provider: "mock", Model: "m"}, Status: 200, Began: x.Received.Add(time.Millisecond), Duration: time.Second},
	}
	x.Findings = []core.Finding{
		{Link: "pii", Label: "EMAIL", Phase: core.Request, Redacted: true},
		{Link: "pii", Label: "EMAIL", Phase: core.Request, Redacted: true},
	}
	x.Minted.Add("{{PII_EMAIL_00ff}}", "EMAIL", "ada@example.com")
	r.Add(x, 2*time.Second)
	for _, id := range []string{"a", "trace-a"} {
		e, ok := r.Find("acme", id)
		require.True(t, ok)
		assert.Equal(t, 2*time.Second, e.Latency)
		assert.Equal(
			t,
			[]recent.Stage{{Link: "pii", Phase: core.Request, Action: core.Rewrite, Spread: true, Took: 3 * time.Microsecond}},
			e.Stages,
		)
		assert.Equal(t, []recent.Attempt{{Provider: "mock", Model: "m", Status: 200, Began: time.Millisecond, Took: time.Second}}, e.Attempts)
		assert.Equal(t, []recent.Found{{Link: "pii", Label: "EMAIL", Phase: core.Request, Redacted: true, Count: 2}}, e.Found)
		assert.Equal(t, []string{"{{PII_EMAIL_00ff}}"}, e.Placeholders)
		assert.NotContains(t, fmt.Sprint(e), "ada@example.com")
	}
	_, ok := r.Find("other", "a")
	assert.False(t, ok)
	_, ok = r.Find("", "")
	assert.False(t, ok)
	assert.Equal(t, map[string]recent.Summary{"a": {}}, r.FindKept([]string{"a", "b"}))
}

func TestOfManyThatGoWellSomeAreKeptAndOfThoseThatFailMore(t *testing.T) {
	r := recent.New()
	kept := func(kind core.OutcomeKind, n int) int {
		var ids []string
		for i := range n {
			x := exchange(fmt.Sprint(kind, i), kind)
			x.Received = x.Received.Truncate(0).Add(time.Minute) // practically one moment, however slow the machine
			r.Add(x, 0)
			ids = append(ids, x.ID)
		}
		return len(r.FindKept(ids))
	}
	n := kept(core.Served, 500)
	assert.GreaterOrEqual(t, n, 20)
	assert.Less(t, n, 500)
	assert.Equal(t, 150, kept(core.Blocked, 150))
	assert.GreaterOrEqual(t, kept(core.UpstreamErr, 40), 40)
}

func TestAStageThatFailedMakesAnExchangeOneOfThoseThatAreKept(t *testing.T) {
	r := recent.New()
	for i := range 100 {
		x := exchange(fmt.Sprint(i), core.Served)
		x.Visits = []core.Visit{{Link: "a", Fault: core.FaultTimeout}}
		r.Add(x, 0)
	}
	_, ok := r.Find("", "99")
	assert.True(t, ok)
}

func TestThePlaygroundIsAlwaysKeptAndTheOldestGoFirst(t *testing.T) {
	r := recent.New()
	for i := range 2500 {
		x := exchange(fmt.Sprint(i), core.Served)
		x.Principal = &core.Principal{Tenant: "acme", KeyID: recent.PlaygroundKey}
		x.Visits = make([]core.Visit, i%7)
		r.Add(x, 0)
	}
	_, ok := r.Find("", "499")
	assert.False(t, ok)
	for _, i := range []int{500, 1999, 2000, 2499} {
		e, ok := r.Find("", fmt.Sprint(i))
		assert.True(t, ok, "exchange %d", i)
		assert.Len(t, e.Stages, i%7)
	}
}

func TestExchangesWithAVerdictInShadowModeAreListedNewestFirst(t *testing.T) {
	r := recent.New()
	for _, v := range []struct {
		id    string
		visit core.Visit
	}{
		{"passed", core.Visit{Link: "a", Shadow: true, Action: core.Pass}},
		{"enforced", core.Visit{Link: "a", Action: core.Block}},
		{"blocked", core.Visit{Link: "a", Shadow: true, Action: core.Block}},
		{"failed", core.Visit{Link: "a", Shadow: true, Fault: core.FaultTimeout}},
	} {
		x := exchange(v.id, core.Served)
		x.Visits = []core.Visit{v.visit}
		r.Add(x, 0)
	}
	var ids []string
	for _, e := range r.ListShadowed("acme") {
		ids = append(ids, e.ID)
	}
	assert.Equal(t, []string{"failed", "blocked"}, ids)
	assert.Len(t, r.ListShadowed(""), 2)
	assert.Empty(t, r.ListShadowed("other"))
}

func TestANilRingKeepsNothing(t *testing.T) {
	var r *recent.Ring
	r.Add(exchange("a", core.Blocked), 0)
	_, ok := r.Find("", "a")
	assert.False(t, ok)
	assert.Empty(t, r.FindKept([]string{"a"}))
	assert.Empty(t, r.ListShadowed(""))
}

func TestItMayBeAskedWhileExchangesEnd(*testing.T) {
	r := recent.New()
	var g sync.WaitGroup
	for n := range 4 {
		g.Go(func() {
			for i := range 300 {
				r.Add(exchange(fmt.Sprint(n, i), core.Blocked), 0)
				r.Find("acme", fmt.Sprint(n, i))
				r.FindKept([]string{"00"})
			}
		})
	}
	g.Wait()
}

// BenchmarkAdd measures an exchange that is not kept, and one that is.
func BenchmarkAdd(b *testing.B) {
	x := exchange("0123456789abcdef0123456789abcdef", core.Served)
	x.Visits, x.Attempts = make([]core.Visit, 8), make([]core.Attempt, 1)
	b.Run("not kept", func(b *testing.B) {
		r := recent.New()
		b.ReportAllocs()
		for b.Loop() {
			r.Add(x, time.Millisecond)
		}
	})
	b.Run("kept", func(b *testing.B) {
		r := recent.New()
		y := *x // a copy for the test
		y.Principal = &core.Principal{Tenant: "acme", KeyID: recent.PlaygroundKey}
		b.ReportAllocs()
		for b.Loop() {
			r.Add(&y, time.Millisecond)
		}
	})
}
