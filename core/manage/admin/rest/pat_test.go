package rest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// user creates a user, and returns the token that the test's authenticator accepts for them.
func (a *api) user(id, role, tenant string) string {
	a.t.Helper()
	_, err := a.db.Users().Insert(
		a.t.Context(),
		store.User{
			ID:       id,
			Email:    id + "@example.com",
			Name:     id,
			Password: "x",
			Roles:    []string{role},
			TenantID: tenant,
			Status:   store.UserActive,
		},
	)
	require.NoError(a.t, err)
	return role + "@" + tenant + "@" + id
}

func TestATokenIsShownOnceAndRevokedByItsUserAlone(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		ada, bob, boss := a.user("ada", "developer", tenant), a.user("bob", "developer", tenant), a.user("boss", "owner", "")
		r := a.sendAs(ada, "POST", "/admin/v1/pats", `{"name":"deploy","expires_at":"2026-11-23T00:00:00Z"}`).is(201)
		id, token := r.str("id"), r.str("token")
		path := "/admin/v1/pats/" + id
		assert.Equal(t, path, r.header.Get("Location"))
		assert.True(t, strings.HasPrefix(token, "headgate_pat_"))
		assert.Equal(t, token[:20], r.str("prefix"))
		assert.Equal(t, []any{"developer"}, r.field("roles"))
		assert.Equal(t, tenant, r.str("tenant_id"))
		assert.Equal(t, "ada", r.str("user_id"))
		assert.Equal(t, "Active", r.str("status"))
		assert.Nil(t, r.field("last_used_at"))
		stored, whose, err := a.db.PATs().GetByHash(t.Context(), auth.Hash(token))
		require.NoError(t, err)
		assert.Equal(t, id, stored.ID)
		assert.Equal(t, "ada", whose.ID)

		got := a.sendAs(ada, "GET", path, nil).is(200)
		assert.NotContains(t, got.text, token, "the plaintext is shown once")
		assert.Equal(t, r.header.Get("ETag"), got.header.Get("ETag"))
		list := a.sendAs(ada, "GET", "/admin/v1/pats", nil).is(200)
		assert.Equal(t, 1, list.len("data"))
		assert.NotContains(t, list.text, token)
		assert.Equal(t, 0, a.sendAs(bob, "GET", "/admin/v1/pats", nil).is(200).len("data"))
		assert.Equal(t, 0, a.sendAs(boss, "GET", "/admin/v1/pats", nil).is(200).len("data"))
		assert.Equal(t, 1, a.sendAs(boss, "GET", "/admin/v1/pats?all=true", nil).is(200).len("data"))
		a.sendAs(bob, "GET", "/admin/v1/pats?all=true", nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs(bob, "GET", path, nil).requireRefusal(404, "not_found")
		a.sendAs(boss, "GET", path, nil).is(200)

		a.sendAs(bob, "DELETE", path, nil).requireRefusal(404, "not_found")
		assert.Contains(t, a.sendAs(boss, "DELETE", path, nil).requireRefusal(403, "FORBIDDEN"), "only its user")
		assert.Equal(t, "Active", a.sendAs(ada, "GET", path, nil).str("status"))
		a.sendAs(ada, "DELETE", path, nil).is(204)
		assert.Equal(t, "Revoked", a.sendAs(ada, "GET", path, nil).str("status"))
		a.sendAs(ada, "DELETE", path, nil).is(204)
		assert.Equal(t, []string{"PAT_REVOKED", "PAT_CREATED"}, a.events(tenant)[:2], "revoking twice is recorded once")
		a.sendAs(ada, "DELETE", "/admin/v1/pats/nothing", nil).requireRefusal(404, "not_found")
	})
}

func TestATokenExpires(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		ada := a.user("ada", "owner", "")
		path := "/admin/v1/pats/" + a.sendAs(ada, "POST", "/admin/v1/pats", `{"name":"x","expires_at":"2026-11-22T13:00:00Z"}`).is(201).str("id")
		assert.Equal(t, "Active", a.sendAs(ada, "GET", path, nil).str("status"))
		a.now.Add(time.Hour.Microseconds())
		assert.Equal(t, "Expired", a.sendAs(ada, "GET", path, nil).str("status"))
		for name, body := range map[string]string{
			"in the past": `{"name":"x","expires_at":"2026-11-22T12:59:59Z"}`, "no time": `{"name":"x","expires_at":"tomorrow"}`,
			"a blank name": `{"name":" "}`, "no name": `{}`, "chosen roles": `{"name":"x","roles":["owner"]}`,
		} {
			a.sendAs(ada, "POST", "/admin/v1/pats", body).is(400)
			_ = name
		}
		never := a.sendAs(ada, "POST", "/admin/v1/pats", `{"name":"x","expires_at":null}`).is(201)
		assert.Nil(t, never.field("expires_at"))
	})
}

func TestATokenMadeWithATokenIsNoMightierAndEndsNoLater(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		_, err := a.db.Users().Insert(
			t.Context(),
			store.User{
				ID:       "ada",
				Email:    "a@example.com",
				Name:     "A",
				Password: "x",
				Roles:    []string{"owner", "billing-admin"},
				Status:   store.UserActive,
			},
		)
		require.NoError(t, err)
		_, err = a.db.PATs().Insert(
			t.Context(),
			store.PAT{
				ID:        "first",
				UserID:    "ada",
				Hash:      auth.Hash("first"),
				Roles:     []string{"billing-admin"},
				ExpiresAt: start.Add(time.Hour),
				Source:    store.SourceAPI,
			},
		)
		require.NoError(t, err)
		with := "billing-admin@@ada@pat:first"
		r := a.sendAs(with, "POST", "/admin/v1/pats", `{"name":"second"}`).is(201)
		assert.Equal(t, []any{"billing-admin"}, r.field("roles"))
		assert.Equal(t, "2026-11-22T13:00:00Z", r.str("expires_at"))
		a.sendAs(with, "POST", "/admin/v1/pats", `{"name":"x","expires_at":"2026-11-22T12:30:00Z"}`).is(201)
		assert.Contains(
			t,
			a.sendAs(with, "POST", "/admin/v1/pats", `{"name":"x","expires_at":"2026-11-22T13:00:01Z"}`).requireRefusal(400, "invalid_value"),
			"must not expire later",
		)
	})
}

func TestSomebodyOfTheIdentityProviderBecomesAUserWithTheirFirstToken(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		jwt := "viewer@" + tenant + "@@jwt:eve"
		assert.Equal(t, 0, a.sendAs(jwt, "GET", "/admin/v1/pats", nil).is(200).len("data"))
		assert.Nil(t, a.sendAs(jwt, "GET", "/admin/v1/me", nil).field("user_id"))
		first := a.sendAs(jwt, "POST", "/admin/v1/pats", `{"name":"x"}`).is(201)
		second := a.sendAs(jwt, "POST", "/admin/v1/pats", `{"name":"y"}`).is(201)
		assert.Equal(t, first.str("user_id"), second.str("user_id"))
		u, err := a.db.Users().GetBySubject(t.Context(), "https://issuer eve")
		require.NoError(t, err)
		assert.Equal(t, u.ID, first.str("user_id"))
		assert.Equal(t, []string{"viewer"}, u.Roles)
		assert.Equal(t, tenant, u.TenantID)
		assert.Equal(t, "eve@example.com", u.Email)
		assert.Empty(t, u.Password)

		_, err = a.db.Users().Insert(t.Context(), store.User{ID: "x", Email: "mallory@example.com", Name: "M", Status: store.UserActive})
		require.NoError(t, err)
		taken := a.sendAs("viewer@"+tenant+"@@jwt:mallory", "POST", "/admin/v1/pats", `{"name":"x"}`).is(201)
		u, err = a.db.Users().GetBySubject(t.Context(), "https://issuer mallory")
		require.NoError(t, err)
		assert.Equal(t, taken.str("user_id"), u.ID)
		assert.NotEqual(t, "x", u.ID, "an address alone does not identify a user")
		a.sendAs("viewer@unknown@@jwt:n", "POST", "/admin/v1/pats", `{"name":"x"}`).requireRefusal(404, "not_found")
	})
}

func TestOneSeesWhoOneIs(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		r := a.sendAs(a.user("ada", "viewer", tenant), "GET", "/admin/v1/me", nil).is(200)
		assert.Equal(t, "ada", r.str("user_id"))
		assert.Equal(t, tenant, r.str("tenant_id"))
		assert.Equal(t, []any{"viewer"}, r.field("roles"))
		may := r.field("permissions")
		assert.Contains(t, may, "keys:read")
		assert.NotContains(t, may, "keys:create")
		r = a.do("GET", "/admin/v1/me", nil)
		assert.Equal(t, len(auth.ListPermissions()), r.len("permissions"))
		assert.Nil(t, r.field("tenant_id"))
		a.sendAs("", "GET", "/admin/v1/me", nil).requireRefusal(401, "UNAUTHORIZED")
	})
}

func TestASecondTokenIsNoSecondPerson(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.user("ada", "owner", "")
		first, second := "owner@@ada@pat:first", "owner@@ada@pat:second"
		id := a.sendAs(first, "POST", "/admin/v1/approvals", `{}`).is(201).str("id")
		a.sendAs(second, "POST", "/admin/v1/approvals/"+id+"/approve", `{}`).requireRefusal(403, "APPROVER_IS_REQUESTER")
		a.sendAs(a.user("bob", "owner", ""), "POST", "/admin/v1/approvals/"+id+"/approve", `{}`).is(200)
	})
}
