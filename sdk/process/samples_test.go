package process_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/state"
	host "github.com/headgate-dev/headgate/plugins/process"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
)

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Remove()
	os.Exit(code)
}

// digest is what sha256sum prints.
func digest(t testing.TB, file string) string {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

type settings map[string]any

func (s settings) Decode(into any) error { *into.(*map[string]any) = s; return nil }

// plug makes a link of a sample.
func plug(t testing.TB, file string, change func(*host.Spec)) (*host.Host, host.Spec) {
	t.Helper()
	dir := guests.Processes(t)
	h := host.NewHost(host.Options{Dir: dir, Log: func(link, text string, _ int) { t.Log(link, text) }})
	spec := host.Spec{
		Link: "sample", File: file, SHA256: digest(t, filepath.Join(dir, file)), Timeout: 20 * time.Second, StartTimeout: time.Minute,
	}
	change(&spec)
	return h, spec
}

// open makes a stage that the test closes.
func open(t testing.TB, h *host.Host, spec host.Spec) *host.Stage {
	t.Helper()
	st, err := h.OpenStage(context.Background(), spec)
	require.NoError(t, err)
	return st
}

// guards are the word guards, by language; that they conform is tested by the gateway's own table of adapters.
func guards(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"Go": "wordguard"}
	t.Run("the sample in JavaScript is there", func(t *testing.T) { all["Node"] = guests.Node(t) })
	return all
}

func words(s *host.Spec) {
	s.Config = settings{"redact": []string{"PROJECT-APOLLO", "PROJECT"}, "block": []string{"FORBIDDEN"}}
}

func TestTheWordGuardsDecide(t *testing.T) {
	for name, file := range guards(t) {
		h, spec := plug(t, file, words)
		kept := open(t, h, spec)
		t.Run(name, func(t *testing.T) {
			stagetest.Cases(t, kept, []stagetest.Case{
				{Name: "nothing", Text: stagetest.Text{Text: "hello"}},
				{
					Name:   "a word beside characters of two units",
					Text:   stagetest.Text{Text: "😀é PROJECT-APOLLO!"},
					Action: core.Rewrite,
					Out:    "😀é <WORD>!",
					Labels: []string{"word"},
				},
				{
					Name:   "a forbidden one",
					Text:   stagetest.Text{Text: "FORBIDDEN"},
					Action: core.Block,
					Labels: []string{"forbidden"},
					Code:   core.CodeContentFilter,
				},
				{Name: "a text that it does not ask for", Text: stagetest.Text{Role: core.RoleSystem, Text: "FORBIDDEN"}},
			})
		})
		require.NoError(t, kept.Close(context.Background()))
	}
}

func TestTheWordGuardsRefuseSettingsThatTheyDoNotKnow(t *testing.T) {
	for name, file := range guards(t) {
		var mu sync.Mutex
		var said []string
		dir := guests.Processes(t)
		h := host.NewHost(host.Options{Dir: dir, Log: func(_, text string, _ int) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, text)
		}})
		_, spec := plug(t, file, func(s *host.Spec) { s.Config = settings{} })
		_, err := h.OpenStage(context.Background(), spec)
		require.Error(t, err, name)
		mu.Lock()
		assert.Contains(t, said, "config: write words under redact or block", name)
		mu.Unlock()
	}
}

func TestAPluginWithoutTLSIsAskedForAndClosedToOthers(t *testing.T) {
	file := guests.Node(t)
	h, spec := plug(t, file, func(s *host.Spec) { words(s); s.Plaintext = true })
	st := open(t, h, spec)
	v, err := st.Check(context.Background(), stagetest.Text{Text: "FORBIDDEN"}.Exchange(), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
	require.NoError(t, st.Close(context.Background()))
}

// caller is an exchange of a tenant's key.
func caller(tenant, key string) *core.Exchange {
	return &core.Exchange{Principal: &core.Principal{Tenant: tenant, KeyID: key}}
}

func TestARateLimitAndABudgetCanBeAProcess(t *testing.T) {
	ctx := context.Background()
	counters := state.NewMemory(state.Options{})
	h, spec := plug(t, "fairuse", func(s *host.Spec) {
		s.State = counters
		s.Config = settings{"requests_per_minute": 3, "tokens_per_day": 100, "tokens_at_once": 40}
	})
	st := open(t, h, spec)
	check := func(x *core.Exchange) (core.Verdict, *chain.Chain) {
		c, err := chain.New([]chain.Link{{Name: "fairuse", Stage: st, Phases: st.Phases(), Mode: chain.Enforce}}, nil)
		require.NoError(t, err)
		d := c.RunRequest(ctx, x)
		require.False(t, d.Fault)
		return core.Verdict{Action: d.Action, Err: d.Err, Header: x.Header}, c
	}
	// Two at once hold 80 tokens; a third finds no room, although it may come.
	a, b := caller("acme", "k1"), caller("acme", "k1")
	v, chainA := check(a)
	require.Equal(t, core.Pass, v.Action)
	assert.Equal(t, []core.Field{{Name: "X-Fairuse-Requests-Left", Value: "2"}, {Name: "X-Fairuse-Tokens-Left", Value: "60"}}, v.Header)
	v, chainB := check(b)
	require.Equal(t, core.Pass, v.Action)
	v, _ = check(caller("acme", "k1"))
	require.Equal(t, core.Block, v.Action)
	assert.Equal(t, core.CodeQuota, v.Err.Code)
	assert.True(t, v.Err.NoRetry)
	// They have used less; what they held is given back.
	a.Usage.Reported, a.Usage.Input, a.Usage.Output = true, 5, 5
	chainA.Finish(ctx, a)
	chainB.Finish(ctx, b) // nothing was told of it
	v, _ = check(caller("acme", "k1"))
	require.Equal(t, core.Pass, v.Action)
	assert.Equal(t, "50", v.Header[1].Value)
	// Then the pace is too fast; another tenant, and another key, have limits of their own.
	v, _ = check(caller("acme", "k1"))
	require.Equal(t, core.Block, v.Action)
	assert.Equal(t, core.CodeRateLimit, v.Err.Code)
	assert.Positive(t, v.Err.RetryAfter)
	v, _ = check(caller("other", "k1"))
	assert.Equal(t, core.Pass, v.Action)
	v, _ = check(caller("acme", "k2"))
	assert.Equal(t, core.Pass, v.Action)
	// The counts are the gateway's: another process goes on from them.
	require.NoError(t, st.Close(ctx))
	st = open(t, h, spec)
	v, _ = check(caller("acme", "k1"))
	assert.Equal(t, core.Block, v.Action)
	require.NoError(t, st.Close(ctx))
}

func TestThePublishedGrammarIsTheOneThatTheSampleReads(t *testing.T) {
	published, err := os.ReadFile(filepath.Join("..", "..", "plugins", "process", "pb", "process.proto"))
	require.NoError(t, err)
	sample, err := os.ReadFile(filepath.Join("node", "process.proto"))
	require.NoError(t, err)
	assert.Equal(t, string(published), string(sample), "copy plugins/process/pb/process.proto to sdk/process/node")
}
