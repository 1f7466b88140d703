package auth

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAuthenticate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	good, old := NewKey(), NewKey()
	keys := NewKeys(
		[]Tenant{{ID: "t"}},
		[]Key{{Hash: Hash(good), Tenant: "t", ID: "k"}, {Hash: Hash(old), Tenant: "t", ID: "o", ExpiresAt: now}},
	)
	for _, c := range []struct {
		name, header, value string
		ok                  bool
	}{
		{"a bearer token authenticates", "Authorization", "Bearer " + good, true},
		{"the scheme is read in any case", "Authorization", "bearer  " + good, true},
		{"the header of Anthropic's clients is read", "X-Api-Key", good, true},
		{"the header of Gemini's clients is read", "X-Goog-Api-Key", good, true},
		{"a wrong key is refused", "Authorization", "Bearer " + NewKey(), false},
		{"another scheme is refused", "Authorization", "Basic " + good, false},
		{"an expired key is refused", "Authorization", "Bearer " + old, false},
		{"a personal access token is refused", "Authorization", "Bearer headgate_pat_x", false},
		{"no key is refused", "X-Other", good, false},
		{"an empty token is refused", "Authorization", "Bearer ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := keys.Authenticate(http.Header{c.header: {c.value}}, now)
			if c.ok {
				require.Nil(t, err)
				assert.Equal(t, &core.Principal{Tenant: "t", KeyID: "k", Lineage: "k"}, p)
				return
			}
			require.NotNil(t, err)
			assert.Equal(t, 401, err.HTTPStatus())
			assert.Equal(t, "UNAUTHORIZED", err.Code)
			assert.NotContains(t, err.Public, good)
		})
	}
}

// holding are keys with one alone.
func holding(key string) *Keys {
	return NewKeys([]Tenant{{ID: "t"}}, []Key{{Hash: Hash(key), Tenant: "t", ID: "k"}})
}

func TestTwoAuthorizationHeadersAreRefused(t *testing.T) {
	key := NewKey()
	_, err := holding(key).Authenticate(http.Header{"Authorization": {"Bearer " + key, "Bearer x"}}, time.Now())
	assert.NotNil(t, err)
}

func TestAnEmptyAuthorizationHeaderHidesNoOther(t *testing.T) {
	key := NewKey()
	_, err := holding(key).Authenticate(http.Header{"Authorization": {""}, "X-Goog-Api-Key": {key}}, time.Now())
	assert.Nil(t, err)
}

func TestScopes(t *testing.T) {
	assert.Nil(t, RequireScope(&core.Principal{}, ScopeCompletions), "a key without scopes is unrestricted")
	p := &core.Principal{Scopes: []string{ScopeModels}}
	assert.Nil(t, RequireScope(p, ScopeModels))
	err := RequireScope(p, ScopeCompletions)
	require.NotNil(t, err)
	assert.Equal(t, 403, err.HTTPStatus())
	assert.Contains(t, err.Public, ScopeCompletions)
}

func TestKeysAreLongAndDifferent(t *testing.T) {
	a, b := NewKey(), NewKey()
	assert.NotEqual(t, a, b)
	assert.Len(t, a, len(KeyPrefix)+43)
	assert.Equal(t, a[:10], CutVisiblePrefix(a))
}

func TestADigestIsTheHashOfTheKeyHoweverLong(t *testing.T) {
	for _, key := range []string{NewKey(), "", "a", strings.Repeat(NewKey(), 5), "b"} {
		assert.Equal(t, Hash(key), hashKey(key))
	}
}
