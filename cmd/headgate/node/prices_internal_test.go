package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
)

func usd(t testing.TB, s string) money.Amount {
	t.Helper()
	a, err := money.Parse(s)
	require.NoError(t, err)
	return a
}

func filePrice(t testing.TB, provider, model, input, output string) config.Price {
	return config.Price{
		Provider: provider, Model: model, InputPricePerMillion: usd(t, input), OutputPricePerMillion: usd(t, output),
		CachedInputPricePerMillion: -1, CacheWritePricePerMillion: -1, ReasoningPricePerMillion: -1, BatchPercent: 100,
	}
}

func testPrices(t testing.TB) *Prices {
	return newPrices(&config.Config{
		Providers: map[string]config.Provider{
			"eu":           {Type: "openai"},
			"mock":         {Type: "mock"},
			"azure-openai": {Type: "azure-openai"},
			"anthropic":    {Type: "anthropic"},
		},
		Pricing: []config.Price{
			filePrice(t, "eu", "own-*", "0.0001", "1234.5678"),
			filePrice(t, "eu", "gpt-4o", "7", "0"),
			filePrice(t, "azure", "my-own", "1", "2"),
		},
	}, nil)
}

func TestThePricesOfTheFileComeBeforeTheGatewaysOwn(t *testing.T) {
	p := testPrices(t)
	for range 2 { // looked up, and remembered
		for _, c := range []struct {
			provider, model string
			in, out         int64
			known           bool
		}{
			{"eu", "own-1", 1, 12_345_678, true},
			{"eu", "gpt-4o", 70_000, 0, true},
			{"eu", "gpt-4o-mini", 1_500, 6_000, true},
			{"eu", "text-embedding-3-small", 200, 0, true},
			{"eu", "nobody-knows", 0, 0, false},
			{"mock", "mock-echo", 0, 0, true},
			{"other", "own-1", 0, 0, false},
			{"azure-openai", "my-own", 10_000, 20_000, true},
		} {
			in, out, ok := p.FindPerToken(c.provider, c.model)
			assert.Equal(t, []any{c.in, c.out, c.known}, []any{in, out, ok}, "%v", c)
		}
	}
}

func TestAStoredPriceComesBeforeTheFileAndIsInForceAtOnce(t *testing.T) {
	p := testPrices(t)
	ofFile := formatFilePriceID(&config.Price{Model: "gpt-4o"}, "eu")
	assert.Equal(t, ofFile, p.FindPrice("eu", "gpt-4o").ID)
	p.adopt([]store.PriceRecord{
		{Price: price.Price{ID: "older", Input: 1, Cached: -1, Written: -1, Reasoning: -1}, Provider: "eu", Model: "gpt-4o", Effective: time.Unix(1, 0)},
		{Price: price.Price{ID: "newer", Input: 2, Cached: -1, Written: -1, Reasoning: -1}, Provider: "eu", Model: "gpt-4o", Effective: time.Unix(1, 0)},
		{Price: price.Price{ID: "azure", Input: 2, Cached: -1, Written: -1, Reasoning: -1}, Provider: "azure", Model: "my-*", Effective: time.Unix(1, 0)},
	})
	assert.Equal(t, "newer", p.FindPrice("eu", "gpt-4o").ID, "of two for the same time the newer one")
	assert.Equal(t, "azure", p.FindPrice("azure-openai", "my-own").ID)
	p.adopt(nil)
	assert.Equal(t, ofFile, p.FindPrice("eu", "gpt-4o").ID)
}

func TestTheListKnowsWhatCachesAndBatchesCost(t *testing.T) {
	p := testPrices(t)
	gpt := p.FindPrice("eu", "gpt-4o-mini")
	require.NotNil(t, gpt)
	assert.Equal(t, []int64{1_500_000_000, 750_000_000, -1, 50}, []int64{gpt.Input, gpt.Cached, gpt.Written, gpt.Batch})
	assert.Equal(t, "list:openai/gpt-4o-mini@2025-07-04", gpt.ID)
	claude := p.FindPrice("anthropic", "claude-3-opus-20240229")
	require.NotNil(t, claude)
	assert.Equal(
		t,
		[]int64{150_000_000_000, 15_000_000_000, 187_500_000_000, 50},
		[]int64{claude.Input, claude.Cached, claude.Written, claude.Batch},
	)
	assert.EqualValues(t, 1_500_000, claude.ComputeCost(llm.Usage{Input: 100, Cached: 100}).Total(), "100 tokens at 1.50 USD per million")
}

func TestTheFilePricesUnitsToo(t *testing.T) {
	own := filePrice(t, "eu", "gpt-4o-mini-tts", "0", "0")
	own.CharacterPricePerMillion, own.PricePerImage = usd(t, "12"), usd(t, "0.04")
	p := newPrices(&config.Config{Providers: map[string]config.Provider{"eu": {Type: "openai"}}, Pricing: []config.Price{own}}, nil)
	u := llm.Usage{Units: llm.Units{Characters: 1_000_000, Images: 1}}
	assert.EqualValues(t, 120_400_000_000, p.FindPrice("eu", "gpt-4o-mini-tts").ComputeCost(u).Total())
	assert.EqualValues(t, 1_000_000, p.FindPrice("eu", "whisper-1").ComputeCost(llm.Usage{Units: llm.Units{Millis: 1000}}).Total(), "of the gateway's own list")
}

func BenchmarkPrice(b *testing.B) {
	p := testPrices(b)
	b.ReportAllocs()
	for b.Loop() {
		p.FindPerToken("eu", "gpt-4o-mini")
	}
}
