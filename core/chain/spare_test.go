package chain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Buffers of one stream serve the next of the same exchange: nothing that a stream has held, found or sent may show in another.
func TestAStreamStartsEmptyWhateverTheOneBeforeHeld(t *testing.T) {
	filtering := func(f filterFunc) *guard {
		return &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return f, nil }}
	}
	holding := filtering(func(w core.Window) (core.Verdict, int, error) {
		v := core.Verdict{Action: core.Pass, Findings: []core.Finding{{Label: "seen", Start: w.Sent, End: len(w.Text)}}}
		if w.Last {
			return v, 0, nil
		}
		return v, min(len(w.Text)-w.Sent, 40), nil
	})
	chains := []*chain.Chain{
		newChain(t, nil, link("upper", filtering(upper)), link("holding", holding)),
		newChain(t, nil, link("holding", holding)),
		newChain(t, nil, link("a", holding), link("b", filtering(upper)), link("c", holding)),
	}
	texts := []string{"one two three", "four", strings.Repeat("a long text of many words ", 40), "x", strings.Repeat("y", 9<<10)}
	x := &core.Exchange{}
	for i := range 60 {
		c, text, whole := chains[i%3], texts[i%len(texts)], i%4 != 0
		events := []string{contentOf(0, text), argsOf(1, fmt.Sprintf(`{"a":"%d %s"}`, i, text)), contentOf(0, " and more "+text)}
		want := streamOn(t, c, &core.Exchange{}, events, whole)
		x.Reset()
		require.Equal(t, want, streamOn(t, c, x, events, whole), "stream %d", i)
	}
}

// streamOn runs events through a chain on an exchange, to the end or as a stream that breaks off, and returns what was sent and found.
func streamOn(t testing.TB, c *chain.Chain, x *core.Exchange, events []string, whole bool) string {
	t.Helper()
	ctx, d := context.Background(), openai.Chat{}
	x.Request.Raw = []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`)
	require.Nil(t, d.Scan(x))
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, d)
	require.Nil(t, e)
	var out []byte
	var ev core.Event
	for _, raw := range events {
		ev.Reset([]byte(raw))
		require.NoError(t, d.ScanEvent(x, &ev), raw)
		out, e = s.RunEvent(ctx, &ev, out)
		require.Nil(t, e)
	}
	if whole {
		out, e = s.End(ctx, out)
		require.Nil(t, e)
	}
	s.Close(ctx)
	for _, f := range x.Findings {
		out = fmt.Appendln(out, f.Link, f.Label, f.Start, f.End)
	}
	return string(out)
}

func TestTheNextStreamOfAnExchangeGrowsNoBuffers(t *testing.T) {
	shouting := &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) { return filterFunc(upper), nil }}
	c := newChain(t, nil, link("a", shouting), link("b", shouting))
	events := []string{contentOf(0, strings.Repeat("some text ", 50)), contentOf(0, strings.Repeat("more text ", 50))}
	fresh := testing.AllocsPerRun(100, func() { streamOn(t, c, &core.Exchange{}, events, true) })
	x := &core.Exchange{}
	again := testing.AllocsPerRun(100, func() { x.Reset(); streamOn(t, c, x, events, true) })
	assert.Less(t, again, fresh-4, "two links have two buffers each")
}
