package ratelimit

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/internal/settingstest"
	"github.com/headgate-dev/headgate/stages/ratelimit/ratelimittest"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// named knows the models of a test.
type named func(model string) string

func (n named) StripPrefix(model string) string { return n(model) }

func TestTheStagePassesTheCasesOfRateLimits(t *testing.T) {
	build := func(_ testing.TB, config string, d ratelimittest.Deps) (chain.Link, error) {
		deps := Deps{Name: Name, DefaultCap: d.DefaultCap}
		if d.State != nil {
			deps.State = d.State
		}
		if d.Bare != nil {
			deps.Routes = named(d.Bare)
		}
		st, err := New(block(config), deps)
		return chain.Link{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}, err
	}
	for i := range ratelimittest.Cases {
		c := &ratelimittest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, build) })
	}
}

func request(t testing.TB, model string) *core.Exchange {
	t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: "acme", KeyID: "alice", KeyName: "alice"}}
	x.Request.Raw = []byte(`{"model":"` + model + `","max_tokens":20,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

func BenchmarkRateLimitInMemory(b *testing.B) {
	ctx := context.Background()
	st, err := New(block("limits: [{per: [key], requests: 1000000000, tokens: 1000000000000, concurrent: 1000}]"),
		Deps{Name: Name, State: state.NewMemory(state.Options{}), DefaultCap: 100})
	require.NoError(b, err)
	x := request(b, "gpt-a")
	b.ReportAllocs()
	for b.Loop() {
		v, err := st.Check(ctx, x, core.Request, nil)
		if err != nil || v.Action != core.Pass {
			b.Fatal(err, v.Action)
		}
		st.(core.Finisher).Finish(ctx, x, v.Keep)
	}
}

// Names of models come from clients, and may be very long.
func TestNoPlanIsKeptForANameThatIsNoModels(t *testing.T) {
	st, err := New(block("limits: [{per: [model], requests: 5}]"), Deps{Name: Name, State: state.NewMemory(state.Options{})})
	require.NoError(t, err)
	check := func(model string) core.Action {
		v, err := st.Check(context.Background(), request(t, model), core.Request, nil)
		require.NoError(t, err)
		return v.Action
	}
	assert.Equal(t, core.Pass, check(strings.Repeat("m", maxModelName+1)))
	for i := range st.(*Stage).plans.shards {
		assert.Empty(t, st.(*Stage).plans.shards[i].known)
	}
	assert.Equal(t, core.Pass, check("gpt-a"))
}

func TestATimeToWaitIsNeverToldTooShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		14*time.Second + time.Millisecond: "15s",
		14 * time.Second:                  "14s",
		time.Second - 1:                   "1s",
		time.Microsecond:                  "1ms",
		59*time.Second + 1:                "1m",
		time.Hour:                         "1h0m",
	} {
		assert.Equal(t, want, formatWait(d), "%v", d)
	}
}
