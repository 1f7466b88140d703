package console

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/records/store"
)

// sendRequests stores a recent request of the key k1 and an older one of k2, both of the workspace t1.
func sendRequests(t *testing.T, s *testSite) {
	t.Helper()
	w := store.NewWriter(s.db, store.WriterOptions{})
	for i, r := range []store.UsageRecord{
		{ExchangeID: "old", KeyID: "k2", At: s.now().Add(-2 * time.Hour)}, {ExchangeID: "new", KeyID: "k1", At: s.now().Add(-time.Minute)},
	} {
		r.Tenant, r.Model, r.ModelRequested, r.Provider = "t1", "gpt-5", "=gpt-5", "openai"
		r.Outcome, r.Status, r.Input, r.Output, r.Counted, r.Priced, r.Cost = "served", 200, 3, 4, true, true, int64(10_000_000_000*(i+1))
		require.NoError(t, w.AppendUsage(t.Context(), &r))
		require.NoError(t, s.db.Keys().Insert(t.Context(), store.Key{
			ID: r.KeyID, TenantID: "t1", Name: "key of " + r.ExchangeID, Prefix: "gw_ab", Hash: [32]byte{byte(i + 1)}, Status: store.KeyActive,
			Source: store.SourceAPI,
		}))
	}
	require.NoError(t, w.Close(t.Context()))
}

func TestRequestsNameTheirKeysAndAreNarrowedToASpanAndAKey(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	sendRequests(t, s)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	all := b.get("/requests").body
	assert.Contains(t, all, `<a href="/workspaces/t1/keys/k1">key of new</a>`)
	assert.Contains(t, all, `<a href="/workspaces/t1/keys/k2">key of old</a>`)
	hour := b.get("/requests?span=1h").body
	assert.Contains(t, hour, "key of new")
	assert.NotContains(t, hour, "key of old")
	assert.Contains(t, hour, "<strong>Last hour</strong>")
	of := b.get("/requests?key=k2").body
	assert.Contains(t, of, "key of old")
	assert.NotContains(t, of, "key of new")
	assert.Contains(t, of, `href="/requests?format=csv&amp;key=k2"`)
}

func TestRequestsAreDownloadedWithTheFilterOfTheList(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	sendRequests(t, s)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	file := b.get("/requests?format=csv&key=k1")
	require.Equal(t, 200, file.status)
	assert.Contains(t, file.header.Get("Content-Disposition"), "requests.csv")
	rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"new", "t1", "One", "k1", "key of new", "'=gpt-5", "openai", "gpt-5", "served", "200", "3", "4"}, rows[1][1:13])
	assert.Equal(t, "2", rows[1][13])
	assert.Equal(t, 400, b.get("/requests?format=csv&status=many").status)
	assert.Equal(t, 400, b.get("/requests?format=csv&from=yesterday").status)
	assert.Equal(t, 400, b.get("/requests?format=csv&shadow=on").status)
}

func TestShadowVerdictsAreSearchedInTracesWithAllFilters(t *testing.T) {
	at := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	row := convertTraced(&recent.Exchange{
		ID: "a", Key: "k1", Model: "Client-Name", SentModel: "gpt-5_x", Outcome: core.Served, Status: 200, At: at,
	}, true)
	for _, test := range []struct {
		name   string
		filter store.ExchangeFilter
		finds  bool
	}{
		{"no filter", store.ExchangeFilter{}, true},
		{"the id", store.ExchangeFilter{ID: "a"}, true},
		{"another id", store.ExchangeFilter{ID: "b"}, false},
		{"another key", store.ExchangeFilter{Key: "k2"}, false},
		{"another outcome", store.ExchangeFilter{Outcome: "blocked"}, false},
		{"another status", store.ExchangeFilter{Status: 403}, false},
		{"a part of the client's name in another case", store.ExchangeFilter{ModelPart: "NAME"}, true},
		{"a part of the provider's name", store.ExchangeFilter{ModelPart: "5_"}, true},
		{"a sign that is a pattern elsewhere", store.ExchangeFilter{ModelPart: "%"}, false},
		{"a part across both names", store.ExchangeFilter{ModelPart: "xclient"}, false},
		{"from its time", store.ExchangeFilter{From: at}, true},
		{"up to its time", store.ExchangeFilter{To: at}, false},
	} {
		assert.Equal(t, test.finds, matchesFilter(&row, &test.filter), test.name)
	}
	s := serveSite(t, nil)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	assert.Contains(t, b.get("/requests?shadow=on").body, "whose trace this node still has")
	assert.Contains(t, b.get("/requests?shadow=on&from=yesterday").body, "f-from-error")
	assert.NotContains(t, b.get("/requests").body, "whose trace this node still has")
}
