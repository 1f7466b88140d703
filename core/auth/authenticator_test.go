package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

// callers is a door with two keys.
type callers struct {
	*auth.Authenticator
	keys            *auth.Keys
	refused, slowed int
	now             time.Time
}

func newCallers(t testing.TB, proxies ...string) *callers {
	t.Helper()
	list, err := auth.ParseProxies(proxies)
	require.NoError(t, err)
	c := &callers{now: time.Unix(1e9, 0)}
	c.Authenticator = auth.NewAuthenticator(list, func(slowed bool) {
		if c.refused++; slowed {
			c.slowed++
		}
	})
	c.keys = auth.NewKeys([]auth.Tenant{{ID: "t"}}, []auth.Key{
		{ID: "old", Tenant: "t", Hash: auth.Hash("gw_old")}, {ID: "new", Tenant: "t", Hash: auth.Hash("gw_new")},
	})
	return c
}

// call returns the status of a call from an address.
func (c *callers) call(address, key string, header ...string) int {
	r := &http.Request{RemoteAddr: address + ":4711", Header: http.Header{}}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if _, err := c.Authenticate(c.keys, r, c.now); err != nil {
		return err.HTTPStatus()
	}
	return 200
}

func TestGuessingGatewayKeysIsSlowAndCostsNoNeighbour(t *testing.T) {
	c := newCallers(t)
	require.Equal(t, 200, c.call("192.0.2.1", "gw_old"))
	statuses := map[int]int{}
	for range 400 {
		statuses[c.call("192.0.2.1", "gw_guess")]++
	}
	assert.Equal(t, map[int]int{401: 300, 429: 100}, statuses)
	assert.Equal(t, 400, c.refused)
	assert.Equal(t, 100, c.slowed)
	assert.Equal(t, 200, c.call("192.0.2.1", "gw_old"), "it has worked from there")
	assert.Equal(t, 429, c.call("192.0.2.1", "gw_new"), "a right guess is not confirmed")
	assert.Equal(t, 200, c.call("192.0.2.2", "gw_new"), "another address does not wait")
	c.now = c.now.Add(time.Minute)
	assert.Equal(t, 200, c.call("192.0.2.1", "gw_new"))
}

func TestARequestWithoutAKeyGuessesNothing(t *testing.T) {
	c := newCallers(t)
	for range 400 {
		require.Equal(t, 401, c.call("192.0.2.1", ""))
	}
	assert.Equal(t, 200, c.call("192.0.2.1", "gw_new"))
	assert.Zero(t, c.refused)
}

func TestGuessesBehindAProxyAreThoseOfTheClient(t *testing.T) {
	c := newCallers(t, "10.0.0.0/8")
	for range 300 {
		require.Equal(t, 401, c.call("10.0.0.1", "gw_guess", "X-Forwarded-For", "203.0.113.9"))
	}
	assert.Equal(t, 429, c.call("10.0.0.1", "gw_new", "X-Forwarded-For", "203.0.113.9"))
	assert.Equal(t, 200, c.call("10.0.0.1", "gw_new", "X-Forwarded-For", "203.0.113.10"))
}

func BenchmarkDoor(b *testing.B) {
	c := newCallers(b)
	r := &http.Request{RemoteAddr: "192.0.2.1:4711", Header: http.Header{"Authorization": {"Bearer gw_old"}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Authenticate(c.keys, r, c.now); err != nil {
			b.Fatal(err)
		}
	}
}
