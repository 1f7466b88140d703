package samples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
)

// settings are those that the samples are loaded with.
var settings = map[string]string{"token-budget": `{"tokens_per_day":150}`, "answer-cache": `{}`}

// loaded are the samples in Go, each built and loaded once: to compile a guest of this
// size takes the race detector long.
var loaded = struct {
	sync.Mutex
	versions map[string]*wasm.Version
}{versions: map[string]*wasm.Version{}}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, v := range loaded.versions {
		v.Release(context.Background())
	}
	os.Exit(code)
}

// version loads a sample as the gateway does, with its own manifest.
func version(t testing.TB, name string) *wasm.Version {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if v := loaded.versions[name]; v != nil {
		require.True(t, v.Acquire())
		return v
	}
	out := filepath.Join(t.TempDir(), name+".wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./"+name)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	source, err := os.ReadFile(out)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(name, "manifest.yaml"))
	require.NoError(t, err)
	manifest, err := plugins.ReadManifest(text)
	require.NoError(t, err)
	v, err := wasm.Load(context.Background(), wasm.LoadOptions{
		Source: source, Name: name + ".wasm", Manifest: manifest, Config: []byte(settings[name]),
		Limits: wasm.Limits{Timeout: 20 * time.Second, Instances: 1}, // making another may take the race detector too long
	})
	require.NoError(t, err)
	loaded.versions[name] = v
	require.True(t, v.Acquire())
	return v
}

func stage(t testing.TB, name string, s core.State) core.Stage {
	t.Helper()
	st, err := wasm.NewPlugin(version(t, name), wasm.Options{Link: name, State: s, Answer: dialect.BuildAnswer})
	require.NoError(t, err)
	return st
}

// newChain makes a chain of one sample.
func newChain(t *testing.T, name string, s core.State) *chain.Chain {
	t.Helper()
	st := stage(t, name, s)
	phases := st.(wasm.Plugin).Version().Manifest.PhaseSet()
	c, err := chain.New([]chain.Link{{Name: name, Stage: st, Phases: phases, Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	return c
}

func request(t *testing.T, d core.Dialect, key, body string) *core.Exchange {
	t.Helper()
	x := &core.Exchange{Dialect: d.Name(), Principal: &core.Principal{Tenant: "acme", KeyID: key}, Received: time.Now()}
	x.Request.Raw = []byte(body)
	e := d.Scan(x)
	require.Nil(t, e, "%v", e)
	return x
}

const (
	chatRequest   = `{"model":"gpt-4o","max_tokens":60,"messages":[{"role":"user","content":"Say hello."}]}`
	chatAnswer    = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello \"you\"."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":21,"total_tokens":30}}`
	streamRequest = `{"model":"claude-x","stream":true,"max_tokens":60,"messages":[{"role":"user","content":"Say hello."}]}`
)

func TestTheTokenBudgetHoldsInAChain(t *testing.T) {
	c := newChain(t, "token-budget", state.NewMemory(state.Options{}))
	ctx := context.Background()
	ask := func(key string) (*core.Exchange, chain.Decision) {
		x := request(t, openai.Chat{}, key, chatRequest)
		return x, c.RunRequest(ctx, x)
	}
	first, d := ask("k1")
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	_, d = ask("k1")
	require.Equal(t, core.Block, d.Action, "the first may use more than half of what there is")
	assert.False(t, d.Fault)
	assert.Equal(t, 429, d.Err.HTTPStatus())
	assert.Equal(t, core.CodeQuota, d.Err.Code)
	assert.Positive(t, d.Err.RetryAfter)
	_, d = ask("k2")
	assert.Equal(t, core.Pass, d.Action, "another key has its own tokens")

	first.Usage = llm.Usage{Reported: true, Input: 9, Output: 21}
	first.Outcome = core.Outcome{Kind: core.Served, Status: 200, Complete: true}
	c.Finish(ctx, first)
	second, d := ask("k1")
	require.Equal(t, core.Pass, d.Action, "30 tokens were used, and the rest is free again")
	require.Len(t, second.Header, 1)
	assert.Equal(t, "X-Tokens-Left-Today", second.Header[0].Name)
	assert.NotEmpty(t, second.Header[0].Value)
}

func TestTheAnswerCacheGivesAnAnswerAgain(t *testing.T) {
	c := newChain(t, "answer-cache", state.NewMemory(state.Options{}))
	ctx := context.Background()
	x := request(t, openai.Chat{}, "k", chatRequest)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	assert.Equal(t, []core.Field{{Name: "X-Answer-Cache", Value: "miss"}}, x.Header)
	x.Response.Status, x.Response.Raw = 200, []byte(chatAnswer)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	require.Equal(t, core.Pass, c.RunResponse(ctx, x).Action)
	c.Finish(ctx, x)

	x = request(t, openai.Chat{}, "k", chatRequest)
	d := c.RunRequest(ctx, x)
	require.Equal(t, core.Answer, d.Action, "%v", d.Err)
	x.Response.Raw = d.Reply.Raw
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	assert.Equal(t, `Hello "you".`, x.Response.ReadText(0))
	x = request(t, openai.Chat{}, "k", strings.Replace(chatRequest, "hello", "goodbye", 1))
	assert.Equal(t, core.Pass, c.RunRequest(ctx, x).Action, "another request is not answered with it")
	x = request(t, openai.Chat{}, "k", chatRequest)
	x.Principal.Tenant = "other"
	assert.Equal(t, core.Pass, c.RunRequest(ctx, x).Action, "nor is another tenant")
}

func TestTheAnswerCacheKeepsStreamsWithoutHoldingThemBack(t *testing.T) {
	c := newChain(t, "answer-cache", state.NewMemory(state.Options{}))
	ctx := context.Background()
	d := anthropic.Messages{}
	x := request(t, d, "k", streamRequest)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	sent, err := dialect.BuildAnswer(x, "Hello \"you\".")
	require.NoError(t, err)
	s, e := c.Stream(ctx, x, d)
	require.Nil(t, e)
	assert.False(t, s.Withholds())
	assert.Equal(t, string(sent.Raw), runStream(t, s, x, d, sent.Raw), "every byte as it came")
	s.Close(ctx)
	c.Finish(ctx, x)

	x = request(t, d, "k", streamRequest)
	got := c.RunRequest(ctx, x)
	require.Equal(t, core.Answer, got.Action, "%v", got.Err)
	assert.Equal(t, "text/event-stream", got.Reply.Header.Get("Content-Type"))
	assert.Contains(t, string(got.Reply.Raw), `Hello \"you\".`)
}

// runStream takes events through the chain, and gives what the client reads.
func runStream(t *testing.T, s *chain.Stream, x *core.Exchange, d core.Dialect, raw []byte) string {
	t.Helper()
	var events sse.Splitter
	require.NoError(t, events.Write(raw))
	var out []byte
	for raw := events.Next(); raw != nil; raw = events.Next() {
		var ev core.Event
		ev.Reset(raw)
		require.NoError(t, d.ScanEvent(x, &ev))
		var e *core.Error
		out, e = s.RunEvent(context.Background(), &ev, out)
		require.Nil(t, e)
	}
	out, e := s.End(context.Background(), out)
	require.Nil(t, e)
	return string(out)
}
