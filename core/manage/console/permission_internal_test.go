package console

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

// hashOnce returns the hash of testPassword, computed once: hashing is slow.
var hashOnce = sync.OnceValue(func() string { return auth.HashPassword(testPassword) })

// anybodys are the pages that need no session.
var anybodys = []string{
	"GET /login", "POST /login", "GET /setup", "POST /setup", "POST /theme", "GET /favicon.ico",
	"GET /invitation", "POST /invitation", // the code of the invitation is the credential
	"GET /actuator/health/liveness", "GET /actuator/health/readiness",
}

// everybodys are the pages of every user who is signed in: they show the user's own data, or what the user may see.
var everybodys = []string{
	"GET /", "GET /account", "POST /account/password", "POST /account/sign-out-elsewhere", "GET /tokens", "POST /tokens",
	"POST /tokens/:token/revoke", "POST /logout", "POST /logout/everywhere", "GET /providers", // redirects to /credentials
	"GET /find",   // lists what the user may open
	"GET /models", // shows prices to readers of prices or costs
	"GET /try",    // tells some users that they lack the permission
	"POST /start/hide",
}

// either are the pages that check for one of several permissions themselves.
var either = map[string][]auth.Permission{
	"GET /requests": {auth.CostsRead, auth.AuditRead}, "GET /requests/:id": {auth.CostsRead, auth.AuditRead},
	"POST /requests-view": {auth.CostsRead, auth.AuditRead},
	"GET /session":        {auth.CostsRead, auth.AuditRead},
	"POST /try":           {auth.KeysCreate, auth.ChainWrite}, "POST /try/stream": {auth.KeysCreate, auth.ChainWrite},
	"POST /try/compare": {auth.KeysCreate, auth.ChainWrite},
}

var parameter = regexp.MustCompile(`[:*][a-z_]+`)

// pages are all pages of the console, as method and path with example parameters.
func pages(c *Console) (all map[string]string) {
	all = map[string]string{}
	for _, r := range c.engine.Routes() {
		all[r.Method+" "+r.Path] = parameter.ReplaceAllString(r.Path, "x")
	}
	return all
}

func TestEveryPageButTheDoorWantsASession(t *testing.T) {
	s := serveSite(t, nil)
	s.user("ada", auth.RoleOwner)
	for name, path := range pages(s.c) {
		if slices.Contains(anybodys, name) || strings.HasPrefix(name, "GET /static/") {
			continue
		}
		_, guarded := s.c.needs[name]
		require.True(t, guarded, "%s is mounted without the guard; add it to anybodys if it needs no session", name)
		b := s.browser()
		method, _, _ := strings.Cut(name, " ")
		for _, cookie := range []string{"", "headgate_session=x", "headgate_session=" + strings.Repeat("a", 43)} {
			a := b.do(method, path, url.Values{}, "Cookie", cookie)
			assert.Equal(t, http.StatusSeeOther, a.status, name)
			assert.True(t, strings.HasPrefix(a.to, "/login"), "%s leads to %s", name, a.to)
			assert.NotContains(t, a.body, "<html", name)
		}
		a := b.do(method, path, url.Values{}, fragmentHeader, "live-x")
		assert.Equal(t, http.StatusUnauthorized, a.status, "%s, a part", name)
	}
}

func TestEachRoleIsRefusedWhatItMayNot(t *testing.T) {
	s := serveSite(t, nil)
	all := pages(s.c)
	require.Greater(t, len(all), 30)
	s.user("root", auth.RoleOwner)
	for _, role := range auth.ListRoles() {
		b := s.signedIn(s.user("walks-"+string(role), role))
		for name, needs := range s.c.needs {
			some, several := either[name]
			if needs == "" && !several {
				assert.Contains(t, everybodys, name, "the page is open to every user; is that intended?")
				continue
			}
			if !several {
				some = []auth.Permission{needs}
				require.Contains(t, auth.ListPermissions(), needs, name)
			}
			if slices.ContainsFunc(some, role.Grants) {
				continue
			}
			method, _, _ := strings.Cut(name, " ")
			a := b.do(method, all[name], url.Values{})
			assert.Equal(t, http.StatusForbidden, a.status, "%s as %s", name, role)
			a = b.do(method, all[name], url.Values{}, fragmentHeader, "live-x")
			assert.Equal(t, http.StatusForbidden, a.status, "%s as %s, a part", name, role)
		}
	}
}

// The permissions of workspace users end at their workspace.
func TestAnotherWorkspaceIsRefused(t *testing.T) {
	s := serveSite(t, nil)
	all := pages(s.c)
	for _, role := range []auth.Role{auth.RoleAdmin, auth.RoleDeveloper, auth.RoleViewer} {
		b := s.signedIn(s.user("in-"+string(role), role))
		for name, needs := range s.c.needs {
			if !strings.Contains(name, "/workspaces/:tenant") || !role.Grants(needs) {
				continue
			}
			method, _, _ := strings.Cut(name, " ")
			a := b.do(method, all[name], url.Values{"name": {"x"}, "email": {"x@example.com"}, "roles": {"viewer"}, "scopes": {"models:read"}})
			assert.Equal(t, http.StatusForbidden, a.status, "%s as %s", name, role)
		}
	}
}

// A page in the menu must be open to the users who see the menu entry, and to no others.
func TestTheMenuAsksForWhatItsPagesAsk(t *testing.T) {
	s := serveSite(t, nil)
	for _, section := range listSections() {
		for _, i := range section.Items {
			if needs, mounted := s.c.needs["GET "+i.Path]; mounted {
				assert.Equal(t, needs, i.needs, i.Path)
			}
		}
	}
}
