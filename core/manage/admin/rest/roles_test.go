package rest_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

//go:generate go test -tags nomsgpack,grpcnotrace -run TestTheTableOfRolesIsThatOfTheDocumentation -update .

var update = flag.Bool("update", false, "rewrite docs/roles.md")

var inPath = regexp.MustCompile(`\{[^}]*\}`)

// call is a request to an operation, for a record that does not exist. A tenant in its path is the named one.
func call(o rest.Operation, tenant string) string {
	path := o.Path
	for _, begin := range []string{"/tenants/{id}", "/pii/tokens/{tenantId}"} {
		if strings.HasPrefix(path, begin) {
			path = inPath.ReplaceAllString(begin, tenant) + strings.TrimPrefix(path, begin)
		}
	}
	return rest.Prefix + inPath.ReplaceAllString(path, "nothing")
}

// answerValue is a body that no operation accepts as a record.
func answerValue(o rest.Operation) any {
	if o.Method == "POST" || o.Method == "PUT" || o.Method == "PATCH" {
		return `{"no such field":1}`
	}
	return nil
}

// ofRecord are operations whose permission depends on the record itself: it does not exist, so the answer is 404 or 403.
var ofRecord = map[string]bool{"getApproval": true}

func TestEveryOperationAsksForItsPermission(t *testing.T) {
	// The database makes no difference to roles.
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	require.NoError(t, a.db.Tenants().Insert(t.Context(), store.Tenant{ID: "own", Name: "own", Status: "active", Source: store.SourceAPI}))
	require.NoError(t, a.db.Tenants().Insert(t.Context(), store.Tenant{ID: "other", Name: "other", Status: "active", Source: store.SourceAPI}))
	require.NotEmpty(t, a.mounted.Operations)
	own := store.Tenant{
		ID: "own", Name: "own", Status: "active", Source: store.SourceAPI,
		KeyTemplate: store.KeyTemplate{Keys: 1}, // developers manage their own keys where there is one
	}
	known := auth.ListPermissions()
	for _, o := range a.mounted.Operations {
		name := o.Method + " " + o.Path
		assert.True(t, o.Permission == "" || slices.Contains(known, o.Permission), "%s requires %s, which is not a permission", name, o.Permission)
		for _, role := range auth.ListRoles() {
			me := string(role)
			if !role.IsPlatform() {
				me += "@own"
			}
			_, err := a.db.Tenants().Upsert(t.Context(), own)
			require.NoError(t, err) // an owner has just deleted it
			r := a.sendAs(me, o.Method, call(o, "own"), answerValue(o))
			if o.Permission != "" && !role.Grants(o.Permission) {
				assert.Contains(t, r.requireRefusal(403, "FORBIDDEN"), "this needs one of the roles owner", "%s as %s", name, role)
				continue
			}
			if ofRecord[o.ID] {
				continue
			}
			assert.NotContains(t, []int{401, 403}, r.status, "%s as %s: %s", name, role, r.text)
		}
		a.sendAs("", o.Method, call(o, "own"), answerValue(o)).requireRefusal(401, "UNAUTHORIZED")
		a.sendAs("gw_key", o.Method, call(o, "own"), answerValue(o)).requireRefusal(401, "UNAUTHORIZED")
	}
}

func TestNoOperationReachesAnotherTenant(t *testing.T) {
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	for _, id := range []string{"own", "other"} {
		require.NoError(t, a.db.Tenants().Insert(t.Context(), store.Tenant{ID: id, Name: id, Status: "active", Source: store.SourceAPI}))
	}
	tried := 0
	for _, o := range a.mounted.Operations {
		path := call(o, "other")
		if q := tenantQuery(a, o); q != "" {
			path += "?" + q + "=other"
		}
		if !strings.Contains(path, "other") || o.Method != "GET" && o.Method != "DELETE" {
			continue // the others check the body first
		}
		for _, role := range []auth.Role{auth.RoleAdmin, auth.RoleDeveloper, auth.RoleViewer} {
			if !role.Grants(o.Permission) {
				continue
			}
			tried++
			before := len(a.events("own"))
			a.sendAs(string(role)+"@own", o.Method, path, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
			events := a.events("own")
			require.Len(t, events, before+1, "%s %s", o.Method, o.Path)
			assert.Equal(t, "TENANT_SCOPE_VIOLATION", events[0])
		}
	}
	assert.Greater(t, tried, 5)
}

// tenantQuery returns the query parameter of an operation that names a tenant, or "".
func tenantQuery(a *api, o rest.Operation) string {
	item := a.mounted.OpenAPI().Paths[rest.Prefix+o.Path]
	for _, op := range []*huma.Operation{item.Get, item.Delete} {
		if op == nil || op.OperationID != o.ID {
			continue
		}
		for _, p := range op.Parameters {
			if p.In == "query" && (p.Name == "tenant_id" || p.Name == "tenantId") {
				return p.Name
			}
		}
	}
	return ""
}

func TestWhereRolesDoNotMatterTenantsStayApart(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		own, other := a.tenant("own"), a.tenant("other")
		boss := a.boss()
		me := "anybody@" + own
		a.sendAs(me, "GET", "/admin/v1/users/"+boss, nil).requireRefusal(404, "not_found")
		assert.Equal(t, 0, a.sendAs(me, "GET", "/admin/v1/users", nil).is(200).len("data"))
		a.sendAs(me, "GET", "/admin/v1/users?tenant_id="+other, nil).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs(me, "PUT", "/admin/v1/users/"+boss, `{"status":"disabled"}`).requireRefusal(404, "not_found")
		a.sendAs(me, "DELETE", "/admin/v1/users/"+boss, nil).requireRefusal(404, "not_found")
		a.sendAs(me, "POST", "/admin/v1/users", `{"email":"e@example.com","name":"E","roles":["owner"]}`).requireRefusal(400, "invalid_value")
		a.sendAs(
			me,
			"POST",
			"/admin/v1/users",
			`{"email":"e@example.com","name":"E","roles":["viewer"],"tenant_id":"`+other+`"}`,
		).requireRefusal(
			403,
			"TENANT_SCOPE_VIOLATION",
		)
		mine := a.sendAs(me, "POST", "/admin/v1/users", `{"email":"e@example.com","name":"E","roles":["viewer"]}`).is(201)
		assert.Equal(t, own, mine.str("tenant_id"))
		path := "/admin/v1/users/" + mine.str("id")
		a.sendAs(me, "PUT", path, `{"roles":["owner"],"tenant_id":""}`).requireRefusal(400, "invalid_value")
		a.sendAs(me, "PUT", path, `{"tenant_id":"`+other+`"}`).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs(me, "GET", "/admin/v1/pats?all=true", nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("anybody", "DELETE", path, nil).is(204)

		named := func(tenant string) map[string]string {
			return map[string]string{"name": "p", "dsl": denies, "tenant_id": tenant}
		}
		a.sendAs(me, "POST", "/admin/v1/policies", named(other)).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		assert.Equal(
			t,
			own,
			a.sendAs(me, "POST", "/admin/v1/policies", map[string]string{"name": "p", "dsl": denies}).is(201).str("tenant_id"),
			"without a named tenant, that of the actor",
		)
		policy := a.sendAs(me, "POST", "/admin/v1/policies", named(own)).is(201).header.Get("Location")
		a.sendAs(me, "PUT", policy, `{"tenant_id":"`+other+`"}`).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		theirs := a.do("POST", "/admin/v1/policies", named(other)).is(201).header.Get("Location")
		a.sendAs(me, "PUT", theirs, `{"name":"x"}`).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
		a.sendAs(me, "POST", theirs+"/rollback", `{"version":1}`).requireRefusal(403, "TENANT_SCOPE_VIOLATION")
	})
}

func TestTheTableOfRolesIsThatOfTheDocumentation(t *testing.T) {
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	var b strings.Builder
	b.WriteString(rolesIntro)
	head, line := "| permission |", "|---|"
	for _, r := range auth.ListRoles() {
		head, line = head+" "+string(r)+" |", line+":-:|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, line)
	for _, p := range auth.ListPermissions() {
		fmt.Fprintf(&b, "| `%s` |", p)
		for _, r := range auth.ListRoles() {
			mark := " "
			if r.Grants(p) {
				mark = " x "
			}
			b.WriteString(mark + "|")
		}
		b.WriteString("\n")
	}
	b.WriteString(operationsIntro)
	for _, o := range a.mounted.Operations {
		needs := "any valid credential"
		if o.Permission != "" {
			needs = "`" + string(o.Permission) + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s%s` | %s |\n", o.Method, rest.Prefix, o.Path, needs)
	}
	const file = "../../../../docs/roles.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644)) // a public page
	}
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(raw), "run: go generate ./core/manage/admin/rest")
}

const rolesIntro = `# Roles

Who may administer what. The tables are written by a test from what the program holds to
(` + "`core/auth/permission.go`" + `, ` + "`core/manage/admin/rest`" + `); [admin-auth.md](admin-auth.md) says how people show who they are.

owner, policy-admin, billing-admin and auditor are roles of the platform, for all tenants; admin, developer and viewer are those of one tenant, and what
they see is that tenant's. A user cannot have roles of both kinds. ` + "`org-admin`" + ` is read as owner. A permission that the table grants to no other role needs an owner.

`

const operationsIntro = `
## Operations

| method | path | needs |
|---|---|---|
`
