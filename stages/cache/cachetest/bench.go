// Package cachetest holds the cases that every cache passes: the compiled-in stage, and plugins in its place.
package cachetest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Deps is what a gateway gives a cache.
type Deps struct {
	State core.State // nil if none is configured
	Now   func() time.Time
}

// Subject is a cache under the cases.
type Subject struct {
	// Build returns the link of a cache with a block of settings in YAML. An error means that it refuses the settings; it says why.
	Build func(t testing.TB, config string, d Deps) (chain.Link, error)
	// Bodies returns the answers that the cache of a link stores for tenant t, without a shared store.
	Bodies func(l chain.Link) []string
	// Waiting returns how many requests of tenant t have an answer on its way that others may wait for. Optional.
	Waiting func(l chain.Link) int
}

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, s *Subject)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, s *Subject) { c.run(t, s) }

// Bench passes exchanges through a chain of the stage and links around it.
type Bench struct {
	t     testing.TB
	link  chain.Link
	by    *Subject
	chain *chain.Chain
	mu    sync.Mutex
	at    time.Time
}

// NewBench returns a chain of the links before, the cache, and the links after it.
func NewBench(t testing.TB, by *Subject, config string, state core.Values, around ...chain.Link) *Bench {
	t.Helper()
	b := &Bench{t: t, by: by, at: time.Unix(1700000000, 0)}
	d := Deps{Now: b.readTime}
	if state != nil {
		d.State = OpenState(state)
	}
	var err error
	b.link, err = by.Build(t, config, d)
	require.NoError(t, err)
	links := []chain.Link{b.link}
	for _, l := range around {
		if strings.HasPrefix(l.Name, "before") {
			links = append([]chain.Link{l}, links...)
		} else {
			links = append(links, l)
		}
	}
	b.chain, err = chain.New(links, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.chain.Close(context.Background())) })
	return b
}

// Link returns the link of the cache.
func (b *Bench) Link() chain.Link { return b.link }

// countWaiting returns how many requests have an answer on its way.
func (b *Bench) countWaiting() int {
	if b.by.Waiting == nil {
		return 0
	}
	return b.by.Waiting(b.link)
}

// OpenState returns a state that has values and nothing else.
func OpenState(v core.Values) core.State {
	if s, ok := v.(core.State); ok {
		return s
	}
	return states{Values: v}
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

func (b *Bench) readTime() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

func (b *Bench) advanceClock(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = b.at.Add(d)
}

// Call is one request, and how its exchange continues if the cache has no answer.
type Call struct {
	Tenant string
	Body   string
	Header http.Header
	Edit   func(x *core.Exchange) // before the chain
	Status int
	Answer string   // whole
	Events []string // of a stream
	Cut    bool     // the answer is incomplete
	Kind   core.OutcomeKind
}

func (b *Bench) open(c Call) *core.Exchange { return Open(b.t, c) }

// Open returns the exchange of a call.
func Open(t testing.TB, c Call) *core.Exchange {
	if c.Tenant == "" {
		c.Tenant = "t"
	}
	x := &core.Exchange{Dialect: openai.ChatName, Principal: &core.Principal{Tenant: c.Tenant, KeyID: "k"}}
	x.Request.Raw, x.Request.Header = []byte(c.Body), c.Header
	require.Nil(t, openai.Chat{}.Scan(x))
	if c.Edit != nil {
		c.Edit(x)
	}
	return x
}

// Got is what a client receives.
type Got struct {
	Text   string
	Action core.Action
	Cache  string // X-Cache
	X      *core.Exchange
}

// Send passes an exchange through to its end. A provider's answer takes the same path as in the proxy.
func (b *Bench) Send(c Call) Got {
	ctx := context.Background()
	x := b.open(c)
	d := b.chain.RunRequest(ctx, x)
	g := Got{Action: d.Action, X: x}
	text, status := c.Answer, c.Status
	if len(c.Events) > 0 {
		text = strings.Join(c.Events, "")
	}
	x.Outcome.Kind = core.Served
	if status == 0 {
		status = http.StatusOK
	}
	if d.Action == core.Answer {
		text, status, x.Outcome.Kind = string(d.Reply.Raw), d.Reply.Status, core.Answered
	}
	x.Response.Status, x.Outcome.Status = status, status
	if x.Head.Stream {
		g.Text = b.streamAnswer(ctx, x, text)
	} else {
		x.Response.Raw = []byte(text)
		require.NoError(b.t, openai.Chat{}.ScanResponse(x))
		b.chain.RunResponse(ctx, x)
		g.Text = string(x.Response.Raw)
	}
	x.Outcome.Complete = !c.Cut
	if c.Kind != 0 {
		x.Outcome.Kind = c.Kind
	}
	b.chain.Finish(ctx, x)
	for _, f := range x.Header {
		if strings.EqualFold(f.Name, "X-Cache") {
			g.Cache = f.Value
		}
	}
	return g
}

func (b *Bench) streamAnswer(ctx context.Context, x *core.Exchange, text string) string {
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
		out, e = s.RunEvent(ctx, ev, out)
		require.Nil(b.t, e)
	}
	out, e = s.End(ctx, out)
	require.Nil(b.t, e)
	return string(out)
}

// FormatRequest returns a request with a text.
func FormatRequest(text string) string {
	return `{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`
}

// FormatStreamRequest returns a request with a text for a streamed answer.
func FormatStreamRequest(text string) string {
	return strings.Replace(FormatRequest(text), "{", `{"stream":true,`, 1)
}

// FormatAnswer returns an answer with a text.
func FormatAnswer(text string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
}

// FormatDelta returns an event with a text.
func FormatDelta(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

// Events that end a stream.
const (
	Stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	Done = "data: [DONE]\n\n"
)
