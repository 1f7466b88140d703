package chain_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// guard is a stage made of functions.
type guard struct {
	check  func(x *core.Exchange, p core.Phase, kept any) (core.Verdict, error)
	filter func(x *core.Exchange, kept any) (core.StreamFilter, error)
	finish func(x *core.Exchange, kept any)
}

var (
	_ core.StreamStage = (*guard)(nil)
	_ core.Finisher    = (*guard)(nil)
)

func (g *guard) Check(_ context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if g.check == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	return g.check(x, p, kept)
}

func (g *guard) Stream(_ context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	if g.filter == nil {
		return nil, nil
	}
	return g.filter(x, kept)
}

func (g *guard) Finish(_ context.Context, x *core.Exchange, kept any) {
	if g.finish != nil {
		g.finish(x, kept)
	}
}

// filterFunc is a filter that is one function.
type filterFunc func(w core.Window) (core.Verdict, int, error)

func (f filterFunc) Check(_ context.Context, w core.Window) (core.Verdict, int, error) { return f(w) }

func (filterFunc) Close(context.Context) error { return nil }

// vault mints placeholders that follow from the value, and knows every value it
// has seen.
type vault map[string]string

func (v vault) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(typ + "\x1f" + value))
	token := fmt.Sprintf("{{PII_%s_%016x}}", typ, h.Sum64())
	v[token] = strings.Clone(value)
	return token, nil
}

func (v vault) Resolve(_ context.Context, _ *core.Exchange, token string) (string, bool, error) {
	value, ok := v[token]
	return value, ok, nil
}

var anyPhase = core.NewPhaseSet(core.Request, core.Target, core.Response)

func link(name string, s core.Stage) chain.Link {
	return chain.Link{Name: name, Stage: s, Phases: anyPhase, Mode: chain.Enforce}
}

func newChain(t testing.TB, tokens core.Tokens, links ...chain.Link) *chain.Chain {
	t.Helper()
	c, err := chain.New(links, tokens)
	require.NoError(t, err)
	return c
}

// newRequest is an exchange with a scanned chat request.
func newRequest(t testing.TB, body string) *core.Exchange {
	t.Helper()
	x := &core.Exchange{Dialect: openai.ChatName}
	x.Request.Raw = []byte(body)
	require.Nil(t, openai.Chat{}.Scan(x), "the request must be accepted")
	return x
}

// setAnswer gives the exchange a scanned answer.
func setAnswer(t testing.TB, x *core.Exchange, body string) {
	t.Helper()
	x.Response.Reset()
	x.Response.Raw = []byte(body)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
}

const (
	helloRequest = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
	helloAnswer  = `{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`
)

// replacing edits every place where one of the words stands.
func replacing(body *core.Payload, words ...string) []core.Edit {
	var edits []core.Edit
	r := strings.NewReplacer(words...)
	for i := range body.Segments {
		text := body.ReadText(i)
		for k := 0; k+1 < len(words); k += 2 {
			for at := 0; ; {
				n := strings.Index(text[at:], words[k])
				if n < 0 {
					break
				}
				at += n
				edits = append(edits, core.Edit{Segment: i, Start: at, End: at + len(words[k]), With: r.Replace(words[k])})
				at += len(words[k])
			}
		}
	}
	return edits
}

// payload is the body that a phase is about.
func payload(x *core.Exchange, p core.Phase) *core.Payload {
	if p == core.Response {
		return &x.Response
	}
	return &x.Request
}

// rewriting is a stage that replaces words.
func rewriting(words ...string) *guard {
	return &guard{check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		return core.Verdict{Action: core.Rewrite, Edits: replacing(payload(x, p), words...)}, nil
	}}
}

// seeing is a stage that notes the texts it is shown.
func seeing(into *[]string) *guard {
	return &guard{check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		b := payload(x, p)
		for i := range b.Segments {
			*into = append(*into, p.String()+":"+strings.Clone(b.ReadText(i)))
		}
		return core.Verdict{Action: core.Pass}, nil
	}}
}
