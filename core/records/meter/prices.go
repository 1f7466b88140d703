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
)

// PriceEntry is one line of a price list: what the models that a pattern fits cost at a provider.
type PriceEntry struct {
	Provider  string
	Model     string    // a name, or a glob
	Effective time.Time // when the price comes into force; zero: it always was
	price.Price
}

// PriceTable is what is in force: entries of the store before those of the file, and these before what a data list
// knows. Within one of them the most specific pattern wins: a name before a glob, of globs the one with more letters
// that are not * or ?; of the same pattern the entry with the newest date that is not in the future. It is immutable,
// but for what it remembers, and asking it takes no lock.
type PriceTable struct {
	layers [][]PriceEntry
	list   func(provider, model string) *price.Price
	now    func() time.Time

	mu    sync.Mutex
	known atomic.Pointer[map[priceRef]*ruling] // copied when it grows
}

type priceRef struct{ provider, model string }

// ruling is the price of a model, and until when nothing else comes into force, in microseconds since 1970.
type ruling struct {
	price *price.Price
	until int64
}

// pricesKnown bounds the models that are remembered: clients name them. When there is no more room all are forgotten.
const pricesKnown = 1024

// NewPriceTable makes a table of layers, the first before the others, above a list that gives nil for what it does not
// know. nil for now means the system's clock.
func NewPriceTable(now func() time.Time, list func(provider, model string) *price.Price, layers ...[]PriceEntry) *PriceTable {
	if now == nil {
		now = time.Now
	}
	t := &PriceTable{list: list, now: now}
	for _, l := range layers {
		l = slices.Clone(l)
		slices.SortStableFunc(l, func(a, b PriceEntry) int {
			return cmp.Or(cmp.Compare(specificity(b.Model), specificity(a.Model)), b.Effective.Compare(a.Effective))
		})
		t.layers = append(t.layers, l)
	}
	t.known.Store(&map[priceRef]*ruling{})
	return t
}

// specificity orders patterns: the larger, the fewer models are meant.
func specificity(pattern string) int {
	wild := strings.Count(pattern, "*") + strings.Count(pattern, "?")
	if wild == 0 {
		return math.MaxInt
	}
	return len(pattern) - wild
}

// Price gives the price that is in force for a provider's model; nil: none is known. The price must not be changed.
func (t *PriceTable) Price(provider, model string) *price.Price {
	r, ok := (*t.known.Load())[priceRef{provider, model}]
	if ok && (r.until == math.MaxInt64 || t.now().UnixMicro() < r.until) {
		return r.price
	}
	return t.remember(provider, model)
}

func (t *PriceTable) remember(provider, model string) *price.Price {
	r := t.find(provider, model, t.now())
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.known.Load()
	if len(old) >= pricesKnown {
		old = nil
	}
	grown := make(map[priceRef]*ruling, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[priceRef{strings.Clone(provider), strings.Clone(model)}] = r // which may be an exchange's own
	t.known.Store(&grown)
	return r.price
}

// find looks the price up, without remembering it.
func (t *PriceTable) find(provider, model string, now time.Time) *ruling {
	r := &ruling{until: math.MaxInt64}
	for _, layer := range t.layers {
		for i := range layer {
			e := &layer[i]
			if e.Provider != provider || !match.GlobModel(e.Model, model) {
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

// At gives the price that was, is or will be in force at a time, by the entries that are there now.
func (t *PriceTable) At(provider, model string, at time.Time) *price.Price {
	return t.find(provider, model, at).price
}
