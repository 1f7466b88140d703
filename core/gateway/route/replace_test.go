package route_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
)

func TestRoutesAreReplacedForTheNextExchangeAndBadOnesAreLeftOut(t *testing.T) {
	r, err := route.New([]route.Route{{Pattern: "m", Targets: []route.Target{{Provider: "a"}}}}, map[string][]string{"a": nil, "b": nil})
	require.NoError(t, err)
	require.Equal(t, "a", r.Plan("m")[0].Provider)

	err = r.Replace([]route.Route{
		{Pattern: "m", Targets: []route.Target{{Provider: "b"}}},
		{Pattern: "m", Targets: []route.Target{{Provider: "a"}}},
		{Pattern: "n", Targets: []route.Target{{Provider: "gone"}}},
	})
	assert.ErrorContains(t, err, `unknown provider "gone"`)
	assert.Equal(t, "b", r.Plan("m")[0].Provider, "of two routes with one pattern the first counts")
	assert.Nil(t, r.Plan("n"))
}

func TestARouteIsCheckedWithoutBeingPutInForce(t *testing.T) {
	r, err := route.New(nil, map[string][]string{"a": nil})
	require.NoError(t, err)
	assert.NoError(t, r.Check(route.Route{Pattern: "m", Targets: []route.Target{{Provider: "a"}}}))
	assert.Error(t, r.Check(route.Route{Pattern: "m"}))
	assert.Nil(t, r.Plan("m"))
}
