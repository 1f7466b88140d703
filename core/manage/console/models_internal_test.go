package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/price"
)

// manyModels are the models model-0000 to model-4999. The last one has no route.
type manyModels struct{ t testing.TB }

func (manyModels) ListModels() []Model {
	var out []Model
	for i := range 5000 {
		out = append(out, Model{fmt.Sprintf("model-%04d", i), []string{"vendor", "other"}})
	}
	return out
}

func (c manyModels) FindOffers(m Model, region string) []Offer {
	assert.Empty(c.t, region)
	if m.Name == "model-4999" {
		return []Offer{{Provider: "vendor"}}
	}
	p := &price.Price{Input: 1_5000000000, Cached: 7500000000, Output: 6_0000000000}
	return []Offer{{Provider: "vendor", Reached: true, Price: p, Context: 128000}, {Provider: "other", Reached: true, Prefixed: true}}
}

func TestTheCatalogueShowsPriceWindowAndProvidersOfManyModels(t *testing.T) {
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Catalogue = manyModels{t} })
	owner := s.signedIn(s.user("ada", auth.RoleOwner))
	first := owner.get("/models").body
	assert.Less(t, len(first), 150<<10)
	assert.Equal(t, pageSize, strings.Count(first, "<tr>")-1)
	row := cutBetween(t, first, ">model-0000", "</tr>")
	for _, want := range []string{"vendor, other (as other/model-0000)", "yes", "128,000", "$1.50", "$0.75", "$6.00"} {
		assert.Contains(t, row, want)
	}
	next := owner.get("/models?after=" + fmt.Sprintf("model-%04d", pageSize-1))
	require.Contains(t, first, `href="/models?after=`+fmt.Sprintf("model-%04d", pageSize-1)+`"`)
	assert.Contains(t, next.body, fmt.Sprintf("model-%04d", pageSize))
	found := owner.get("/models?q=" + url.QueryEscape("EL-499"))
	require.Equal(t, 200, found.status)
	assert.Equal(t, 10, strings.Count(found.body, "<tr>")-1)
	unreached := cutBetween(t, found.body, ">model-4999", "</tr>")
	assert.Contains(t, unreached, "vendor (no route)")
	assert.Contains(t, unreached, ">no<")
	assert.Contains(t, owner.get("/models?q=nothing").body, "No model or provider has this in its name.")
	assert.Equal(t, pageSize, strings.Count(owner.get("/models?q=VENDOR").body, "<tr>")-1, "a provider's name finds its models")
}

func TestPricesOfTheCatalogueNeedAPermission(t *testing.T) {
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Catalogue = manyModels{t} })
	for _, role := range auth.ListRoles() {
		page := s.signedIn(s.user(string(role), role)).get("/models")
		require.Equal(t, 200, page.status)
		assert.Equal(t, role.Grants(auth.PricingRead) || role.Grants(auth.CostsRead), strings.Contains(page.body, "$6.00"), role)
	}
}

func TestANodeWithoutModelsSaysSo(t *testing.T) {
	s := serveSite(t, nil)
	assert.Contains(t, s.signedIn(s.user("ada", auth.RoleOwner)).get("/models").body, "This node knows no models yet.")
}

func BenchmarkTheCatalogueOf5000Models(b *testing.B) {
	s := serveSite(b, func(o *Options, _ *auth.AdminOptions) { o.Catalogue = manyModels{b} })
	owner := s.signedIn(s.user("ada", auth.RoleOwner))
	for b.Loop() {
		require.Equal(b, 200, owner.get("/models?q=499").status)
	}
}
