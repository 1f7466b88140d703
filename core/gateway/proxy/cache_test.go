package proxy_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/cache"
	"github.com/headgate-dev/headgate/stages/pii"
)

// kept is a state store whose entries tests can inspect.
type kept struct {
	mu     sync.Mutex
	values map[string]string
}

func (k *kept) Get(_ context.Context, key string) ([]byte, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.values[key]
	return []byte(v), ok, nil
}

func (k *kept) Set(_ context.Context, key string, value []byte, _ time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil {
		k.values = map[string]string{}
	}
	k.values[key] = string(value)
	return nil
}

func (k *kept) Delete(context.Context, string) error { return nil }

func (k *kept) joinValues() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b strings.Builder
	for _, v := range k.values {
		b.WriteString(v)
	}
	return b.String()
}

// onlyValues is a State whose values come from Values. Its other methods are nil.
type onlyValues struct {
	core.State
	core.Values
}

func (o onlyValues) Get(ctx context.Context, key string) ([]byte, bool, error) {
	return o.Values.Get(ctx, key)
}

func (o onlyValues) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return o.Values.Set(ctx, key, value, ttl)
}

func (o onlyValues) Delete(ctx context.Context, key string) error { return o.Values.Delete(ctx, key) }

// calls counts the requests that reach a link, and records the placeholder in the first.
type calls struct {
	mu    sync.Mutex
	n     int
	token string
}

var mailToken = regexp.MustCompile(`\{\{PII_EMAIL_[0-9a-f]{16}\}\}`)

func (c *calls) link() chain.Link {
	return link("behind", acts{check: func(x *core.Exchange, _ core.Phase) (core.Verdict, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.n++
		for i := range x.Request.Segments {
			if found := mailToken.FindString(x.Request.ReadText(i)); c.token == "" {
				c.token = strings.Clone(found)
			}
		}
		return pass, nil
	}}, core.Request)
}

func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// caching returns a chain of PII, the cache and further links.
func caching(t testing.TB, config string, state core.Values, behind ...chain.Link) func(core.Tokens) []chain.Link {
	return cachingBehind(t, "{}", config, state, behind...)
}

// cachingBehind is caching behind a stage of personal data with settings.
func cachingBehind(t testing.TB, personal, config string, state core.Values, behind ...chain.Link) func(core.Tokens) []chain.Link {
	return func(tok core.Tokens) []chain.Link {
		first, err := pii.New(block(personal), tok)
		require.NoError(t, err)
		d := cache.Deps{Now: time.Now}
		if state != nil {
			d.State = onlyValues{Values: state}
		}
		second, err := cache.New(block(config), d)
		require.NoError(t, err)
		both := []chain.Link{link("pii", first, core.Request, core.Response), link("cache", second, core.Request, core.Response)}
		return append(both, behind...)
	}
}

// cached are the shapes with a request that the mock answers with its text, whole
// and streamed.
var cached = []struct {
	name, path, body string
	numbers          bool // the answer holds no text
}{
	{"chat", "/v1/chat/completions", `{"model":"mock-echo","messages":[{"role":"user","content":"TEXT"}]}`, false},
	{"chat, streamed", "/v1/chat/completions", `{"model":"mock-echo","stream":true,"messages":[{"role":"user","content":"TEXT"}]}`, false},
	{
		"chat, streamed with usage",
		"/v1/chat/completions",
		`{"model":"mock-echo","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"TEXT"}]}`,
		false,
	},
	{
		"chat in parts",
		"/v1/chat/completions",
		`{"model":"mock-echo","messages":[{"role":"user","content":[{"type":"text","text":"TEXT"}]}]}`,
		false,
	},
	{"completions", "/v1/completions", `{"model":"mock-echo","prompt":"TEXT"}`, false},
	{"completions of two", "/v1/completions", `{"model":"mock-echo","prompt":["TEXT","x"]}`, false},
	{"completions, streamed", "/v1/completions", `{"model":"mock-echo","prompt":"TEXT","stream":true}`, false},
	{"completions of two, streamed", "/v1/completions", `{"model":"mock-echo","prompt":["x","TEXT"],"stream":true}`, false},
	{"messages", "/v1/messages", `{"model":"mock-echo","max_tokens":9,"messages":[{"role":"user","content":"TEXT"}]}`, false},
	{
		"messages, streamed",
		"/v1/messages",
		`{"model":"mock-echo","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"TEXT"}]}`,
		false,
	},
	{"responses", "/v1/responses", `{"model":"mock-echo","input":"TEXT"}`, false},
	{"responses, streamed", "/v1/responses", `{"model":"mock-echo","input":"TEXT","stream":true}`, false},
	{"generateContent", "/v1/gen/v1beta/models/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"TEXT"}]}]}`, false},
	{
		"generateContent, streamed",
		"/v1/gen/v1beta/models/mock-echo:streamGenerateContent?alt=sse",
		`{"contents":[{"parts":[{"text":"TEXT"}]}]}`,
		false,
	},
	{
		"generateContent, as an array",
		"/v1/gen/v1beta/models/mock-echo:streamGenerateContent",
		`{"contents":[{"parts":[{"text":"TEXT"}]}]}`,
		false,
	},
	{
		"the editor's chat",
		"/v1/ide/chat/completions",
		`{"model":"mock-echo-thinking-low","messages":[{"role":"user","content":"TEXT"}]}`,
		false,
	},
	{
		"the editor's chat, streamed",
		"/v1/ide/chat/completions",
		`{"model":"mock-echo-fast","stream":true,"messages":[{"role":"user","content":"TEXT"}]}`,
		false,
	},
	{"the editor's agent", "/v1/ide/chat/completions", `{"model":"mock-echo","input":"TEXT"}`, false},
	{"the editor's agent, streamed", "/v1/ide/chat/completions", `{"model":"mock-echo","input":"TEXT","stream":true}`, false},
	{"embeddings", "/v1/embeddings", `{"model":"mock/text-embedding-3","input":"TEXT"}`, true},
}

func TestEveryShapeIsAnsweredFromTheCache(t *testing.T) {
	const address = "ann@example.com"
	for _, c := range cached {
		t.Run(c.name, func(t *testing.T) {
			ask := func(text string) string { return strings.Replace(c.body, "TEXT", text, 1) }
			streamed := strings.Contains(c.name, "streamed") || strings.Contains(c.name, "array")
			xCache := func(want string) string {
				if streamed {
					return ""
				}
				return want
			}

			t.Run("not without a cache", func(t *testing.T) { // otherwise the rest of this test proves nothing
				n := new(calls)
				g := open(t, setup{chain: func(tok core.Tokens) []chain.Link { return append(redacting(t, "")(tok), n.link()) }})
				g.callPath(c.path, ask("to "+address))
				a := g.callPath(c.path, ask("to "+address))
				assert.Equal(t, 2, n.count())
				assert.Empty(t, a.header.Get("X-Cache"))
			})

			n, state := new(calls), new(kept)
			g := open(t, setup{chain: caching(t, "store: shared", state, n.link())})
			first := g.callPath(c.path, ask("to "+address))
			require.Equal(t, 200, first.status, first.body)
			assert.Equal(t, xCache("MISS"), first.header.Get("X-Cache"))
			require.Eventually(t, func() bool { return state.joinValues() != "" }, generous, time.Millisecond)
			assert.NotContains(t, state.joinValues(), address, "no entry contains a restored value")
			token := ""
			if !c.numbers {
				assert.Contains(t, first.body, address)
				token = n.token
				require.NotEmpty(t, token)
			}

			second := g.callPath(c.path, ask("to "+address))
			assert.Equal(t, 1, n.count(), "the provider is called once")
			assert.Equal(t, first.body, second.body)
			assert.Equal(t, first.status, second.status)
			assert.Equal(t, first.header.Get("Content-Type"), second.header.Get("Content-Type"))
			assert.Equal(t, xCache("HIT"), second.header.Get("X-Cache"))
			require.Eventually(t, func() bool { return g.usage().Records == 2 }, generous, time.Millisecond)
			records := g.records()
			res := records[len(records)-1].payload
			assert.Equal(t, "answered", res["outcome"])
			assert.Equal(t, "cache", res["by"])
			assert.Equal(t, true, res["complete"])
			assert.Nil(t, res["tokens_total"], "a hit costs nothing")
			assert.Nil(t, res["provider"])
			assert.EqualValues(t, 1, g.usage().Counted)

			if token != "" {
				a := g.callAs("other", c.path, ask("to "+token))
				assert.Equal(t, 1, n.count(), "the redacted request is the same")
				assert.Contains(t, a.body, token, "a value of another caller stays a placeholder")
				assert.NotContains(t, a.body, address)
			}
			a := g.callAs("other", c.path, ask("to "+address))
			assert.Equal(t, 1, n.count())
			assert.Equal(t, first.body, a.body, "callers get their own values back")

			g.callAs("foreign", c.path, ask("to "+address))
			assert.Equal(t, 2, n.count(), "each tenant has its own cache")
			g.callPath(c.path, ask("to bob@example.com"))
			assert.Equal(t, 3, n.count(), "a different value is a different request")
			g.callPath(c.path, ask("to "+address), "X-Cache-Control", "no-cache")
			assert.Equal(t, 4, n.count())
		})
	}
}

func TestACountThatTheGatewayMakesIsNotKept(t *testing.T) {
	state := new(kept)
	g := open(t, setup{chain: caching(t, "store: shared", state)}) // the provider does not count tokens
	for _, path := range []string{"/v1/messages/count_tokens", "/v1/gen/v1beta/models/gpt-test:countTokens"} {
		body := `{"model":"gpt-test","messages":[{"role":"user","content":"x"}]}`
		if strings.Contains(path, "gen") {
			body = `{"contents":[{"parts":[{"text":"x"}]}]}`
		}
		for range 2 {
			a := g.callPath(path, body)
			assert.Equal(t, 200, a.status)
			assert.Equal(t, "MISS", a.header.Get("X-Cache"))
		}
	}
	require.Eventually(t, func() bool { return g.usage().Records == 4 }, generous, time.Millisecond)
	assert.Empty(t, state.joinValues())
}

func TestAHitTellsOfASchemaThatWasNotSentAsStrict(t *testing.T) {
	const schema = `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}}`
	for _, streamed := range []bool{false, true} {
		for store, state := range map[string]core.Values{"memory": nil, "shared": new(kept)} {
			up := newFake(t, says(messagesSay("{}", streamed)))
			g := open(t, setup{provider: newProvider(t, "anthropic", up.url), chain: caching(t, "store: "+store, state)})
			for range 2 {
				a := g.post("dev", strings.Replace(chatBody("hi", streamed), "{", "{"+schema+",", 1))
				require.Equal(t, 200, a.status, a.body)
				assert.Equal(t, "true", a.header.Get("X-Gateway-Strict-Downgraded"))
				g.usage()
			}
			require.Eventually(t, func() bool { return g.usage().Records == 2 }, generous, time.Millisecond)
			assert.Len(t, up.requests(), 1)
		}
	}
}

func TestHalfAStreamIsNotKept(t *testing.T) {
	for _, c := range []struct{ name, answer string }{
		{"one that breaks off", streamHead + chunk(roleEvent+textEvent("one"))},
		{"one without its own end", streamHead + chunk(roleEvent+textEvent("one")+stopEvent) + chunk("")},
		{"one that ends in an error", stream(roleEvent, textEvent("one"), "data: {\"error\":{\"message\":\"x\",\"code\":\"y\"}}\n\n", doneEvent)},
		{"an error instead of a stream", buildWhole(500, "application/json", "{}")},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := new(kept)
			g := open(t, setup{url: newFake(t, says(c.answer)).url, chain: caching(t, "store: shared", state)})
			g.post("dev", chatStream("hi"))
			g.outcome()
			assert.Empty(t, state.joinValues())
		})
	}
	t.Run("one whose client leaves", func(t *testing.T) {
		state := new(kept)
		left := make(chan struct{})
		up := newFake(t, func(conn net.Conn, _ sent) {
			_, _ = conn.Write([]byte(streamHead + chunk(roleEvent+textEvent("one"))))
			<-left
			_, _ = conn.Write([]byte(chunk(stopEvent+doneEvent) + chunk("")))
		})
		g := open(t, setup{url: up.url, chain: caching(t, "store: shared", state)})
		ctx, cancel := context.WithCancel(context.Background())
		r := g.request("dev", strings.NewReader(chatStream("hi"))).WithContext(ctx)
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, err = res.Body.Read(make([]byte, 10))
		require.NoError(t, err)
		cancel()
		_ = res.Body.Close()
		assert.Equal(t, "client_gone", g.outcome()["outcome"])
		close(left)
		assert.Empty(t, state.joinValues())
	})
}

func TestALinkBehindTheCacheHasItsSayOverWhatIsKept(t *testing.T) {
	const theirs = "5555 5555 5555 4444"
	for _, streamed := range []bool{false, true} {
		t.Run(streamedName(streamed), func(t *testing.T) {
			state := new(kept)
			up := newFake(t, func(c net.Conn, _ sent) {
				if streamed {
					says(
						stream(
							roleEvent,
							textEvent("take "+theirs[:6]),
							textEvent(theirs[6:]+" then"),
							callEvent,
							argsEvent(`{\"a\":\"`+theirs[:5]),
							argsEvent(theirs[5:]+`\"}`),
							stopEvent,
							usageEvent,
							doneEvent,
						),
					)(
						c,
						sent{},
					)
					return
				}
				says(buildWhole(200, "application/json", completion("take "+theirs+" then")))(c, sent{})
			})
			g := open(t, setup{url: up.url, chain: func(tok core.Tokens) []chain.Link {
				guard, err := pii.New(block("{response: redact}"), tok)
				require.NoError(t, err)
				return caching(t, "store: shared", state, link("guard", guard, core.Response))(tok)
			}})
			first := g.post("dev", chatBody("hi", streamed))
			require.Equal(t, 200, first.status, first.body)
			require.Eventually(t, func() bool { return state.joinValues() != "" }, generous, time.Millisecond)
			assert.NotContains(t, state.joinValues(), "5555")
			assert.Contains(t, state.joinValues(), "{{PII_CREDIT_CARD_")
			second := g.post("dev", chatBody("hi", streamed))
			assert.Len(t, up.requests(), 1)
			if streamed {
				h := listen(t, first.body)
				assert.Regexp(t, `^take \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\} then$`, h.content)
				assert.Regexp(t, `^\{"a":"\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}"\}$`, h.args)
				assert.Equal(t, h, listen(t, second.body))
				assert.False(t, h.usage)
				return
			}
			assert.Equal(t, first.body, second.body)
		})
	}
}
