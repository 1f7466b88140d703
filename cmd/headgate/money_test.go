package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cost is a cost record as the administrative API shows it.
type cost struct {
	Total    json.Number `json:"totalCost"`
	Price    string      `json:"pricingId"`
	Provider string      `json:"provider"`
	Model    string      `json:"model"`
}

// costs returns the cost records, newest first.
func (g *gate) costs() (list []cost) {
	g.t.Helper()
	a, err := g.client(ownerToken).do("GET", "/admin/v1/costs", nil)
	require.NoError(g.t, err)
	require.Equal(g.t, http.StatusOK, a.status, a.body)
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &list), a.body)
	return list
}

func TestPricesAndBudgetsAreLive(t *testing.T) {
	t.Parallel()
	up := newMetered(t)
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(configText(up.URL, "  - {stage: budget, config: {least_output_tokens: 0}}\n")+testPricing))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	ask := func() int {
		a, err := c.do("POST", "/v1/chat/completions", askFor(50))
		require.NoError(t, err)
		return a.status
	}
	require.Equal(t, 200, ask())
	eventually(t, "the exchange is booked", func() bool { return len(g.costs()) == 1 })
	first := g.costs()[0]
	assert.Equal(t, json.Number("0.00011"), first.Total)
	assert.Equal(t, "file", g.admin(200, "GET", "/pricing/"+first.Price, "")["source"])

	price := g.admin(201, "POST", "/pricing", `{"model":"gpt-x","provider":"real","inputPricePerMillion":10,"outputPricePerMillion":20.5}`)["id"].(string)
	n := 1
	eventually(t, "the new price is in force", func() bool {
		require.Equal(t, 200, ask())
		n++
		eventually(t, "the exchange is booked", func() bool { return len(g.costs()) == n })
		return g.costs()[0].Price == price
	})
	list := g.costs()
	assert.Equal(t, json.Number("0.001125"), list[0].Total)
	assert.Equal(t, first, list[n-1], "earlier exchanges keep their cost")

	// The budget counts earlier spending, so it has no room for another call.
	budget := "/budgets/" + g.admin(201, "POST", "/budgets", `{"name":"live","tenantId":"default","limitUsd":0.0014}`)["id"].(string)
	eventually(t, "the budget is in force", func() bool { return ask() == 429 })
	spent := g.admin(200, "GET", budget+"/usage", "")
	g.admin(200, "PUT", budget, `{"limitUsd":1}`)
	eventually(t, "the new limit is in force", func() bool { return ask() == 200 })
	eventually(t, "the exchange is booked", func() bool {
		return g.admin(200, "GET", budget+"/usage", "")["currentSpend"].(float64) > spent["currentSpend"].(float64)
	})
	g.admin(200, "PUT", budget, `{"limitUsd":0.0014}`)
	eventually(t, "a change keeps the spending", func() bool { return ask() == 429 })
	g.admin(204, "DELETE", budget, "")
	eventually(t, "the budget is gone", func() bool { return ask() == 200 })

	g.admin(204, "DELETE", "/pricing/"+price, "")
	eventually(t, "the price of the file is in force again", func() bool {
		require.Equal(t, 200, ask())
		return g.costs()[0].Price == first.Price
	})
	g.stop()
	out := s.run("prices", "--config", "gateway.yaml", "real", "gpt-x")
	require.Zero(t, out.code, out.err)
	assert.Contains(t, out.out, first.Price)
	assert.Contains(t, strings.Join(strings.Fields(out.out), " "), "gpt-x 1 same same 2 same 100%")
	assert.Contains(t, s.run("costs", "rebuild", "--config", "gateway.yaml").out, "records were added up")
}
