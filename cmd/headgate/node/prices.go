package node

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/providers"
)

// Prices looks prices up in the database, then in the configuration, then in the data file by provider type. A
// runtime's stages and router hold it; a price change swaps a table within it.
type Prices struct {
	types map[string]string
	own   []store.PriceRecord
	now   func() time.Time
	table atomic.Pointer[meter.PriceTable]
}

// BuildPrices returns the prices of a configuration and its database.
func BuildPrices(cfg *config.Config, stored []store.PriceRecord) *Prices {
	p := newPrices(cfg, nil)
	p.adopt(stored)
	return p
}

func newPrices(cfg *config.Config, now func() time.Time) *Prices {
	p := &Prices{types: make(map[string]string, len(cfg.Providers)), now: now}
	for name, c := range cfg.Providers {
		p.types[name] = c.Type
	}
	for i := range cfg.Pricing {
		p.own = append(p.own, convertFilePrice(&cfg.Pricing[i], p.normalizeProvider(cfg.Pricing[i].Provider)))
	}
	p.adopt(nil)
	return p
}

var (
	_ price.Lookup = (*Prices)(nil)
	_ route.Prices = (*Prices)(nil)
)

// normalizeProvider returns the gateway's name of a provider: azure is azure-openai, unless there is
// one of that name.
func (p *Prices) normalizeProvider(provider string) string {
	if provider == "azure" && p.types[provider] == "" {
		return "azure-openai"
	}
	return provider
}

// formatFilePriceID derives the id of a configuration entry from its content. Of two for one pattern and date the first
// applies, so the id need not distinguish them.
func formatFilePriceID(c *config.Price, provider string) string {
	sum := sha256.Sum256([]byte("headgate file price\x00" + provider + "\x00" + c.Model + "\x00" + c.EffectiveDate.UTC().Format(time.RFC3339)))
	return encodeID(sum[:10])
}

// convertFilePrice converts an entry of the configuration.
func convertFilePrice(c *config.Price, provider string) store.PriceRecord {
	return store.PriceRecord{Provider: provider, Model: c.Model, Effective: c.EffectiveDate, Price: price.Price{
		ID:          formatFilePriceID(c, provider),
		Input:       int64(c.InputPricePerMillion),
		Output:      int64(c.OutputPricePerMillion),
		Cached:      int64(c.CachedInputPricePerMillion),
		Written:     int64(c.CacheWritePricePerMillion),
		Reasoning:   int64(c.ReasoningPricePerMillion),
		Batch:       c.BatchPercent,
		Media:       int64(c.MediaInputPricePerMillion),
		MediaOutput: int64(c.MediaOutputPricePerMillion),
		Image:       int64(c.PricePerImage), Second: int64(c.PricePerSecond), Search: int64(c.PricePerSearch),
		Characters: int64(c.CharacterPricePerMillion),
	}}
}

// adopt puts the entries of the database in force.
func (p *Prices) adopt(stored []store.PriceRecord) {
	entries := slices.Clone(stored)
	for i := range entries {
		entries[i].Provider = p.normalizeProvider(entries[i].Provider)
	}
	slices.Reverse(entries) // of two for the same pattern and date, the newer one applies
	p.table.Store(meter.NewPriceTable(p.now, p.findListed, entries, p.own))
}

// FindPriceAt returns the price of a model at a time, or nil if it is unknown.
func (p *Prices) FindPriceAt(provider, model string, at time.Time) *price.Price {
	return p.table.Load().FindPriceAt(p.normalizeProvider(provider), model, at)
}

// FindPrice returns the current price, or nil if it is unknown.
func (p *Prices) FindPrice(provider, model string) *price.Price {
	return p.table.Load().FindPrice(provider, model)
}

// FindPerToken returns the highest cost of a single token, in units of 1e-10 USD.
func (p *Prices) FindPerToken(provider, model string) (input, output int64, ok bool) {
	price := p.FindPrice(provider, model)
	if price == nil {
		return 0, 0, false
	}
	input, output = price.PerToken()
	return input, output, true
}

// FindCallPrice returns the cost of one input and one output token.
func (p *Prices) FindCallPrice(provider, model string) (int64, bool) {
	in, out, ok := p.FindPerToken(provider, model)
	return in + out, ok
}

// findListed returns the price in the data file. The mock is free.
func (p *Prices) findListed(provider, model string) *price.Price {
	typ := p.types[provider]
	if typ == "" {
		typ = provider
	}
	if typ == "mock" {
		return &price.Price{ID: "list:mock", Cached: -1, Written: -1, Reasoning: -1}
	}
	f, err := providers.FindFacts(typ, strings.Clone(model)) // clone: the strings may alias the exchange's memory
	if err != nil || strings.Join(f.Price.ListFigures(), "") == "" {
		return nil
	}
	price := &price.Price{ID: "list:" + typ + "/" + f.PriceFrom, Cached: -1, Written: -1, Reasoning: -1, Batch: f.Batch}
	for _, part := range []struct {
		into *int64
		text string
	}{
		{&price.Input, f.Price.Input},
		{&price.Output, f.Price.Output},
		{&price.Cached, f.Price.Cached},
		{&price.Media, f.Price.Media},
		{&price.MediaOutput, f.Price.MediaOutput},
		{&price.Image, f.Price.Image},
		{&price.Second, f.Price.Second},
		{&price.Search, f.Price.Search},
		{&price.Characters, f.Price.Characters},
	} {
		if part.text == "" { // a model without output or cache prices
			continue
		}
		usd, err := money.Parse(part.text)
		if err != nil {
			return nil // validated when it was loaded
		}
		*part.into = int64(usd)
	}
	if f.CacheWrite != 0 {
		price.Written = price.Input / 100 * f.CacheWrite
	}
	return price
}
