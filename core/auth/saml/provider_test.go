package saml_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	lib "github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/saml"
	"github.com/headgate-dev/headgate/core/auth/saml/samltest"
)

var site = &url.URL{Scheme: "https", Host: "headgate.example.com"}

// provider is a service provider that the identity provider knows.
func provider(t testing.TB, idp *samltest.IdP, change func(*saml.Options)) *saml.Provider {
	t.Helper()
	o := saml.Options{
		Metadata: idp.Metadata(), RolesAttribute: "eduPersonAffiliation", TenantAttribute: "scopedAffiliation", SubjectAttribute: "uid",
	}
	if change != nil {
		change(&o)
	}
	p, err := saml.New(o)
	require.NoError(t, err)
	own, err := p.Describe(site)
	require.NoError(t, err)
	idp.Register(own)
	return p
}

// signIn is a sign-in from the console to the identity provider and back.
func signIn(t *testing.T, p *saml.Provider, idp *samltest.IdP, name string) (saml.Pending, *saml.Answer, error) {
	t.Helper()
	begun, form := toProvider(t, p, idp, name)
	a, err := p.ParseAnswer(context.Background(), site, form.Get("SAMLResponse"))
	return begun, a, err
}

func toProvider(t *testing.T, p *saml.Provider, idp *samltest.IdP, name string) (saml.Pending, url.Values) {
	t.Helper()
	address, begun, err := p.BeginSignIn(context.Background(), site)
	require.NoError(t, err)
	assert.True(t, begun.IsFresh(time.Now()))
	to, form := idp.SignIn(address, name)
	assert.Equal(t, "https://headgate.example.com/saml/acs", to)
	return begun, form
}

func reasonOf(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	var r *auth.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	var e *core.Error
	require.ErrorAs(t, err, &e)
	return e.Public
}

func TestARealProviderSaysWhoSignsIn(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "owner", "staff")
	idp.Add("bob", "t1", "viewer")
	key, cert := samltest.NewCert(t)
	certFile, keyFile := samltest.WriteFiles(t, key, cert)
	for name, change := range map[string]func(*saml.Options){
		"plain":                nil,
		"signed and encrypted": func(o *saml.Options) { o.CertFile, o.KeyFile = certFile, keyFile },
		"a configured name":    func(o *saml.Options) { o.EntityID = "urn:headgate" },
	} {
		t.Run(name, func(t *testing.T) {
			p := provider(t, idp, change)
			begun, a, err := signIn(t, p, idp, "ada")
			require.NoError(t, err, reasonOr(err))
			assert.Equal(t, begun.ID, a.Request)
			assert.Equal(t, &auth.Actor{
				ID:      "saml:ada",
				Name:    "Test ada",
				Roles:   []auth.Role{auth.RoleOwner},
				Subject: idp.Metadata() + " ada",
				Email:   "ada@example.com",
				Via:     auth.ViaSession,
			}, a.Actor)
			assert.NotEmpty(t, a.Assertion)
			assert.True(t, a.Until.After(time.Now()))
			_, b, err := signIn(t, p, idp, "bob")
			require.NoError(t, err, reasonOr(err))
			assert.Equal(t, []auth.Role{auth.RoleViewer}, b.Actor.Roles)
			assert.Equal(t, "t1", b.Actor.Tenant)
			assert.NotEqual(t, a.Assertion, b.Assertion)
		})
	}
}

func reasonOr(err error) string {
	var r *auth.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func TestRolesAndTenantFollowTheRulesOfTokens(t *testing.T) {
	idp := samltest.Start(t)
	p := provider(t, idp, nil)
	idp.Add("mixed", "t1", "owner", "viewer")
	idp.Add("none", "t1", "staff")
	idp.Add("stray", "", "admin")
	idp.Add("root", "t1", "org-admin")
	for name, says := range map[string]string{"mixed": "mixed", "none": "holds none of the roles", "stray": "names none"} {
		_, _, err := signIn(t, p, idp, name)
		assert.Contains(t, reasonOf(t, err), says, name)
	}
	_, a, err := signIn(t, p, idp, "root")
	require.NoError(t, err)
	assert.Equal(t, []auth.Role{auth.RoleOwner}, a.Actor.Roles)
	assert.Empty(t, a.Actor.Tenant, "a role of the platform makes the tenant irrelevant")
	free := provider(t, idp, func(o *saml.Options) { o.AnyRole = true })
	_, a, err = signIn(t, free, idp, "none")
	require.NoError(t, err)
	assert.Equal(t, "t1", a.Actor.Tenant)
}

func TestAssertionsThatAreNotInOrderAreRefused(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "owner")
	p := provider(t, idp, nil)
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, x := range map[string]struct {
		change func(*lib.Assertion)
		says   string
	}{
		"another audience": {func(a *lib.Assertion) { a.Conditions.AudienceRestrictions[0].Audience.Value = "https://other.example" }, "another audience"},
		"no audience":      {func(a *lib.Assertion) { a.Conditions.AudienceRestrictions = nil }, "another audience"},
		"one audience too many": {func(a *lib.Assertion) {
			a.Conditions.AudienceRestrictions = append(a.Conditions.AudienceRestrictions, lib.AudienceRestriction{Audience: lib.Audience{Value: "x"}})
		}, "another audience"},
		"another recipient": {func(a *lib.Assertion) {
			a.Subject.SubjectConfirmations[0].SubjectConfirmationData.Recipient = "https://other.example/saml/acs"
		}, "Recipient"},
		"another request": {func(a *lib.Assertion) {
			a.Subject.SubjectConfirmations[0].SubjectConfirmationData.InResponseTo = "id-other"
		}, "another request"},
		"no request":      {func(a *lib.Assertion) { a.Subject.SubjectConfirmations[0].SubjectConfirmationData.InResponseTo = "" }, "another request"},
		"no confirmation": {func(a *lib.Assertion) { a.Subject.SubjectConfirmations = nil }, "its bearer"},
		"another confirmation": {func(a *lib.Assertion) {
			a.Subject.SubjectConfirmations[0].Method = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"
		}, "its bearer"},
		"nothing confirmed":      {func(a *lib.Assertion) { a.Subject.SubjectConfirmations[0].SubjectConfirmationData = nil }, "lacks a part"},
		"no subject":             {func(a *lib.Assertion) { a.Subject = nil }, "lacks a part"},
		"no conditions":          {func(a *lib.Assertion) { a.Conditions = nil }, "lacks a part"},
		"no authentication":      {func(a *lib.Assertion) { a.AuthnStatements = nil }, "its bearer"},
		"expired":                {func(a *lib.Assertion) { a.Conditions.NotOnOrAfter = past }, "expired"},
		"expired confirmation":   {func(a *lib.Assertion) { a.Subject.SubjectConfirmations[0].SubjectConfirmationData.NotOnOrAfter = past }, "expired"},
		"not valid yet":          {func(a *lib.Assertion) { a.Conditions.NotBefore = future }, "not valid yet"},
		"issued long ago":        {func(a *lib.Assertion) { a.IssueInstant = past }, "expired"},
		"another issuer":         {func(a *lib.Assertion) { a.Issuer.Value = "https://other.example" }, "another identity provider"},
		"an ended session":       {func(a *lib.Assertion) { a.AuthnStatements[0].SessionNotOnOrAfter = &past }, "has ended"},
		"two subjects":           {func(a *lib.Assertion) { addValue(a, "uid", "eve") }, "must have one value"},
		"two tenants":            {func(a *lib.Assertion) { addAttribute(a, "scopedAffiliation", "t1", "t2") }, "several values"},
		"no id of the assertion": {func(a *lib.Assertion) { a.ID = "" }, "its bearer"},
	} {
		idp.Alter(x.change)
		_, a, err := signIn(t, p, idp, "ada")
		assert.Nil(t, a, name)
		assert.Contains(t, reasonOf(t, err), x.says, name)
	}
}

func addValue(a *lib.Assertion, name, value string) {
	for i, attr := range a.AttributeStatements[0].Attributes {
		if attr.FriendlyName == name {
			a.AttributeStatements[0].Attributes[i].Values = append(attr.Values, lib.AttributeValue{Type: "xs:string", Value: value})
		}
	}
}

func addAttribute(a *lib.Assertion, name string, all ...string) {
	attr := lib.Attribute{Name: name}
	for _, v := range all {
		attr.Values = append(attr.Values, lib.AttributeValue{Type: "xs:string", Value: v})
	}
	a.AttributeStatements[0].Attributes = append(a.AttributeStatements[0].Attributes, attr)
}

func TestAnswersThatWereTamperedWithAreRefused(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "viewer", "owner-not")
	idp.Add("bob", "t1", "viewer")
	p := provider(t, idp, nil)
	_, form := toProvider(t, p, idp, "bob")
	good := samltest.Decode(t, form)
	signature := regexp.MustCompile(`(?s)<ds:Signature .*?</ds:Signature>`)
	assertion := regexp.MustCompile(`(?s)<saml:Assertion .*</saml:Assertion>`).FindString(good)
	require.NotEmpty(t, assertion)
	require.NotEqual(t, good, signature.ReplaceAllString(good, ""))
	evil := strings.ReplaceAll(signature.ReplaceAllString(assertion, ""), ">viewer<", ">owner<")
	fresh := regexp.MustCompile(` ID="[^"]*"`)
	evil = fresh.ReplaceAllString(evil, ` ID="evil"`)
	for name, x := range map[string]struct{ text, says string }{
		"a changed role":             {strings.ReplaceAll(good, ">viewer<", ">owner<"), "signature"},
		"no signature":               {signature.ReplaceAllString(good, ""), "signature"},
		"unsigned, another role":     {strings.ReplaceAll(signature.ReplaceAllString(good, ""), ">viewer<", ">owner<"), "signature"},
		"a comment in a name":        {strings.ReplaceAll(good, ">bob<", ">b<!-- -->ob<"), "comment"},
		"another destination":        {strings.ReplaceAll(good, `Destination="https://headgate.example.com/saml/acs"`, `Destination="https://other.example/saml/acs"`), ""},
		"no request named":           {regexp.MustCompile(` InResponseTo="[^"]*"`).ReplaceAllString(good, ""), "unsolicited"},
		"another request named":      {regexp.MustCompile(` InResponseTo="[^"]*"`).ReplaceAllString(good, ` InResponseTo="id-x"`), ""},
		"a document type":            {`<!DOCTYPE x [<!ENTITY e "owner">]>` + good, "have no place"},
		"an unsigned one before":     {strings.Replace(good, assertion, evil+assertion, 1), ""},
		"an unsigned one behind":     {strings.Replace(good, assertion, assertion+evil, 1), ""},
		"the signed one in a corner": {strings.Replace(good, assertion, strings.Replace(evil, "</saml:Assertion>", "<saml:Advice>"+assertion+"</saml:Advice></saml:Assertion>", 1), 1), ""},
		"not XML":                    {"x", "cannot be read"},
		"another document":           {"<a/>", "unsolicited"},
		"cut off":                    {good[:len(good)/2], ""},
	} {
		a, err := p.ParseAnswer(context.Background(), site, base64.StdEncoding.EncodeToString([]byte(x.text)))
		if assert.Error(t, err, name) {
			assert.Contains(t, reasonOf(t, err), x.says, name)
		}
		assert.Nil(t, a, name)
	}
	// Without the signature around it, that of the assertion is enough, and what stands beside it is not taken.
	first := signature.FindString(good)
	bare := strings.Replace(good, first, "", 1)
	a, err := p.ParseAnswer(context.Background(), site, base64.StdEncoding.EncodeToString([]byte(bare)))
	require.NoError(t, err, reasonOr(err))
	assert.Equal(t, []auth.Role{auth.RoleViewer}, a.Actor.Roles)
	for name, text := range map[string]string{
		"an unsigned one before":     strings.Replace(bare, regexp.MustCompile(`(?s)<saml:Assertion .*</saml:Assertion>`).FindString(bare), evil+assertion, 1),
		"the signed one in a corner": strings.Replace(bare, assertion, strings.Replace(evil, "</saml:Assertion>", "<saml:Advice>"+assertion+"</saml:Advice></saml:Assertion>", 1), 1),
	} {
		a, err := p.ParseAnswer(context.Background(), site, base64.StdEncoding.EncodeToString([]byte(text)))
		if err == nil {
			assert.Equal(t, []auth.Role{auth.RoleViewer}, a.Actor.Roles, name)
		}
	}
	_, err = p.ParseAnswer(context.Background(), site, "%%%")
	assert.Contains(t, reasonOf(t, err), "cannot be read")
}

func TestWeakSignaturesAndOtherKeysAreRefused(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "owner")
	p := provider(t, idp, nil)
	_, _, err := signIn(t, p, idp, "ada")
	require.NoError(t, err)
	idp.IDP.SignatureMethod = dsig.RSASHA1SignatureMethod
	_, _, err = signIn(t, p, idp, "ada")
	assert.Contains(t, reasonOf(t, err), "SHA-1")
	idp.IDP.SignatureMethod = dsig.RSASHA256SignatureMethod
	idp.IDP.Key, idp.IDP.Certificate = samltest.NewCert(t)
	_, _, err = signIn(t, p, idp, "ada")
	assert.Contains(t, reasonOf(t, err), "signature")
}

func TestASubjectMustLast(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "owner")
	p := provider(t, idp, func(o *saml.Options) { o.SubjectAttribute = "" })
	_, _, err := signIn(t, p, idp, "ada")
	assert.Contains(t, reasonOf(t, err), "another one each time")
	for format, email := range map[string]string{
		"urn:oasis:names:tc:SAML:2.0:nameid-format:persistent":   "ada@example.com",
		"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress": "ada@example.com",
	} {
		idp.Alter(func(a *lib.Assertion) { a.Subject.NameID.Format, a.Subject.NameID.Value = format, "ada-1" })
		_, a, err := signIn(t, p, idp, "ada")
		require.NoError(t, err)
		assert.Equal(t, idp.Metadata()+" ada-1", a.Actor.Subject)
		assert.Equal(t, email, a.Actor.Email)
	}
	idp.Alter(func(a *lib.Assertion) { a.Subject.NameID = nil })
	_, _, err = signIn(t, p, idp, "ada")
	assert.Contains(t, reasonOf(t, err), "name id")
}

func TestMetadataThatCannotBeUsedAreRefused(t *testing.T) {
	idp := samltest.Start(t)
	resp := httptest.NewRecorder()
	idp.ServeHTTP(resp, httptest.NewRequest(http.MethodGet, "/metadata", nil))
	good := resp.Body.String()
	for name, x := range map[string]struct{ text, says string }{
		"not XML":         {"x", "no"},
		"another root":    {"<a/>", "not SAML metadata"},
		"no provider":     {`<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"></EntityDescriptor>`, "lack an identity provider"},
		"no certificate":  {regexp.MustCompile(`(?s)<KeyDescriptor.*</KeyDescriptor>`).ReplaceAllString(good, ""), "lack a certificate"},
		"no redirect":     {strings.ReplaceAll(good, "HTTP-Redirect", "SOAP"), "HTTP-Redirect"},
		"plain http":      {strings.ReplaceAll(good, idp.URL+"/sso", "http://login.example.com/sso"), "must be https"},
		"expired":         {regexp.MustCompile(`validUntil="[^"]*"`).ReplaceAllString(good, `validUntil="2020-01-01T00:00:00Z"`), "have expired"},
		"several of them": {`<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">` + good + good + `</EntitiesDescriptor>`, "2 identity providers"},
	} {
		file := filepath.Join(t.TempDir(), "idp.xml")
		require.NoError(t, os.WriteFile(file, []byte(x.text), 0o600))
		_, err := saml.New(saml.Options{Metadata: file})
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), x.says, name)
		}
	}
	file := filepath.Join(t.TempDir(), "idp.xml")
	require.NoError(
		t,
		os.WriteFile(file, []byte(`<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">`+good+`</EntitiesDescriptor>`), 0o600),
	)
	_, err := saml.New(saml.Options{Metadata: file})
	require.NoError(t, err)
	for _, address := range []string{"http://login.example.com/metadata", "ftp://login.example.com", file + ".missing"} {
		_, err := saml.New(saml.Options{Metadata: address})
		require.ErrorContains(t, err, "metadata", address)
	}
}

func TestWhileTheProviderIsAwayItsLastMetadataAreUsed(t *testing.T) {
	idp := samltest.Start(t)
	idp.Add("ada", "", "owner")
	up, now := false, time.Now()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		idp.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	var told error
	p := provider(t, idp, func(o *saml.Options) {
		o.Metadata, o.Now, o.Report = front.URL+"/metadata", func() time.Time { return now }, func(err error) { told = err }
	})
	_, _, err := p.BeginSignIn(context.Background(), site)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 503, e.HTTPStatus())
	require.ErrorContains(t, told, "status 502")
	up, now = true, now.Add(time.Minute)
	_, _, err = signIn(t, p, idp, "ada")
	require.NoError(t, err)
	up, now, told = false, now.Add(2*time.Hour), nil
	_, _, err = p.BeginSignIn(context.Background(), site)
	require.NoError(t, err)
	require.ErrorContains(t, told, "last ones stay in use")
}

func FuzzNoAnswerOfAnybodysIsTaken(f *testing.F) {
	idp := samltest.Start(f)
	p := provider(f, idp, nil)
	f.Add("<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" InResponseTo=\"x\"/>")
	f.Add("<a InResponseTo=\"x\">")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := p.ParseAnswer(context.Background(), site, base64.StdEncoding.EncodeToString([]byte(text)))
		require.Error(t, err)
	})
}
