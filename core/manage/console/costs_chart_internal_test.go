package console

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

func TestASplitChartNamesOnlyTheMostExpensiveParts(t *testing.T) {
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var parts []admin.CostPart
	for key := range 1000 {
		for d := range 2 {
			parts = append(parts, admin.CostPart{
				Tenant: "t", Key: fmt.Sprint("k", key), Day: first.AddDate(0, 0, d), Cost: money.Amount(key+1) * money.USD,
			})
		}
	}
	named := map[string]int{}
	p := &costPage{costSums: &costSums{Split: splitCosts("key", parts)}, split: "key", partName: func(_ string, c *admin.CostPart) string {
		named[c.Key]++
		return c.Key
	}}
	require.Len(t, p.Split, maxSeries+1)
	assert.Len(t, p.Split[maxSeries].days, 2, "one entry per day, since the result is cached")
	series := p.splitSeries(first, 2)
	require.Len(t, series, maxSeries+1)
	assert.Equal(t, "k999", series[0].Name)
	assert.Equal(t, []float64{1000, 1000}, series[0].Values)
	assert.Equal(t, "others", series[maxSeries].Name)
	assert.InDelta(t, 995*996/2, series[maxSeries].Values[1], .1)
	assert.Len(t, named, maxSeries, "each name is looked up once")

	models := []admin.CostPart{{Provider: "a", Model: "m", Cost: money.USD, Day: first}, {Provider: "b", Model: "m", Cost: money.USD, Day: first}}
	require.Len(t, splitCosts("model", models), 1, "a model is one part, whoever serves it")
	assert.Empty(t, splitCosts("model", nil))
}
