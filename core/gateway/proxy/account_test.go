package proxy_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/price"
)

// flat are prices that are the same for every model.
type flat struct{ input, output int64 }

func (f flat) FindPerToken(provider, _ string) (input, output int64, ok bool) {
	return f.input, f.output, provider != "unpriced"
}

func (f flat) FindPrice(provider, model string) *price.Price {
	in, out, ok := f.FindPerToken(provider, model)
	if !ok {
		return nil
	}
	return &price.Price{ID: "flat", Input: 1e6 * in, Output: 1e6 * out, Cached: -1, Written: -1, Reasoning: -1}
}

func setPrices(rt *snapshot.Runtime) { rt.Prices = flat{1_500, 6_000} }

// streamEnded records an exchange when it ends.
type streamEnded struct{ x chan core.Exchange }

func (e streamEnded) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (e streamEnded) Finish(_ context.Context, x *core.Exchange, _ any) {
	e.x <- core.Exchange{Usage: x.Usage, Cost: x.Cost, Priced: x.Priced, Attempts: append([]core.Attempt(nil), x.Attempts...)}
}

func TestWhatAnExchangeHasCostIsExact(t *testing.T) {
	seen := streamEnded{make(chan core.Exchange, 1)}
	g := open(t, setup{
		url:   newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url,
		links: []chain.Link{link("ended", seen, core.Request)}, runtime: setPrices,
	})
	require.Equal(t, 200, g.post("dev", chat("hello")).status)
	x := <-seen.x
	require.True(t, x.Usage.Reported)
	assert.True(t, x.Priced)
	assert.Equal(t, 1_500*x.Usage.Input+6_000*x.Usage.Output, x.Cost)
	assert.Equal(t, x.Cost, g.usage().Cost)
}

func TestAnAnswerThatItsProviderDoesNotCountIsEstimated(t *testing.T) {
	for name, raw := range map[string]string{
		"streamed": stream(roleEvent, textEvent(tale), stopEvent, doneEvent),
		"whole":    buildWhole(200, "application/json", `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"`+tale+`"},"finish_reason":"stop"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			seen := streamEnded{make(chan core.Exchange, 1)}
			g := open(t, setup{url: newFake(t, says(raw)).url, links: []chain.Link{link("ended", seen, core.Request)}, runtime: setPrices})
			require.Equal(t, 200, g.post("dev", chatBody("hello", name == "streamed")).status)
			x := <-seen.x
			assert.True(t, x.Usage.Estimated)
			assert.InDelta(t, tokensOf(t, tale), x.Usage.Output, 1)
			assert.Positive(t, x.Usage.Input)
			assert.Equal(t, 1_500*x.Usage.Input+6_000*x.Usage.Output, x.Cost)
		})
	}
}

// The first provider's answer is unusable, the second's is not. Both calls are charged.
func TestACallThatBroughtNothingIsPaidForAllTheSame(t *testing.T) {
	seen := streamEnded{make(chan core.Exchange, 1)}
	up := newFake(t, says(buildWhole(200, "text/html", "<p>"+tale+"</p>")))
	good := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{
		targets: []route.Provider{newProvider(t, "openai", up.url), newProvider(t, "groq", good.url)}, url: up.url,
		links: []chain.Link{link("ended", seen, core.Request)},
		runtime: func(rt *snapshot.Runtime) {
			setPrices(rt)
			rt.Traffic.Retry = route.RetrySettings{Attempts: 1, Lost: true}
		},
	})
	require.Equal(t, 200, g.post("dev", strings.Replace(chat("hello"), "gpt-test", "many", 1)).status)
	x := <-seen.x
	require.Len(t, x.Attempts, 2)
	first := x.Attempts[0].Usage
	assert.Positive(t, first.Input)
	assert.True(t, x.Usage.Estimated)
	assert.Greater(t, x.Usage.Input, first.Input)
	assert.Equal(t, 1_500*x.Usage.Input+6_000*x.Usage.Output, x.Cost)
	assert.Equal(t, x.Cost, g.usage().Cost)
}

func TestWithoutAPriceTheCostIsNotKnown(t *testing.T) {
	seen := streamEnded{make(chan core.Exchange, 1)}
	g := open(
		t,
		setup{
			url:   newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url,
			links: []chain.Link{link("ended", seen, core.Request)},
		},
	)
	require.Equal(t, 200, g.post("dev", chat("hello")).status)
	x := <-seen.x
	assert.False(t, x.Priced)
	assert.Zero(t, x.Cost)
}
