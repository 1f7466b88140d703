package meter

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
)

// PriceTable finds the price in force: first in the entries of the store, then in those of the file, then in the data
// list. Within one of them the most specific pattern wins: a name before a glob, and of globs the one with more letters
// that are not * or ?. Of equal patterns the entry with the newest date that is not in the future wins. Apart from a
// cache, a table is immutable. A lookup takes no lock.
type PriceTable struct {
	layers [][]store.PriceRecord
	list   func(provider, model string) *price.Price
	now    func() time.Time

	mu    sync.Mutex
	known atomic.Pointer[map[priceRef]*currentPrice] // copied when it grows
}

type priceRef struct{ provider, model string }

// currentPrice is the price of a model, and when the next one takes effect, in microseconds since 1970.
type currentPrice struct {
	price *price.Price
	until int64
}

// pricesKnown limits the cache, because clients choose the names of models. A full cache is emptied.
const pricesKnown = 1024

// NewPriceTable returns a table of layers, which are searched in order, and of a list that returns nil for unknown
// models. now is the system's clock by default.
func NewPriceTable(now func() time.Time, list func(provider, model string) *price.Price, layers ...[]store.PriceRecord) *PriceTable {
	if now == nil {
		now = time.Now
	}
	t := &PriceTable{list: list, now: now}
	for _, l := range layers {
		l = slices.Clone(l)
		slices.SortStableFunc(l, func(a, b store.PriceRecord) int {
			return cmp.Or(cmp.Compare(rankPattern(b.Model), rankPattern(a.Model)), b.Effective.Compare(a.Effective))
		})
		t.layers = append(t.layers, l)
	}
	t.known.Store(&map[priceRef]*currentPrice{})
	return t
}

// rankPattern orders patterns: the larger, the fewer models match.
func rankPattern(pattern string) int {
	wild := strings.Count(pattern, "*") + strings.Count(pattern, "?")
	if wild == 0 {
		return math.MaxInt
	}
	return len(pattern) - wild
}

// FindPrice returns the price in force for a provider's model, or nil if it is unknown. The caller must not modify it.
func (t *PriceTable) FindPrice(provider, model string) *price.Price {
	r, ok := (*t.known.Load())[priceRef{provider, model}]
	if ok && (r.until == math.MaxInt64 || t.now().UnixMicro() < r.until) {
		return r.price
	}
	return t.loadPrice(provider, model)
}

func (t *PriceTable) loadPrice(provider, model string) *price.Price {
	r := t.find(provider, model, t.now())
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.known.Load()
	if len(old) >= pricesKnown {
		old = nil
	}
	grown := make(map[priceRef]*currentPrice, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[priceRef{strings.Clone(provider), strings.Clone(model)}] = r // cloned: the names may be parts of a request's buffer
	t.known.Store(&grown)
	return r.price
}

// find looks the price up without the cache.
func (t *PriceTable) find(provider, model string, now time.Time) *currentPrice {
	r := &currentPrice{until: math.MaxInt64}
	for _, layer := range t.layers {
		for i := range layer {
			e := &layer[i]
			if e.Provider != provider || !match.MatchesModel(e.Model, model) {
				continue
			}
			if e.Effective.After(now) {
				r.until = min(r.until, e.Effective.UnixMicro())
				continue
			}
			r.price = &e.Price
			return r
		}
	}
	if t.list != nil {
		r.price = t.list(provider, model)
	}
	return r
}

// VisitModels calls visit with the provider and the model of each entry of the layers. A model can be a pattern, and can be
// visited several times.
func (t *PriceTable) VisitModels(visit func(provider, model string)) {
	for _, layer := range t.layers {
		for i := range layer {
			visit(layer[i].Provider, layer[i].Model)
		}
	}
}

// FindPriceAt returns the price in force at a past or future time, according to the current entries.
func (t *PriceTable) FindPriceAt(provider, model string, at time.Time) *price.Price {
	return t.find(provider, model, at).price
}
