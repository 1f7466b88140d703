package proxy_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// crashing is a provider that panics.
type crashing struct{ route.Provider }

func (crashing) NewRequest(*core.Exchange, *upstream.Request) error { panic("canary") }

func TestAPanicIsAnAnswerAndTheNextRequestIsServed(t *testing.T) {
	t.Run("before output", func(t *testing.T) {
		g := open(t, setup{provider: crashing{openAI(t, "openai", "", nil, noTimeouts)}})
		for range 2 {
			a := g.post("dev", chat("hi"))
			assert.Equal(t, 500, a.status)
			assert.Equal(t, "internal_error", errorOf(t, a)["code"])
			assert.NotContains(t, a.body, "canary")
		}
		require.Eventually(t, func() bool { return g.usage().Records == 2 }, generous, 5*time.Millisecond)
		all := g.records()
		require.Len(t, all, 4)
		assert.Equal(t, "crashed", all[1].payload["outcome"])
		a := g.post("dev", strings.Replace(chat("hello"), "gpt-test", "mock-echo", 1))
		content, _ := parseWhole(t, a.body)
		assert.Equal(t, "hello", content)
		g.end()
		assert.Contains(t, g.lines.String(), "the gateway panicked")
		assert.NotContains(t, g.lines.String(), "canary")
	})
	t.Run("in the middle of a stream", func(t *testing.T) {
		g := open(t, setup{provider: openAI(t, "openai", "", &panicking{}, noTimeouts), chain: redacting(t, "")})
		a := g.post("dev", chatStream("hi"))
		h := listen(t, a.body)
		assert.Equal(t, "one", h.content)
		assert.False(t, h.done)
		require.NotNil(t, h.err, a.body)
		assert.Equal(t, "internal_error", h.err["code"])
		assert.Equal(t, "crashed", g.outcome()["outcome"])
	})
}

// panicking is a client whose request body panics after its first piece.
type panicking struct{ pieces }

func (p *panicking) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	p.contentType, p.next = "text/event-stream", func(string) []string { return []string{roleEvent + textEvent("one")} }
	res, err := p.pieces.Do(ctx, r)
	res.Body = &panickingBody{res.Body}
	return res, err
}

type panickingBody struct{ upstream.Body }

func (b *panickingBody) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	if err != nil {
		panic("canary")
	}
	return n, nil
}
