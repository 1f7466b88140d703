// Package ratelimittest holds the cases that every rate limit passes: the compiled-in stage, and plugins in its place.
package ratelimittest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// Deps is what a gateway gives a rate limit.
type Deps struct {
	State      core.State
	DefaultCap int64 // limit of an answer, in tokens, if the client sets none
	Bare       func(model string) string
}

// Builder returns the link of a rate limit with a block of settings in YAML. An error means that it refuses the settings; it says why.
type Builder func(t testing.TB, config string, d Deps) (chain.Link, error)

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, build Builder)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, build Builder) { c.run(t, build) }

// bench passes exchanges through a chain of one link.
type bench struct {
	t     testing.TB
	chain *chain.Chain
}

func newBench(t testing.TB, build Builder, s core.State, config string) *bench {
	t.Helper()
	bare := func(model string) string { return strings.TrimPrefix(model, "openai/") }
	l, err := build(t, config, Deps{State: s, DefaultCap: 100, Bare: bare})
	require.NoError(t, err)
	c, err := chain.New([]chain.Link{l}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return &bench{t, c}
}

// runStates runs a test with every kind of state.
func runStates(t *testing.T, test func(t *testing.T, s core.State)) {
	t.Run("memory", func(t *testing.T) { test(t, state.NewMemory(state.Options{})) })
	t.Run("redis", func(t *testing.T) { test(t, newRedis(t, statetest.StartRedis(t))) })
}

func newRedis(t testing.TB, srv *statetest.Server) core.State {
	t.Helper()
	r, err := state.OpenRedis(context.Background(), srv.URL, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // the server may be down by then, which does not concern the test
	return r
}

// who is the sender of a request and its model.
type who struct{ tenant, key, model string }

var (
	alice = who{"acme", "alice", "gpt-a"}
	bob   = who{"acme", "bob", "gpt-b"}
	carol = who{"other", "carol", "gpt-a"}
)

func (b *bench) newRequest(w who, more string) *core.Exchange {
	b.t.Helper()
	x := &core.Exchange{Dialect: openai.ChatName, Principal: &core.Principal{Tenant: w.tenant, KeyID: w.key, KeyName: w.key}}
	x.Request.Raw = []byte(`{"model":"` + w.model + `"` + more + `,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	return x
}

// begin passes a request through the chain.
func (b *bench) begin(w who, more string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := b.newRequest(w, more)
	return x, b.chain.RunRequest(context.Background(), x)
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

func findHeader(x *core.Exchange, name string) (value string) {
	for _, f := range x.Header {
		if strings.EqualFold(f.Name, name) {
			value = f.Value
		}
	}
	return value
}

// keyed gives each case separate counters.
type keyed struct {
	core.State
	prefix string
}

func (k keyed) Take(ctx context.Context, l []core.Limit) (bool, error) {
	for i := range l {
		l[i].Key = k.prefix + l[i].Key
	}
	return k.State.Take(ctx, l)
}
