package contract_test

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	users   = "/admin/v1/users"
	pats    = "/admin/v1/pats"
	allPATs = pats + "?all=true"
)

// user creates a user with a role of a tenant, or of the platform for "".
func (t *T) user(role, tenant string) m {
	t.Helper()
	defer t.honest()()
	body := m{"email": t.name(role) + "@example.com", "name": role, "roles": []string{role}}
	if tenant != "" {
		body["tenant_id"] = tenant
	}
	return t.owner().post(users, body).is(201).object()
}

// first creates the first token of a user, as an operator does on the command line. Users create further ones themselves.
func (t *T) first(user m) string {
	t.Helper()
	defer t.honest()()
	token := patText.FindString(t.command("pat", "create", "--config", "gateway.yaml", "--name", "first", "--user", t.id(user)))
	require.NotEmpty(t, token, "pat create prints no token")
	return token
}

// createRoleClient returns a client of a user with only that role. Those of the platform are created once per gateway.
func (t *T) createRoleClient(role, tenant string) *client {
	t.Helper()
	defer t.honest()()
	g := t.place.gateway(t.judge, t.variant)
	if token, ok := g.tokens.Load(role); ok && tenant == "" {
		return t.bearer(token.(string))
	}
	token := t.first(t.user(role, tenant))
	if tenant == "" {
		g.tokens.Store(role, token)
	}
	return t.bearer(token)
}

// token makes a user create their own token.
func (c *client) token(more m) m {
	c.t.Helper()
	body := m{"name": c.t.name("pat")}
	for k, v := range more {
		body[k] = v
	}
	return c.post(pats, body).is(201).object()
}

var tokenRows = rows{
	"pat.value": func(t *T) {
		o := t.createRoleClient("viewer", t.tenant()).token(nil)
		assert.True(t, strings.HasPrefix(t.text(o, "token"), "headgate_pat_"))
		a := t.owner().get(allPATs).is(200)
		t.requireRecord(a.list(), "id", t.id(o))
		assert.NotContains(t, string(a.body), t.text(o, "token"))
	},
	"pat.fields": func(t *T) {
		end := time.Now().UTC().Add(time.Hour)
		made := t.createRoleClient("viewer", t.tenant()).token(m{"expires_at": end.Format(time.RFC3339)})
		find := func() m { return t.requireRecord(t.owner().get(allPATs).is(200).list(), "id", t.id(made)) }
		o := find()
		t.text(o, "name")
		assert.Equal(t, t.text(made, "token")[:20], o["prefix"])
		t.time(o, "created_at")
		t.fields(o, "last_used_at")
		assert.Nil(t, o["last_used_at"])
		assert.WithinDuration(t, end, t.time(o, "expires_at"), time.Second)
		assert.Equal(t, "Active", o["status"])
		t.bearer(t.text(made, "token")).get(pats).is(200)
		t.eventually("its use is noted", func() bool { return find()["last_used_at"] != nil })
		never := t.createRoleClient("viewer", t.tenant()).token(nil)
		assert.Nil(t, t.requireRecord(t.owner().get(allPATs).is(200).list(), "id", t.id(never))["expires_at"])
	},
	"pat.roles": func(t *T) {
		tenant := t.tenant()
		viewer := t.createRoleClient("viewer", tenant)
		viewer.sees(tenants + "/" + tenant)
		viewer.put(tenants+"/"+tenant, m{"name": "x"}).requireRefusal(403, "authorization_error", "FORBIDDEN")
	},
	"limit.pat_prefix": func(t *T) {
		o := t.createRoleClient("viewer", t.tenant()).token(nil)
		prefix := t.text(t.requireRecord(t.owner().get(allPATs).is(200).list(), "id", t.id(o)), "prefix")
		assert.Len(t, prefix, 20)
		assert.True(t, strings.HasPrefix(t.text(o, "token"), prefix))
	},
	"state.pat.created": func(t *T) {
		o := t.createRoleClient("viewer", t.tenant()).token(nil)
		assert.Equal(t, "Active", t.requireRecord(t.owner().get(allPATs).is(200).list(), "id", t.id(o))["status"])
		t.awaitEvent("", "PAT_CREATED", t.id(o))
		t.owner().post(pats, m{}).requireRefusal(400, "invalid_request_error", "")
	},
	"state.pat.expired": func(t *T) {
		me := t.createRoleClient("viewer", t.tenant())
		end := time.Now().UTC().Add(4 * time.Second) // a loaded machine takes a while to create it
		o := me.token(m{"expires_at": end.Format(time.RFC3339Nano)})
		c := t.bearer(t.text(o, "token"))
		t.eventually("the token expires", func() bool { return c.get(pats).status == 401 })
		c.get(pats).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		assert.Equal(t, "Expired", t.requireRecord(t.owner().get(allPATs).is(200).list(), "id", t.id(o))["status"])
	},
	"state.pat.revoked": func(t *T) {
		tenant := t.tenant()
		me, other := t.createRoleClient("viewer", tenant), t.createRoleClient("viewer", tenant)
		mine := me.token(nil)
		c := t.bearer(t.text(mine, "token"))
		c.get(pats).is(200)
		require.Contains(t, []int{403, 404}, other.delete(pats+"/"+t.id(mine)).status, "only its owner revokes a token")
		me.delete(pats + "/" + t.id(mine)).is(204)
		c.get(pats).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		assert.Equal(t, "Revoked", t.requireRecord(me.get(pats).is(200).list(), "id", t.id(mine))["status"])
		t.awaitEvent("", "PAT_REVOKED", t.id(mine))
	},
	"event.pat_created": func(t *T) {
		o := t.createRoleClient("developer", t.tenant()).token(nil)
		event := t.awaitEvent("", "PAT_CREATED", t.id(o))
		payload, _ := event["payload"].(m)
		text, err := json.Marshal(payload)
		require.NoError(t, err)
		assert.Contains(t, string(text), t.id(o))
	},
	"event.pat_revoked": func(t *T) {
		me := t.createRoleClient("viewer", t.tenant())
		mine := me.token(nil)
		me.delete(pats + "/" + t.id(mine)).is(204)
		t.awaitEvent("", "PAT_REVOKED", t.id(mine))
	},
	"auth.mode.password": func(t *T) {
		t.policy("", denies("x", "no"))
		t.createRoleClient("policy-admin", "").sees(policies)
		t.bearer("headgate_pat_nobody-has-this-one").get(policies).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"auth.pat": func(t *T) {
		me := t.createRoleClient("developer", t.tenant())
		o := me.token(nil)
		c := t.bearer(t.text(o, "token"))
		c.post(policies+"/dry-run", m{"dsl": denies("x", "no"), "model": "x"}).is(200)
		c.get(pricing).requireRefusal(403, "authorization_error", "FORBIDDEN")
		mine := me.get(pats).is(200)
		t.requireRecord(mine.list(), "id", t.id(o))
		assert.NotContains(t, string(mine.body), t.text(o, "token"))
		me.delete(pats + "/" + t.id(o)).is(204)
		c.get(policies).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"auth.data.3": func(t *T) {
		pat := t.text(t.createRoleClient("owner", "").token(nil), "token")
		t.bearer(pat).sees(tenants)
		t.bearer(pat).get("/v1/models").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"auth.rule.4": func(t *T) {
		t.owner().sees(tenants)
		t.owner().post("/v1/chat/completions", buildChat("mock-echo", "hi")).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"decision.users": func(t *T) {
		tenant := t.tenant()
		u := t.user("developer", tenant)
		t.requireRecord(t.owner().get(users).is(200).list(), "id", t.id(u))
		members := t.createRoleClient("admin", tenant).get(tenants + "/" + tenant + "/members").is(200).list()
		t.requireRecord(members, "id", t.id(u))
		t.owner().delete(users + "/" + t.id(u)).is(204)
		t.requireGone(users + "/" + t.id(u))
	},
}
