package ratelimit

import (
	"context"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// each runs a test with every kind of state.
func each(t *testing.T, test func(t *testing.T, s core.State)) {
	t.Run("memory", func(t *testing.T) { test(t, state.NewMemory(state.Options{})) })
	t.Run("redis", func(t *testing.T) { test(t, redis(t, statetest.Redis(t))) })
}

func redis(t testing.TB, srv *statetest.Server) core.State {
	t.Helper()
	r, err := state.OpenRedis(context.Background(), srv.URL, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // the server may be down by then, which does not concern the test
	return r
}

// bench passes exchanges through a chain of this stage only.
type bench struct {
	t     testing.TB
	chain *chain.Chain
}

func newBench(t testing.TB, s core.State, config string) *bench {
	t.Helper()
	st, err := New(block(config), Deps{Name: Name, State: s, DefaultCap: 100})
	require.NoError(t, err)
	c, err := chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, nil)
	require.NoError(t, err)
	return &bench{t, c}
}

// who is the sender of a request and its model.
type who struct{ tenant, key, model string }

var (
	alice = who{"acme", "alice", "gpt-a"}
	bob   = who{"acme", "bob", "gpt-b"}
	carol = who{"other", "carol", "gpt-a"}
)

func (b *bench) request(w who, more string) *core.Exchange {
	b.t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: w.tenant, KeyID: w.key, KeyName: w.key}}
	x.Request.Raw = []byte(`{"model":"` + w.model + `"` + more + `,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	return x
}

// begin passes a request through the chain.
func (b *bench) begin(w who, more string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := b.request(w, more)
	return x, b.chain.Request(context.Background(), x)
}

// end ends an exchange that has used a number of tokens.
func (b *bench) end(x *core.Exchange, used int64) {
	x.Attempts = append(x.Attempts, core.Attempt{Status: 200})
	x.Usage = llm.Usage{Reported: used > 0, Output: used}
	b.chain.Finish(context.Background(), x)
}

// passes reports whether a request passes; it ends at once.
func (b *bench) passes(w who) bool {
	b.t.Helper()
	x, d := b.begin(w, "")
	b.end(x, 0)
	if d.Action != core.Pass {
		require.NotNil(b.t, d.Err)
		assert.Equal(b.t, core.CodeRateLimit, d.Err.Code)
		assert.Equal(b.t, 429, d.Err.HTTPStatus())
		assert.Positive(b.t, d.Err.RetryAfter)
	}
	return d.Action == core.Pass
}

func header(x *core.Exchange, name string) (value string) {
	for _, f := range x.Header {
		if strings.EqualFold(f.Name, name) {
			value = f.Value
		}
	}
	return value
}
