package meter

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
)

func entry(id, provider, model string, effective time.Time) store.PriceRecord {
	return store.PriceRecord{
		Provider:  provider,
		Model:     model,
		Effective: effective,
		Price:     price.Price{ID: id, Input: 1, Cached: -1, Written: -1, Reasoning: -1},
	}
}

func idOf(p *price.Price) string {
	if p == nil {
		return ""
	}
	return p.ID
}

func TestTheMostSpecificPriceOfTheFirstListWins(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	list := func(_, model string) *price.Price {
		if model == "listed" || model == "gpt-4o" {
			return &price.Price{ID: "list"}
		}
		return nil
	}
	table := NewPriceTable(func() time.Time { return now }, list, []store.PriceRecord{
		entry("star", "p", "gpt-*", time.Time{}),
		entry("mini", "p", "gpt-4o-mini*", time.Time{}),
		entry("old", "p", "gpt-4o", now.Add(-48*time.Hour)),
		entry("new", "p", "gpt-4o", now.Add(-time.Hour)),
		entry("coming", "p", "gpt-4o", now.Add(time.Hour)),
		entry("other", "q", "*", time.Time{}),
	}, []store.PriceRecord{
		entry("file", "p", "gpt-4o", time.Time{}),
		entry("file-all", "p", "claude*", time.Time{}),
	})
	for _, c := range []struct{ provider, model, want string }{
		{"p", "gpt-4o", "new"},
		{"p", "gpt-4o-mini-2024", "mini"},
		{"p", "gpt-x", "star"},
		{"p", "claude-3", "file-all"},
		{"p", "listed", "list"},
		{"p", "nobody", ""},
		{"q", "gpt-4o", "other"},
		{"r", "gpt-4o", "list"},
	} {
		for range 2 {
			assert.Equal(t, c.want, idOf(table.FindPrice(c.provider, c.model)), "%s/%s", c.provider, c.model)
		}
	}
	assert.Equal(t, "old", idOf(table.FindPriceAt("p", "gpt-4o", now.Add(-24*time.Hour))))
	assert.Equal(t, "star", idOf(table.FindPriceAt("p", "gpt-4o", now.Add(-72*time.Hour))), "the name was not priced yet")
	now = now.Add(time.Hour)
	assert.Equal(t, "coming", idOf(table.FindPrice("p", "gpt-4o")), "it comes into force by the clock")
}

func TestModelsThatClientsInventDoNotFillTheTable(t *testing.T) {
	table := NewPriceTable(nil, nil, []store.PriceRecord{entry("all", "p", "*", time.Time{})})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 1000 {
				assert.Equal(t, "all", idOf(table.FindPrice("p", fmt.Sprint(g, i))))
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, len(*table.known.Load()), pricesKnown)
}

func BenchmarkPrice(b *testing.B) {
	table := NewPriceTable(nil, nil, []store.PriceRecord{entry("all", "openai", "gpt-*", time.Time{})})
	b.ReportAllocs()
	for b.Loop() {
		table.FindPrice("openai", "gpt-4o-mini")
	}
}
