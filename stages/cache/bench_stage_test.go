package cache

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// fakeState stores values in a map, or fails.
type fakeState struct {
	mu     sync.Mutex
	values map[string][]byte
	ttl    time.Duration // of the last value
	err    error
	panics bool
}

func (f *fakeState) Get(_ context.Context, key string) ([]byte, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("no store")
	}
	v, ok := f.values[key]
	return v, ok, f.err
}

func (f *fakeState) Set(_ context.Context, key string, value []byte, ttl time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		if f.values == nil {
			f.values = map[string][]byte{}
		}
		f.values[key], f.ttl = append([]byte(nil), value...), ttl
	}
	return f.err
}

func (f *fakeState) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.values, key)
	return f.err
}

// keys lists the stored keys.
func (f *fakeState) keys() (out []string) {
	for k := range f.values {
		out = append(out, k)
	}
	return out
}

var errDown = errors.New("the store is down")

// bench passes exchanges through a chain of the stage and links around it.
type bench struct {
	t     testing.TB
	stage *Stage
	chain *chain.Chain
	mu    sync.Mutex
	at    time.Time
}

// newBench returns a chain of the links before, the cache, and the links after it.
func newBench(t testing.TB, config string, state core.Values, around ...chain.Link) *bench {
	t.Helper()
	b := &bench{t: t, at: time.Unix(1700000000, 0)}
	var st core.State
	if state != nil {
		st = states{Values: state}
	}
	stage, err := New(block(config), Deps{State: st, Now: b.now})
	require.NoError(t, err)
	b.stage = stage.(*Stage)
	links := []chain.Link{{Name: Name, Stage: stage, Phases: Phases, Mode: chain.Enforce}}
	for _, l := range around {
		if strings.HasPrefix(l.Name, "before") {
			links = append([]chain.Link{l}, links...)
		} else {
			links = append(links, l)
		}
	}
	b.chain, err = chain.New(links, nil)
	require.NoError(t, err)
	return b
}

// states turns Values into a State that implements nothing else.
type states struct {
	core.State
	core.Values
}

func (s states) Get(ctx context.Context, key string) ([]byte, bool, error) {
	return s.Values.Get(ctx, key)
}

func (s states) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return s.Values.Set(ctx, key, value, ttl)
}

func (s states) Delete(ctx context.Context, key string) error { return s.Values.Delete(ctx, key) }

func (b *bench) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = b.at.Add(d)
}

// call is one request, and how its exchange continues if the cache has no answer.
type call struct {
	tenant string
	body   string
	header http.Header
	edit   func(x *core.Exchange) // before the chain
	status int
	answer string   // whole
	events []string // of a stream
	cut    bool     // the answer is incomplete
	kind   core.OutcomeKind
}

// open returns the exchange of a call.
func (b *bench) open(c call) *core.Exchange {
	if c.tenant == "" {
		c.tenant = "t"
	}
	x := &core.Exchange{Dialect: openai.ChatName, Principal: &core.Principal{Tenant: c.tenant, KeyID: "k"}}
	x.Request.Raw, x.Request.Header = []byte(c.body), c.header
	require.Nil(b.t, openai.Chat{}.Scan(x))
	if c.edit != nil {
		c.edit(x)
	}
	return x
}

// got is what a client receives.
type got struct {
	text   string
	action core.Action
	cache  string // X-Cache
	x      *core.Exchange
}

// send passes an exchange through to its end. A provider's answer takes the same path as in the proxy.
func (b *bench) send(c call) got {
	ctx := context.Background()
	x := b.open(c)
	d := b.chain.Request(ctx, x)
	g := got{action: d.Action, x: x}
	text, status := c.answer, c.status
	if len(c.events) > 0 {
		text = strings.Join(c.events, "")
	}
	x.Outcome.Kind = core.Served
	if status == 0 {
		status = http.StatusOK
	}
	if d.Action == core.Answer {
		text, status, x.Outcome.Kind = string(d.Reply.Raw), d.Reply.Status, core.Answered
	}
	x.Response.Status = status
	if x.Head.Stream {
		g.text = b.stream(ctx, x, text)
	} else {
		x.Response.Raw = []byte(text)
		require.NoError(b.t, openai.Chat{}.ScanResponse(x))
		b.chain.Response(ctx, x)
		g.text = string(x.Response.Raw)
	}
	x.Outcome.Complete = !c.cut
	if c.kind != 0 {
		x.Outcome.Kind = c.kind
	}
	b.chain.Finish(ctx, x)
	for _, f := range x.Header {
		if f.Name == "X-Cache" {
			g.cache = f.Value
		}
	}
	return g
}

func (b *bench) stream(ctx context.Context, x *core.Exchange, text string) string {
	s, e := b.chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
	defer s.Close(ctx)
	var out []byte
	for _, raw := range strings.SplitAfter(text, "\n\n") {
		if raw == "" {
			continue
		}
		ev := new(core.Event)
		ev.Reset([]byte(raw))
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		out, e = s.Event(ctx, ev, out)
		require.Nil(b.t, e)
	}
	out, e = s.End(ctx, out)
	require.Nil(b.t, e)
	return string(out)
}

func ask(text string) string {
	return `{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`
}

func askStream(text string) string { return strings.Replace(ask(text), "{", `{"stream":true,`, 1) }

func says(text string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
}

func delta(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

const (
	stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done = "data: [DONE]\n\n"
)
