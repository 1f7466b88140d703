package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
)

func TestGuessesAtGatewayKeysAreSlowedAndFillNoLog(t *testing.T) {
	g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("x")))).url})
	require.Equal(t, 200, g.post("dev", chat("x")).status)
	statuses := map[int]int{}
	for range 400 {
		a := g.post("guess", chat("x"))
		statuses[a.status]++
		if a.status == 429 {
			require.Equal(t, "1", a.header.Get("Retry-After"))
			require.Equal(t, "rate_limit_exceeded", errorOf(t, a)["code"])
		}
	}
	assert.GreaterOrEqual(t, statuses[401], 300)
	assert.Positive(t, statuses[429])
	assert.Equal(t, 400, statuses[401]+statuses[429])
	assert.Equal(t, 200, g.post("dev", chat("x")).status, "a key that worked from this address before still works")
	failures := 0
	for _, r := range g.records() {
		if r.kind == audit.AuthFailure {
			failures++
		}
	}
	assert.Equal(t, statuses[401], failures)
}
