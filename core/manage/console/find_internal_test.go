package console

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAPlaceIsFoundByItsNameOrId(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	sendRequests(t, s)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	id := strings.Repeat("0a", 16)
	for _, tc := range []struct{ name, text, want, not string }{
		{"nothing typed lists the menu", "", `<a href="/requests"><span class="quiet">Page</span> Requests</a>`, ">Workspace<"},
		{"a part of a page's name, in any case", "LATEN", `href="/latency"`, `href="/requests"`},
		{"a workspace by its id", "t1", `href="/workspaces/t1"`, `href="/workspaces/t1/keys`},
		{"a key by its id", "k1", `<a href="/workspaces/t1/keys/k1"><span class="quiet">Key</span> key of new</a>`, "/keys/k2"},
		{"a request by its id", id, `href="/requests?id=` + id + `"`, "?model="},
		{"a model", "gpt-5", `href="/requests?model=gpt-5"`, "?id="},
		{"markup is text", "<script>", "&lt;script&gt;", "<script>"},
		{"what is longer than any name", strings.Repeat("é", 400), `/requests?model=`, strings.Repeat("é", 101)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := b.get("/find?q="+url.QueryEscape(tc.text), fragmentHeader, "live-places")
			assert.Equal(t, 200, a.status)
			assert.Contains(t, a.body, tc.want)
			assert.NotContains(t, a.body, tc.not)
		})
	}
	assert.Contains(t, b.get("/find?q=k1").body, `<section id="live-places"`, "the page works without scripts")
}

func TestASearchFindsOnlyWhatItsUserMayOpen(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	sendRequests(t, s)
	require.NoError(t, s.db.Tenants().Insert(t.Context(), store.Tenant{ID: "t2", Name: "Two", Status: "active", Tier: "standard"}))
	eve, err := s.db.Users().Insert(t.Context(), store.User{
		ID: "u-eve", TenantID: "t2", Email: "eve@example.com", Name: "eve", Roles: auth.ListRoleNames([]auth.Role{auth.RoleAdmin}),
		Status: store.UserActive, Password: hashOnce(),
	})
	require.NoError(t, err)
	stranger := s.signedIn(eve)
	for _, text := range []string{"t1", "k1", "Fleet"} {
		a := stranger.get("/find?q="+text, fragmentHeader, "live-places")
		assert.NotContains(t, a.body, "/workspaces/t1", text)
		assert.NotContains(t, a.body, "key of new", text)
		assert.NotContains(t, a.body, `href="/fleet"`, text)
	}
}
