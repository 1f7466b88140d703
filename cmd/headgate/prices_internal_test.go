package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/config"
)

func testPrices() *prices {
	return pricesOf(&config.Config{
		Providers: map[string]config.Provider{"eu": {Type: "openai"}, "mock": {Type: "mock"}, "azure-openai": {Type: "azure-openai"}},
		Pricing: []config.Price{
			{Provider: "eu", Model: "own-*", InputPricePerMillion: 0.0001, OutputPricePerMillion: 1234.5678},
			{Provider: "eu", Model: "gpt-4o", InputPricePerMillion: 7, OutputPricePerMillion: 0},
			{Provider: "azure", Model: "my-own", InputPricePerMillion: 1, OutputPricePerMillion: 2},
		},
	})
}

func TestThePricesOfTheFileComeBeforeTheGatewaysOwn(t *testing.T) {
	p := testPrices()
	for range 2 { // looked up, and remembered
		for name, want := range map[modelRef]price{
			{"eu", "own-1"}:                  {1, 12_345_678, true},
			{"eu", "gpt-4o"}:                 {70_000, 0, true},
			{"eu", "gpt-4o-mini"}:            {1_500, 6_000, true},
			{"eu", "text-embedding-3-small"}: {200, 0, true},
			{"eu", "nobody-knows"}:           {},
			{"mock", "mock-echo"}:            {ok: true},
			{"other", "own-1"}:               {},
			{"azure-openai", "my-own"}:       {10_000, 20_000, true},
		} {
			in, out, ok := p.PerToken(name.provider, name.model)
			assert.Equal(t, want, price{in, out, ok}, "%v", name)
		}
	}
	for i := range 3 * mostPrices {
		p.PerToken("eu", fmt.Sprint(i))
		assert.LessOrEqual(t, len(p.known), mostPrices)
	}
}

func BenchmarkPrice(b *testing.B) {
	p := testPrices()
	b.ReportAllocs()
	for b.Loop() {
		p.PerToken("eu", "gpt-4o-mini")
	}
}
