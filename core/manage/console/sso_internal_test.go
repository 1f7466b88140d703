package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	lib "github.com/crewjam/saml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/saml"
	"github.com/headgate-dev/headgate/core/auth/saml/samltest"
	"github.com/headgate-dev/headgate/core/records/store"
)

// samlSite is a console whose users sign in at a real identity provider.
func samlSite(t *testing.T) (*testSite, *samltest.IdP) {
	t.Helper()
	idp := samltest.Start(t)
	s := serveSite(t, func(o *Options, a *auth.AdminOptions) {
		p, err := saml.New(saml.Options{
			Metadata: idp.Metadata(), RolesAttribute: "eduPersonAffiliation", TenantAttribute: "scopedAffiliation", SubjectAttribute: "uid",
			Now: o.Now,
		})
		require.NoError(t, err)
		o.Passwords, o.SAML, a.Entry, a.Life = false, p, "saml "+idp.Metadata(), auth.EntryLife
	})
	require.NoError(t, s.db.Tenants().Insert(t.Context(), store.Tenant{ID: "t1", Name: "One", Status: "active", Tier: "standard"}))
	own := s.browser().get("/saml/metadata")
	require.Equal(t, http.StatusOK, own.status)
	assert.Contains(t, own.header.Get("Content-Type"), "samlmetadata+xml")
	assert.Contains(t, own.body, `WantAssertionsSigned="true"`)
	assert.Contains(t, own.body, s.url+"/saml/acs")
	idp.Register([]byte(own.body))
	return s, idp
}

// toProvider goes from the sign-in page to the identity provider and returns its answer, which is not posted yet.
func (b *browser) toProvider(idp *samltest.IdP, name, next string) (to string, form url.Values) {
	b.s.t.Helper()
	page := b.get("/login?next=" + url.QueryEscape(next))
	require.Equal(b.s.t, http.StatusOK, page.status)
	require.Contains(b.s.t, page.body, "/login/saml")
	a := b.get("/login/saml?next=" + url.QueryEscape(next))
	require.Equal(b.s.t, http.StatusSeeOther, a.status)
	to, form = idp.SignIn(a.to, name)
	require.Equal(b.s.t, b.s.url+"/saml/acs", to)
	return to, form
}

// bring makes the browser post the answer from the provider's site, without cookies, and follow the redirects.
func (b *browser) bring(to string, form url.Values) reply {
	b.s.t.Helper()
	jar := b.Jar
	b.Jar = nil
	a := b.post(to, form, "Sec-Fetch-Site", "cross-site", "Origin", "https://login.example.com")
	b.Jar = jar
	at, err := url.Parse(b.s.url)
	require.NoError(b.s.t, err)
	b.Jar.SetCookies(at, a.cookies)
	if a.status != http.StatusSeeOther {
		return a
	}
	require.Equal(b.s.t, "/saml/done", a.to)
	return b.get(a.to, "Sec-Fetch-Site", "cross-site")
}

func TestPeopleOfASAMLProviderSignIn(t *testing.T) {
	s, idp := samlSite(t)
	idp.Add("ada", "", "owner")
	idp.Add("bob", "t1", "viewer")
	b := s.browser()
	a := b.bring(b.toProvider(idp, "ada", "/users?after="))
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	assert.Equal(t, "/users?after=", a.to)
	page := b.get("/users")
	assert.Equal(t, http.StatusOK, page.status)
	assert.Contains(t, page.body, "Test ada")
	assert.NotContains(t, page.body, `name="password"`, "passwords are not accepted")
	u, err := s.db.Users().GetBySubject(t.Context(), idp.Metadata()+" ada")
	require.NoError(t, err)
	assert.Equal(t, "ada@example.com", u.Email)
	assert.Equal(t, []string{"owner"}, u.Roles)

	bob := s.browser()
	require.Equal(t, http.StatusSeeOther, bob.bring(bob.toProvider(idp, "bob", "/")).status)
	assert.Equal(t, http.StatusForbidden, bob.get("/users").status)
	assert.Equal(t, http.StatusOK, bob.get("/workspaces/t1").status)
	again := s.browser()
	require.Equal(t, http.StatusSeeOther, again.bring(again.toProvider(idp, "bob", "/")).status)
	known, err := s.db.Users().GetBySubject(t.Context(), idp.Metadata()+" bob")
	require.NoError(t, err)
	assert.Equal(t, "t1", known.TenantID)
	// A user's automation uses a token.
	made := b.post("/tokens", url.Values{"name": {"ci"}})
	require.Equal(t, http.StatusOK, made.status)
	assert.Contains(t, made.body, auth.PATPrefix)
	// Passwords are refused.
	assert.Equal(t, http.StatusNotFound, s.browser().post("/login", url.Values{
		"email":    {"ada@example.com"},
		"password": {testPassword},
	}).status)
	assert.Equal(t, "/login", s.browser().get("/setup").to)
}

func TestAnAnswerServesTheBrowserThatAsked(t *testing.T) {
	s, idp := samlSite(t)
	idp.Add("ada", "", "owner")
	idp.Add("eve", "", "billing-admin")
	// Eve gets Ada's browser to post Eve's answer, when Ada has started no sign-in, or another one.
	eve, ada := s.browser(), s.browser()
	to, form := eve.toProvider(idp, "eve", "/")
	a := ada.bring(to, form)
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Contains(t, a.body, "started in another browser")
	assert.Empty(t, ada.session())
	_, own := ada.toProvider(idp, "ada", "/")
	assert.Equal(t, http.StatusForbidden, ada.bring(to, form).status)
	assert.Empty(t, ada.session())
	// This also consumed the sign-in that Ada had started: she starts again.
	assert.Equal(t, http.StatusForbidden, ada.bring(to, own).status)
	require.Equal(t, http.StatusSeeOther, ada.bring(ada.toProvider(idp, "ada", "/")).status)
	assert.NotEmpty(t, ada.session())
	assert.Equal(t, http.StatusForbidden, s.browser().get("/saml/done").status)
}

func TestAnAssertionIsTakenOnce(t *testing.T) {
	s, idp := samlSite(t)
	idp.Add("ada", "", "owner")
	b := s.browser()
	to, form := b.toProvider(idp, "ada", "/")
	at, err := url.Parse(s.url)
	require.NoError(t, err)
	begun := b.Jar.Cookies(at)
	require.Equal(t, http.StatusSeeOther, b.bring(to, form).status)
	replay := s.browser()
	replay.Jar.SetCookies(at, begun)
	a := replay.bring(to, form)
	assert.Equal(t, http.StatusUnauthorized, a.status)
	assert.Empty(t, replay.session())
	assert.NotContains(t, a.body, "used before", "the reason is only in the audit chain")
}

func TestARelayStateLeadsNowhere(t *testing.T) {
	s, idp := samlSite(t)
	idp.Add("ada", "", "owner")
	b := s.browser()
	to, form := b.toProvider(idp, "ada", "//evil.example")
	form.Set("RelayState", "https://evil.example/")
	a := b.bring(to, form)
	require.Equal(t, http.StatusSeeOther, a.status)
	assert.Equal(t, "/", a.to)
}

func TestWhatTheProviderSaysHoldsFromEachSignInOn(t *testing.T) {
	s, idp := samlSite(t)
	s.user("root", auth.RoleOwner)
	idp.Add("ada", "", "owner")
	b := s.browser()
	require.Equal(t, http.StatusSeeOther, b.bring(b.toProvider(idp, "ada", "/")).status)
	require.Equal(t, http.StatusOK, b.get("/users").status)
	role, tenant := "viewer", "t1"
	idp.Alter(func(a *lib.Assertion) {
		for i, attr := range a.AttributeStatements[0].Attributes {
			if attr.FriendlyName == "eduPersonAffiliation" {
				a.AttributeStatements[0].Attributes[i].Values[0].Value = role
			}
		}
		a.AttributeStatements[0].Attributes = append(a.AttributeStatements[0].Attributes,
			lib.Attribute{Name: "scopedAffiliation", Values: []lib.AttributeValue{{Type: "xs:string", Value: tenant}}})
	})
	other := s.browser()
	require.Equal(t, http.StatusSeeOther, other.bring(other.toProvider(idp, "ada", "/")).status)
	for _, of := range []*browser{b, other} {
		assert.Equal(t, http.StatusForbidden, of.get("/users").status, "in the earlier session too")
	}
	tenant = "nowhere"
	third := s.browser()
	a := third.bring(third.toProvider(idp, "ada", "/"))
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Contains(t, a.body, "a workspace that does not exist here")
	role = "owner viewer"
	a = third.bring(third.toProvider(idp, "ada", "/"))
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Contains(t, a.body, "are mixed")
	role, tenant = "viewer", "t1"
	u, err := s.db.Users().GetBySubject(t.Context(), idp.Metadata()+" ada")
	require.NoError(t, err)
	_, err = s.db.Users().Change(t.Context(), u.ID, func(u *store.User) error { u.Status = store.UserDisabled; return nil })
	require.NoError(t, err)
	a = third.bring(third.toProvider(idp, "ada", "/"))
	assert.Equal(t, http.StatusUnauthorized, a.status)
	assert.NotContains(t, strings.ToLower(a.body), "disabled")
	assert.Empty(t, third.session())
}

func TestTheLastOwnerIsNotDemotedUnawares(t *testing.T) {
	s, idp := samlSite(t)
	idp.Add("ada", "", "owner")
	b := s.browser()
	require.Equal(t, http.StatusSeeOther, b.bring(b.toProvider(idp, "ada", "/")).status)
	idp.Add("ada", "", "billing-admin")
	idp.Alter(func(a *lib.Assertion) {
		for i, attr := range a.AttributeStatements[0].Attributes {
			if attr.FriendlyName == "eduPersonAffiliation" {
				a.AttributeStatements[0].Attributes[i].Values[0].Value = "billing-admin"
			}
		}
	})
	other := s.browser()
	a := other.bring(other.toProvider(idp, "ada", "/"))
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Contains(t, a.body, "the last owner")
	assert.Empty(t, other.session())
}

func TestAnythingElseAtTheAnswersAddressIsRefused(t *testing.T) {
	s, _ := samlSite(t)
	b := s.browser()
	for name, form := range map[string]url.Values{
		"nothing": {}, "noise": {"SAMLResponse": {"%%%"}}, "no XML": {"SAMLResponse": {"YWJj"}}, "a large " +
			"one": {"SAMLResponse": {strings.Repeat("A", maxAnswer)}},
	} {
		a := b.post("/saml/acs", form, "Sec-Fetch-Site", "cross-site")
		assert.Contains(t, []int{http.StatusUnauthorized, http.StatusRequestEntityTooLarge}, a.status, name)
		assert.Empty(t, b.session(), name)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, b.get("/saml/acs").status)
	plain := serveSite(t, nil)
	plain.user("ada", auth.RoleOwner)
	assert.Equal(t, http.StatusNotFound, plain.browser().post("/saml/acs", url.Values{}, "Sec-Fetch-Site", "cross-site").status)
	assert.Equal(t, http.StatusNotFound, plain.browser().get("/login/saml").status)
	assert.Equal(t, http.StatusNotFound, plain.browser().get("/login/oidc").status)
}
