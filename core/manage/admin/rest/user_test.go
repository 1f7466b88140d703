package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

const password = "correct horse battery"

// boss creates an owner who can sign in, so that others may be removed.
func (a *api) boss() string {
	a.t.Helper()
	return a.do(
		"POST",
		"/admin/v1/users",
		map[string]any{"email": "boss@example.com", "name": "Boss", "roles": []string{"owner"}, "password": password},
	).is(
		201,
	).str(
		"id",
	)
}

func (a *api) tenant(name string) string {
	a.t.Helper()
	return a.do("POST", "/admin/v1/tenants", map[string]any{"name": name}).is(201).str("id")
}

func TestAUserIsMadeReadChangedAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		a.boss()
		r := a.do(
			"POST",
			"/admin/v1/users",
			map[string]any{
				"email":     "Ada@Example.com",
				"name":      "Ada",
				"roles":     []string{"viewer", "admin"},
				"tenant_id": tenant,
				"password":  password,
			},
		).is(
			201,
		)
		id := r.str("id")
		path := "/admin/v1/users/" + id
		assert.Equal(t, path, r.header.Get("Location"))
		assert.Equal(t, "ada@example.com", r.str("email"))
		assert.Equal(t, []any{"admin", "viewer"}, r.field("roles"))
		assert.Equal(t, tenant, r.str("tenant_id"))
		assert.Equal(t, true, r.field("has_password"))
		assert.Nil(t, r.field("last_sign_in_at"))
		assert.NotContains(t, r.text, "argon2id")
		got := a.do("GET", path, nil).is(200)
		assert.JSONEq(t, r.text, got.text)
		tag := got.header.Get("ETag")
		assert.Equal(t, r.header.Get("ETag"), tag)

		stored, err := a.db.Users().Get(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, auth.CheckPassword(password, stored.Password))

		r = a.do("PUT", path, `{"name":"Ada L."}`, "If-Match", tag).is(200)
		assert.Equal(t, "Ada L.", r.str("name"))
		assert.Equal(t, "ada@example.com", r.str("email"), "omitted fields keep their values")
		a.do("PUT", path, `{"name":"x"}`, "If-Match", tag).requireRefusal(412, "precondition_failed")
		a.do("DELETE", path, nil, "If-Match", tag).requireRefusal(412, "precondition_failed")

		r = a.do("PUT", path, `{"roles":["org-admin"],"tenant_id":""}`).is(200)
		assert.Equal(t, []any{"owner"}, r.field("roles"))
		assert.Nil(t, r.field("tenant_id"))
		assert.Equal(t, 2, a.do("GET", "/admin/v1/users", nil).is(200).len("data"))
		assert.Equal(t, 0, a.do("GET", "/admin/v1/users?tenant_id="+tenant, nil).is(200).len("data"))

		a.do("DELETE", path, nil).is(204)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")
		a.do("PUT", path, `{"name":"x"}`).requireRefusal(404, "not_found")
		assert.Contains(t, a.events(""), "CONFIG_CHANGED")
	})
}

func TestWhatIsWrongWithAUserIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		a.boss()
		for name, c := range map[string]struct {
			body   map[string]any
			status int
			code   string
			says   string
		}{
			"no address":                   {map[string]any{"email": nil}, 400, "missing_required_parameter", "email is missing"},
			"no name":                      {map[string]any{"name": nil}, 400, "missing_required_parameter", "name is missing"},
			"no roles":                     {map[string]any{"roles": nil}, 400, "missing_required_parameter", "roles is missing"},
			"an empty list":                {map[string]any{"roles": []string{}}, 400, "invalid_value", "roles: "},
			"a name instead of an address": {map[string]any{"email": "Ada <ada@example.com>"}, 400, "invalid_value", "email: "},
			"no domain":                    {map[string]any{"email": "ada"}, 400, "invalid_value", "email: "},
			"a blank name":                 {map[string]any{"name": " "}, 400, "invalid_value", "name: "},
			"an unknown role":              {map[string]any{"roles": []string{"root"}}, 400, "invalid_value", "unknown role"},
			"mixed roles":                  {map[string]any{"roles": []string{"owner", "viewer"}}, 400, "invalid_value", "are mixed"},
			"mixed by another name":        {map[string]any{"roles": []string{"org-admin", "viewer"}, "tenant_id": tenant}, 400, "invalid_value", "are mixed"},
			"no tenant":                    {map[string]any{"roles": []string{"viewer"}}, 400, "invalid_value", "none is named"},
			"a tenant with platform roles": {map[string]any{"tenant_id": tenant}, 400, "invalid_value", "are for all tenants"},
			"an unknown tenant":            {map[string]any{"roles": []string{"viewer"}, "tenant_id": "nobody"}, 404, "not_found", "unknown tenant"},
			"a short password":             {map[string]any{"password": "short"}, 400, "invalid_value", "password: "},
			"an address twice":             {map[string]any{"email": "BOSS@example.com"}, 409, "conflict", "has this e-mail address"},
			"a hash":                       {map[string]any{"password_hash": "$argon2id$"}, 400, "invalid_value", "unknown field"},
		} {
			body := map[string]any{"email": "ada@example.com", "name": "Ada", "roles": []string{"policy-admin"}}
			for k, v := range c.body {
				if body[k] = v; v == nil {
					delete(body, k)
				}
			}
			assert.Contains(t, a.do("POST", "/admin/v1/users", body).requireRefusal(c.status, c.code), c.says, name)
		}
		assert.Equal(t, 1, a.do("GET", "/admin/v1/users", nil).len("data"))
	})
}

func TestTheLastOwnerIsNeitherRemovedNorDisabled(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		path := "/admin/v1/users/" + a.boss()
		a.do("PUT", path, `{"status":"disabled"}`).requireRefusal(409, "LAST_OWNER")
		a.do("PUT", path, `{"roles":["billing-admin"]}`).requireRefusal(409, "LAST_OWNER")
		a.do("DELETE", path, nil).requireRefusal(409, "LAST_OWNER")
		assert.Equal(t, "active", a.do("GET", path, nil).str("status"))
		a.do(
			"POST",
			"/admin/v1/users",
			map[string]any{"email": "b@example.com", "name": "B", "roles": []string{"owner"}, "password": password},
		).is(
			201,
		)
		assert.Equal(t, "disabled", a.do("PUT", path, `{"status":"disabled"}`).is(200).str("status"))
	})
}

func TestADisabledUserHasNoSessionLeft(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.boss()
		for name, change := range map[string]string{"disabled": `{"status":"disabled"}`, "a new password": `{"password":"another good password"}`} {
			id := a.do(
				"POST",
				"/admin/v1/users",
				map[string]any{"email": "ada" + name[:1] + "@example.com", "name": "A", "roles": []string{"policy-admin"}},
			).is(
				201,
			).str(
				"id",
			)
			hash := auth.Hash(name)
			require.NoError(
				t,
				a.db.Sessions().Insert(
					t.Context(),
					store.Session{Hash: hash, UserID: id, CreatedAt: start, SeenAt: start, ExpiresAt: start.AddDate(9, 0, 0)},
				),
			)
			a.do("PUT", "/admin/v1/users/"+id, `{"name":"B"}`).is(200)
			_, _, err := a.db.Sessions().Get(t.Context(), hash)
			require.NoError(t, err, name)
			a.do("PUT", "/admin/v1/users/"+id, change).is(200)
			_, _, err = a.db.Sessions().Get(t.Context(), hash)
			require.ErrorIs(t, err, store.ErrNotFound, name)
		}
	})
}

func TestATeamIsKeptByItsAdminAndByAnOwner(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		own, other := a.tenant("own"), a.tenant("other")
		list := "/admin/v1/tenants/" + own + "/members"
		stranger := a.do(
			"POST",
			"/admin/v1/tenants/"+other+"/members",
			`{"email":"s@example.com","name":"S","roles":["viewer"]}`,
		).is(
			201,
		).str(
			"id",
		)
		admin := "admin@" + own
		r := a.sendAs(
			admin,
			"POST",
			list,
			map[string]any{"email": "ada@example.com", "name": "Ada", "roles": []string{"viewer"}, "password": password},
		).is(
			201,
		)
		id := r.str("id")
		assert.Equal(t, list+"/"+id, r.header.Get("Location"))
		assert.Equal(t, own, r.str("tenant_id"))
		for _, me := range []string{admin, "developer@" + own, "viewer@" + own, "owner"} {
			assert.Equal(t, 1, a.sendAs(me, "GET", list, nil).is(200).len("data"), me)
			assert.JSONEq(t, r.text, a.sendAs(me, "GET", list+"/"+id, nil).is(200).text, me)
		}
		r = a.sendAs(admin, "PUT", list+"/"+id, `{"roles":["developer","admin"]}`).is(200)
		assert.Equal(t, []any{"admin", "developer"}, r.field("roles"))
		for _, me := range []string{"developer@" + own, "viewer@" + own, "policy-admin", "billing-admin"} {
			a.sendAs(me, "POST", list, `{"email":"x@example.com","name":"X","roles":["admin"]}`).requireRefusal(403, "FORBIDDEN")
			a.sendAs(me, "PUT", list+"/"+id, `{"roles":["admin"]}`).requireRefusal(403, "FORBIDDEN")
			a.sendAs(me, "DELETE", list+"/"+id, nil).requireRefusal(403, "FORBIDDEN")
		}
		assert.Contains(t, a.sendAs(admin, "PUT", list+"/"+id, `{"roles":["owner"]}`).requireRefusal(400, "invalid_value"), "are for all tenants")
		assert.Contains(
			t,
			a.sendAs(admin, "POST", list, `{"email":"x@example.com","name":"X","roles":["owner"]}`).requireRefusal(400, "invalid_value"),
			"are for all tenants",
		)
		a.sendAs(admin, "PUT", list+"/"+id, `{"tenant_id":"`+other+`"}`).requireRefusal(400, "invalid_value")

		before := len(a.events(own))
		a.sendAs(admin, "GET", "/admin/v1/tenants/"+other+"/members", nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs(admin, "DELETE", "/admin/v1/tenants/"+other+"/members/"+stranger, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		assert.Equal(t, []string{"TENANT_SCOPE_VIOLATION", "TENANT_SCOPE_VIOLATION"}, a.events(own)[:len(a.events(own))-before])
		a.sendAs(admin, "GET", list+"/"+stranger, nil).requireRefusal(404, "not_found")
		a.sendAs(admin, "PUT", list+"/"+stranger, `{"name":"mine"}`).requireRefusal(404, "not_found")
		a.sendAs(admin, "DELETE", list+"/"+stranger, nil).requireRefusal(404, "not_found")
		assert.Equal(t, "S", a.do("GET", "/admin/v1/users/"+stranger, nil).str("name"))
		a.do("GET", "/admin/v1/tenants/unknown/members", nil).requireRefusal(404, "not_found")
		a.do("POST", "/admin/v1/tenants/unknown/members", `{"email":"x@example.com","name":"X","roles":["admin"]}`).requireRefusal(404, "not_found")

		a.sendAs(admin, "DELETE", list+"/"+id, nil).is(204)
		assert.Equal(t, 0, a.sendAs(admin, "GET", list, nil).len("data"))
	})
}

func TestATenantLearnsOfNoAddressOfAnother(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		one := a.do("POST", "/admin/v1/tenants", `{"name":"one"}`).is(201).str("id")
		two := a.do("POST", "/admin/v1/tenants", `{"name":"two"}`).is(201).str("id")
		join := func(role, tenant, email string) reply {
			return a.sendAs(
				role,
				"POST",
				"/admin/v1/tenants/"+tenant+"/members",
				map[string]any{"email": email, "name": "N", "roles": []string{"viewer"}},
			)
		}
		join("admin@"+one, one, "Ada@example.com").is(201)
		assert.Contains(t, join("admin@"+one, one, "ada@example.com").requireRefusal(409, "conflict"), "already")
		assert.Contains(t, join("owner", two, "ada@example.com").requireRefusal(409, "conflict"), "already")
		said := join("admin@"+two, two, "ada@example.com").requireRefusal(400, "invalid_value")
		assert.NotContains(t, said, "already")
		assert.Contains(t, a.events(two), "TENANT_SCOPE_VIOLATION", "probing for addresses is recorded")
	})
}
