package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/route"
	"github.com/headgate-dev/headgate/providers"
)

// prices are those of the configuration, and else those of the data file by the type
// of each provider. What was looked up is kept: each exchange asks.
type prices struct {
	types map[string]string
	own   []config.Price
	mu    sync.RWMutex
	known map[modelRef]price
}

type modelRef struct{ provider, model string }

type price struct {
	input, output int64
	ok            bool
}

// mostPrices bounds what is kept: models are named by clients. Then all is looked up
// again.
const mostPrices = 4096

func pricesOf(cfg *config.Config) *prices {
	p := &prices{types: make(map[string]string, len(cfg.Providers)), own: slices.Clone(cfg.Pricing), known: map[modelRef]price{}}
	for name, c := range cfg.Providers {
		p.types[name] = c.Type
	}
	for i := range p.own {
		if o := &p.own[i]; o.Provider == "azure" && p.types[o.Provider] == "" { // the other name of azure-openai
			o.Provider = "azure-openai"
		}
	}
	return p
}

var (
	_ core.Prices  = (*prices)(nil)
	_ route.Prices = (*prices)(nil)
)

// PerToken gives the price of a token in units of 1e-10 USD. The mock costs nothing.
func (p *prices) PerToken(provider, model string) (input, output int64, ok bool) {
	ref := modelRef{provider, model}
	p.mu.RLock()
	got, there := p.known[ref]
	p.mu.RUnlock()
	if !there {
		got = p.find(provider, model)
		ref.provider, ref.model = strings.Clone(provider), strings.Clone(model) // which may be an exchange's own
		p.mu.Lock()
		if len(p.known) >= mostPrices {
			clear(p.known)
		}
		p.known[ref] = got
		p.mu.Unlock()
	}
	return got.input, got.output, got.ok
}

func (p *prices) find(provider, model string) price {
	for i := range p.own {
		if o := &p.own[i]; o.Provider == provider && core.Glob(o.Model, model) {
			return price{int64(math.Round(o.InputPricePerMillion * 1e4)), int64(math.Round(o.OutputPricePerMillion * 1e4)), true}
		}
	}
	typ := p.types[provider]
	if typ == "" {
		typ = provider
	}
	if typ == "mock" {
		return price{ok: true}
	}
	f, err := providers.Known(typ, model)
	if err != nil || f.Price.Input == "" {
		return price{}
	}
	if f.Price.Output == "" { // of a model that writes nothing
		return price{input: units(f.Price.Input), ok: true}
	}
	return price{units(f.Price.Input), units(f.Price.Output), true}
}

// Cost is that of one token read and one written.
func (p *prices) Cost(provider, model string) (int64, bool) {
	in, out, ok := p.PerToken(provider, model)
	return in + out, ok
}

// units turns USD for a million tokens into 1e-10 USD for one.
func units(perMillion string) int64 {
	usd, err := strconv.ParseFloat(perMillion, 64)
	if err != nil {
		return 0 // the data file was checked when it was read
	}
	return int64(usd*1e4 + 0.5)
}
