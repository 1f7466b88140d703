package node

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/manage/console"
)

// listedProvider is a provider with models and a catalogue.
type listedProvider struct {
	route.Provider
	models, catalogue []string
}

func (p listedProvider) Models() []string    { return p.models }
func (p listedProvider) Catalogue() []string { return p.catalogue }

func (p listedProvider) FindCapabilities(model string) route.Capabilities {
	return route.Capabilities{MaxContextTokens: 1000 * len(model)}
}

// newListedRuntime returns a runtime in which the providers eu and us know gpt-4o, and clients reach mock only by a route.
func newListedRuntime(t testing.TB, prices ...config.Price) *snapshot.Runtime {
	t.Helper()
	router, err := route.New([]route.Route{
		{Pattern: "house", Targets: []route.Target{{Provider: "mock", ModelOverride: "mock-echo"}}},
		{Pattern: "gpt-*", Targets: []route.Target{{Provider: "eu", Region: "eu"}}},
	}, map[string][]string{"eu": nil, "us": nil, "mock": nil}, route.OpenProviders("us"))
	require.NoError(t, err)
	return &snapshot.Runtime{
		Router: router, Traffic: route.Traffic{},
		Providers: map[string]route.Provider{
			"eu":   listedProvider{models: []string{"gpt-4o"}},
			"us":   listedProvider{catalogue: []string{"gpt-4o", "tiny"}},
			"mock": listedProvider{},
		},
		Prices: newPrices(&config.Config{Providers: map[string]config.Provider{"eu": {}, "us": {}, "mock": {}}, Pricing: prices}, nil),
	}
}

func TestTheCatalogueNamesTheModelsOfRoutesProvidersAndPrices(t *testing.T) {
	rt := newListedRuntime(t, filePrice(t, "eu", "gpt-4o", "7", "8"), filePrice(t, "eu", "own-*", "1", "1"), filePrice(t, "gone", "old", "1", "2"))
	assert.Equal(t, []console.Model{
		{Name: "gpt-4o", Providers: []string{"eu", "us"}},
		{Name: "house", Providers: []string{"mock"}},
		{Name: "old", Providers: []string{"gone"}},
		{Name: "tiny", Providers: []string{"us"}},
	}, listKnownModels(rt))
	for _, c := range []struct {
		name, model, region string
		want                string
	}{
		{"a route leads to one, the prefix to the other", "gpt-4o", "", "eu 6000 70000000000 reached, us 6000 - prefixed"},
		{"in another region only the prefixes remain", "gpt-4o", "us", "eu 6000 70000000000 prefixed, us 6000 - prefixed"},
		{"the facts are those of the model that is sent", "house", "", "mock 9000 0 reached"},
		{"a provider that does not exist", "old", "", "gone 0 10000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range listKnownModels(rt) {
				if m.Name == c.model {
					assert.Equal(t, c.want, describeOffers(findOffers(rt, m, c.region)))
				}
			}
		})
	}
}

func describeOffers(offers []console.Offer) (text string) {
	for i, o := range offers {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %d ", o.Provider, o.Context)
		if o.Price != nil {
			text += fmt.Sprint(o.Price.Input)
		} else {
			text += "-"
		}
		switch {
		case o.Prefixed:
			text += " prefixed"
		case o.Reached:
			text += " reached"
		}
	}
	return text
}

// A page lists 5,000 models and looks up 50.
func BenchmarkTheCatalogueOf5000Models(b *testing.B) {
	var prices []config.Price
	for i := range 5000 {
		prices = append(prices, filePrice(b, "eu", fmt.Sprintf("gpt-%04d", i), "1", "2"))
	}
	rt := newListedRuntime(b, prices...)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range listKnownModels(rt)[4000:4050] {
			findOffers(rt, m, "")
		}
	}
}
