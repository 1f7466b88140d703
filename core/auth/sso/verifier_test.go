package sso_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/sso"
	"github.com/headgate-dev/headgate/core/auth/sso/ssotest"
)

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) step(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

func newClock() *clock { return &clock{at: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func verifier(t testing.TB, s *ssotest.Issuer, c *clock, change func(*sso.Options)) *sso.Verifier {
	t.Helper()
	o := sso.Options{Issuer: s.URL, Audience: "headgate", Now: c.now}
	if change != nil {
		change(&o)
	}
	v, err := sso.New(o)
	require.NoError(t, err)
	return v
}

// reasonOf is why a token is not valid, for the audit chain.
func reasonOf(t testing.TB, err error) string {
	t.Helper()
	var r *auth.Refusal
	require.ErrorAs(t, err, &r)
	return r.Reason
}

func TestATokenOfTheIssuerIsTakenUnderEachAlgorithm(t *testing.T) {
	c := newClock()
	var keys []ssotest.Key
	for _, alg := range []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"} {
		keys = append(keys, ssotest.NewKey(t, "key of "+alg, alg))
	}
	s := ssotest.Start(t, keys...)
	v := verifier(t, s, c, nil)
	for _, k := range keys {
		who, err := v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), map[string]any{"email": "Ada@Example.com"})))
		require.NoError(t, err, k.Alg)
		assert.Equal(t, &auth.Actor{
			ID:       "jwt:ada",
			Name:     "Ada",
			Roles:    []auth.Role{auth.RoleOwner},
			Via:      auth.ViaJWT,
			Subject:  s.URL + " ada",
			Email:    "ada@example.com",
			IssuedAt: c.now().Truncate(time.Second).UTC(),
		}, who, k.Alg)
	}
	assert.Equal(t, int64(1), s.Asked.Load(), "the keys are asked for once")
}

func TestATokenThatIsNotInOrderIsRefused(t *testing.T) {
	c := newClock()
	good, other, curve := ssotest.NewKey(t, "good", "RS256"), ssotest.NewKey(t, "good", "RS256"), ssotest.NewKey(t, "curve", "ES256")
	strange := ssotest.NewKey(t, "strange", "RS256")
	s := ssotest.Start(t, good, curve)
	v := verifier(t, s, c, nil)
	claims := func(more map[string]any) map[string]any { return s.BuildClaims(c.now(), more) }
	at := func(d time.Duration) int64 { return c.now().Add(d).Unix() }
	header := func(more map[string]any) map[string]any {
		h := map[string]any{"typ": "JWT", "alg": "RS256", "kid": "good"}
		for k, x := range more {
			if h[k] = x; x == nil {
				delete(h, k)
			}
		}
		return h
	}
	spki, err := x509.MarshalPKIXPublicKey(good.Private.Public())
	require.NoError(t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
	_, err = v.Verify(context.Background(), good.SignToken(t, claims(nil)))
	require.NoError(t, err)
	whole := good.SignToken(t, claims(nil))
	parts := strings.Split(whole, ".")

	for name, x := range map[string]struct{ token, want string }{
		"expired":                       {good.SignToken(t, claims(map[string]any{"exp": at(-31 * time.Second)})), "expired JWT"},
		"without an end":                {good.SignToken(t, claims(map[string]any{"exp": nil})), "without exp"},
		"not yet valid":                 {good.SignToken(t, claims(map[string]any{"nbf": at(31 * time.Second)})), "not valid yet"},
		"issued in the future":          {good.SignToken(t, claims(map[string]any{"iat": at(31 * time.Second)})), "issued in the future"},
		"of another issuer":             {good.SignToken(t, claims(map[string]any{"iss": "https://other.example.com"})), "another issuer"},
		"of an issuer with a slash":     {good.SignToken(t, claims(map[string]any{"iss": s.URL + "/"})), "another issuer"},
		"without an issuer":             {good.SignToken(t, claims(map[string]any{"iss": nil})), "without exp, iss or aud"},
		"for another audience":          {good.SignToken(t, claims(map[string]any{"aud": "billing"})), "another audience"},
		"for a part of the name":        {good.SignToken(t, claims(map[string]any{"aud": "headgate2"})), "another audience"},
		"without an audience":           {good.SignToken(t, claims(map[string]any{"aud": nil})), "without exp, iss or aud"},
		"without a subject":             {good.SignToken(t, claims(map[string]any{"sub": nil})), "subject"},
		"with a subject of no text":     {good.SignToken(t, claims(map[string]any{"sub": 7})), "JWT"},
		"alg none":                      {ssotest.MakeUnsignedToken(t, header(map[string]any{"alg": "none"}), claims(nil)) + ".", "signature"},
		"alg None":                      {ssotest.MakeUnsignedToken(t, header(map[string]any{"alg": "None"}), claims(nil)) + ".", "JWT"},
		"alg none with a signature":     {good.SignTokenWith(t, header(map[string]any{"alg": "none"}), claims(nil)), "signature"},
		"without alg":                   {good.SignTokenWith(t, header(map[string]any{"alg": nil}), claims(nil)), "JWT"},
		"HMAC with the public key":      {ssotest.SignHMACToken(t, header(map[string]any{"alg": "HS256"}), claims(nil), public), "signature"},
		"HMAC with the modulus":         {ssotest.SignHMACToken(t, header(map[string]any{"alg": "HS256"}), claims(nil), good.Private.Public().(*rsa.PublicKey).N.Bytes()), "signature"},
		"another key under the same id": {other.SignToken(t, claims(nil)), "signature does not match"},
		"a key that is not published":   {strange.SignToken(t, claims(nil)), "does not publish"},
		"the id of a key of the curve":  {good.SignTokenWith(t, header(map[string]any{"kid": "curve"}), claims(nil)), "does not publish"},
		"RSA said to be of the curve":   {good.SignTokenWith(t, header(map[string]any{"kid": "curve", "alg": "ES256"}), claims(nil)), "signature does not match"},
		"another algorithm of the key":  {good.SignTokenWith(t, header(map[string]any{"alg": "RS512"}), claims(nil)), "does not publish"},
		"a key id that is not text":     {good.SignTokenWith(t, header(map[string]any{"kid": 1}), claims(nil)), "key id is not text"},
		"its own key in the header":     {strange.SignTokenWith(t, header(map[string]any{"jwk": ssotest.BuildJWK(strange), "kid": "strange"}), claims(nil)), "does not publish"},
		"an extension to understand":    {good.SignTokenWith(t, header(map[string]any{"crit": []string{"exp"}}), claims(nil)), "crit"},
		"a token for a sign-out":        {good.SignTokenWith(t, header(map[string]any{"typ": "logout+jwt"}), claims(nil)), "typ"},
		"changed claims":                {parts[0] + "." + strings.Split(ssotest.MakeUnsignedToken(t, header(nil), claims(map[string]any{"sub": "eve"})), ".")[1] + "." + parts[2], "signature does not match"},
		"a signature cut off":           {whole[:len(whole)-8], "JWT"},
		"no signature":                  {parts[0] + "." + parts[1] + ".", "signature"},
		"two parts":                     {parts[0] + "." + parts[1], "cannot be read"},
		"five parts, as encrypted ones": {whole + ".x.y", "cannot be read"},
		"another alphabet":              {parts[0] + "." + parts[1] + "." + strings.Repeat("+", len(parts[2])), "JWT"},
		"no token":                      {"x", "cannot be read"},
		"dots":                          {"..", "JWT"},
		"claims of no object":           {good.SignTokenWith(t, header(nil), nil), "JWT"},
	} {
		who, err := v.Verify(context.Background(), x.token)
		assert.Nil(t, who, name)
		if assert.Error(t, err, name) {
			assert.Contains(t, reasonOf(t, err), x.want, name)
		}
	}
}

func TestTheClockOfTheIssuerMayBeALittleOff(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "EdDSA")
	s := ssotest.Start(t, k)
	v := verifier(t, s, c, nil)
	for name, claims := range map[string]map[string]any{
		"just expired": {"exp": c.now().Add(-29 * time.Second).Unix()},
		"just ahead":   {"nbf": c.now().Add(29 * time.Second).Unix(), "iat": c.now().Add(29 * time.Second).Unix()},
	} {
		_, err := v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), claims)))
		require.NoError(t, err, name)
	}
}

func TestATokenWithoutAKeyIDNeedsTheOnlyKeyThatFits(t *testing.T) {
	c, first, second := newClock(), ssotest.NewKey(t, "first", "ES256"), ssotest.NewKey(t, "second", "ES256")
	rsa := ssotest.NewKey(t, "rsa", "RS256")
	s := ssotest.Start(t, first, rsa)
	v := verifier(t, s, c, nil)
	token := first.SignTokenWith(t, map[string]any{"alg": "ES256"}, s.BuildClaims(c.now(), nil))
	_, err := v.Verify(context.Background(), token)
	require.NoError(t, err, "one key of the curve is published")

	s.Publish(first, second, rsa)
	v = verifier(t, s, c, nil)
	_, err = v.Verify(context.Background(), token)
	assert.Contains(t, reasonOf(t, err), "does not publish", "which of two it is must not be guessed")
}

func TestKeysThatChangeAreTakenUpAndNotAskedForTooOften(t *testing.T) {
	c, old, fresh := newClock(), ssotest.NewKey(t, "old", "ES256"), ssotest.NewKey(t, "fresh", "ES256")
	s := ssotest.Start(t, old)
	v := verifier(t, s, c, nil)
	verify := func(k ssotest.Key) error {
		_, err := v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), nil)))
		return err
	}
	require.NoError(t, verify(old))
	s.Publish(fresh)
	for range 5 {
		require.Error(t, verify(fresh), "the keys were asked for a moment ago")
	}
	assert.Equal(t, int64(1), s.Asked.Load())
	require.NoError(t, verify(old), "the last keys are in use")
	c.step(31 * time.Second)
	require.NoError(t, verify(fresh))
	assert.Equal(t, int64(2), s.Asked.Load())
	c.step(31 * time.Second)
	require.Error(t, verify(old), "it was withdrawn")
	for range 20 { // made-up key ids cause no fetch
		require.Error(t, verify(ssotest.NewKey(t, "made up", "EdDSA")))
	}
	assert.Equal(t, int64(3), s.Asked.Load())
}

func TestAKeyThatIsWithdrawnEndsInTenMinutes(t *testing.T) {
	c, old, fresh := newClock(), ssotest.NewKey(t, "old", "ES256"), ssotest.NewKey(t, "fresh", "ES256")
	s := ssotest.Start(t, old, fresh)
	v := verifier(t, s, c, nil)
	token := old.SignToken(t, s.BuildClaims(c.now(), nil))
	_, err := v.Verify(context.Background(), token)
	require.NoError(t, err)
	s.Publish(fresh)
	c.step(10 * time.Minute)
	_, err = v.Verify(context.Background(), token)
	require.Error(t, err)
}

func TestWhileTheIssuerIsAwayItsLastKeysAreUsed(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "ES256")
	s := ssotest.Start(t, k)
	var told []error
	v := verifier(t, s, c, func(o *sso.Options) { o.Report = func(err error) { told = append(told, err) } })
	token := func() string { return k.SignToken(t, s.BuildClaims(c.now(), nil)) }
	_, err := v.Verify(context.Background(), token())
	require.NoError(t, err)
	for name, answer := range map[string]func() (int, any){
		"an error":       func() (int, any) { return 503, "down" },
		"no JSON":        func() (int, any) { return 200, "<html>" },
		"no key":         func() (int, any) { return 200, map[string]any{"keys": []any{}} },
		"too much":       func() (int, any) { return 200, strings.Repeat(" ", 1<<20+1) },
		"somewhere else": func() (int, any) { return 302, "" },
		"secrets": func() (int, any) {
			return 200, map[string]any{"keys": []any{map[string]any{"kty": "oct", "k": "c2VjcmV0", "alg": "HS256", "kid": "k"}}}
		},
	} {
		told = nil
		s.AnswerKeys(answer)
		c.step(time.Hour)
		_, err = v.Verify(context.Background(), token())
		require.NoError(t, err, name)
		require.Len(t, told, 1, name)
		require.ErrorContains(t, told[0], "the last ones stay in use", name)
	}
}

func TestAGatewayStartsWithoutItsIssuer(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "ES256")
	s := ssotest.Start(t, k)
	s.AnswerKeys(func() (int, any) { return 500, "" })
	v := verifier(t, s, c, nil)
	token := k.SignToken(t, s.BuildClaims(c.now(), nil))
	for range 3 {
		_, err := v.Verify(context.Background(), token)
		var e *core.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 503, e.HTTPStatus(), "the token cannot be checked")
	}
	assert.Equal(t, int64(1), s.Asked.Load())
	s.AnswerKeys(nil)
	c.step(2 * time.Second)
	_, err := v.Verify(context.Background(), token)
	require.NoError(t, err)
}

func TestADiscoveryDocumentOfSomebodyElsesIsNotFollowed(t *testing.T) {
	k := ssotest.NewKey(t, "k", "ES256")
	for name, c := range map[string]struct {
		doc  any
		want string
	}{
		"another issuer":   {map[string]any{"issuer": "https://evil.example.com", "jwks_uri": "https://evil.example.com/keys"}, "another issuer"},
		"keys over http":   {map[string]any{"issuer": "", "jwks_uri": "http://keys.example.com/"}, "must be https"},
		"keys in a file":   {map[string]any{"issuer": "", "jwks_uri": "file:///etc/passwd"}, "not an address"},
		"no keys":          {map[string]any{"issuer": ""}, "not an address"},
		"a page":           {"<html>", "not a JSON object"},
		"more than a page": {strings.Repeat("x", 2<<20), "larger than 1 MiB"},
	} {
		clk := newClock()
		s := ssotest.Start(t, k)
		s.AnswerDiscovery(func() (int, any) {
			if doc, ok := c.doc.(map[string]any); ok && doc["issuer"] == "" {
				doc["issuer"] = s.URL
			}
			return 200, c.doc
		})
		var told error
		v := verifier(t, s, clk, func(o *sso.Options) { o.Report = func(err error) { told = err } })
		_, err := v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(clk.now(), nil)))
		require.Error(t, err, name)
		require.ErrorContains(t, told, c.want, name)
	}
}

func TestManyTokensAtTheStartAskOnce(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "EdDSA")
	s := ssotest.Start(t, k)
	v := verifier(t, s, c, nil)
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() { _, errs[i] = v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), nil))) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	assert.Equal(t, int64(1), s.Asked.Load())
}

func TestWeakAndDamagedKeysAreLeftOut(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "ES256")
	point := ssotest.BuildJWK(k)
	s := ssotest.Start(t)
	for name, key := range map[string]map[string]any{
		"a point off the curve":    {"kty": "EC", "crv": "P-256", "kid": "k", "x": point["x"], "y": point["x"]},
		"a curve that is not ours": {"kty": "EC", "crv": "secp256k1", "kid": "k", "x": point["x"], "y": point["y"]},
		"for encryption":           {"kty": "EC", "crv": "P-256", "kid": "k", "x": point["x"], "y": point["y"], "use": "enc"},
		"for signing only":         {"kty": "EC", "crv": "P-256", "kid": "k", "x": point["x"], "y": point["y"], "key_ops": []string{"sign"}},
		"for another algorithm":    {"kty": "EC", "crv": "P-256", "kid": "k", "x": point["x"], "y": point["y"], "alg": "RS256"},
		"a short modulus":          {"kty": "RSA", "kid": "k", "n": "AQAB", "e": "AQAB"},
		"no key":                   {"kty": "EC", "kid": "k"},
	} {
		s.AnswerKeys(func() (int, any) { return 200, map[string]any{"keys": []any{key, 7, "x"}} })
		var told error
		v := verifier(t, s, c, func(o *sso.Options) { o.Report = func(err error) { told = err } })
		_, err := v.Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), nil)))
		require.Error(t, err, name)
		require.ErrorContains(t, told, "no key that signatures could be checked with", name)
	}
	assert.IsType(t, &ecdsa.PrivateKey{}, k.Private)
}

func TestRolesAndTenantComeFromTheClaims(t *testing.T) {
	c, k := newClock(), ssotest.NewKey(t, "k", "EdDSA")
	s := ssotest.Start(t, k)
	for name, x := range map[string]struct {
		claims  map[string]any
		options func(*sso.Options)
		roles   []auth.Role
		tenant  string
		denied  string
	}{
		"an array":                          {map[string]any{"roles": []string{"policy-admin", "billing-admin"}}, nil, []auth.Role{auth.RolePolicyAdmin, auth.RoleBillingAdmin}, "", ""},
		"a text with spaces":                {map[string]any{"roles": "viewer  developer", "tenant_id": "t1"}, nil, []auth.Role{auth.RoleDeveloper, auth.RoleViewer}, "t1", ""},
		"the other name of the owner":       {map[string]any{"roles": []string{"org-admin"}}, nil, []auth.Role{auth.RoleOwner}, "", ""},
		"both names of the owner":           {map[string]any{"roles": []string{"org-admin", "owner"}}, nil, []auth.Role{auth.RoleOwner}, "", ""},
		"roles of others are ignored":       {map[string]any{"roles": []any{"offline_access", "admin", 7, nil, "Owner"}, "tenant_id": "t1"}, nil, []auth.Role{auth.RoleAdmin}, "t1", ""},
		"nested":                            {map[string]any{"roles": nil, "realm_access": map[string]any{"roles": []string{"owner"}}}, func(o *sso.Options) { o.RolesClaim = "realm_access.roles" }, []auth.Role{auth.RoleOwner}, "", ""},
		"deeply nested":                     {map[string]any{"a": map[string]any{"b.c": map[string]any{"d": "viewer"}}, "org": map[string]any{"id": "t9"}}, func(o *sso.Options) { o.RolesClaim, o.TenantClaim = "a.b.c.d", "org.id" }, []auth.Role{auth.RoleViewer}, "t9", ""},
		"a claim that is named by dots":     {map[string]any{"https://example.com/roles": []string{"owner"}}, func(o *sso.Options) { o.RolesClaim = "https://example.com/roles" }, []auth.Role{auth.RoleOwner}, "", ""},
		"a role of the platform, a tenant":  {map[string]any{"roles": "owner", "tenant_id": "t1"}, nil, []auth.Role{auth.RoleOwner}, "", ""},
		"no role":                           {map[string]any{"roles": nil}, nil, nil, "", "the claim roles of your token holds none of the roles"},
		"no role that is known":             {map[string]any{"roles": []string{"superuser"}}, nil, nil, "", "holds none of the roles"},
		"roles of no kind":                  {map[string]any{"roles": map[string]any{"owner": true}}, nil, nil, "", "holds none of the roles"},
		"mixed":                             {map[string]any{"roles": []string{"owner", "viewer"}, "tenant_id": "t1"}, nil, nil, "", "are mixed"},
		"mixed by the other name":           {map[string]any{"roles": []string{"org-admin", "admin"}, "tenant_id": "t1"}, nil, nil, "", "are mixed"},
		"a role of a tenant without one":    {map[string]any{"roles": "admin"}, nil, nil, "", "its claim tenant_id names none"},
		"an empty tenant":                   {map[string]any{"roles": "admin", "tenant_id": ""}, nil, nil, "", "its claim tenant_id names none"},
		"a tenant that is not text":         {map[string]any{"roles": "admin", "tenant_id": []string{"t1", "t2"}}, nil, nil, "", "is not text"},
		"the default claim, if not asked":   {map[string]any{"roles": "owner"}, func(o *sso.Options) { o.RolesClaim = "groups" }, nil, "", "the claim groups"},
		"any role will do":                  {map[string]any{"roles": nil}, func(o *sso.Options) { o.AnyRole = true }, nil, "", ""},
		"any role will do, within a tenant": {map[string]any{"roles": "x", "tenant_id": "t1"}, func(o *sso.Options) { o.AnyRole = true }, nil, "t1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			who, err := verifier(t, s, c, x.options).Verify(context.Background(), k.SignToken(t, s.BuildClaims(c.now(), x.claims)))
			if x.denied != "" {
				var e *core.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, 403, e.HTTPStatus())
				assert.Equal(t, "FORBIDDEN", e.Code)
				assert.Contains(t, e.Public, x.denied)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, x.roles, who.Roles)
			assert.Equal(t, x.tenant, who.Tenant)
		})
	}
}

func TestAnAddressThatOthersCouldAnswerForIsRefused(t *testing.T) {
	for _, address := range []string{"", "x", "http://login.example.com", "ftp://login.example.com", "https://", "https://user:pw@login.example.com", "https://login.example.com/?x=1", "http://127.0.0.1.example.com"} {
		_, err := sso.New(sso.Options{Issuer: address, Audience: "headgate"})
		require.ErrorContains(t, err, "the issuer", address)
	}
	for _, address := range []string{"https://login.example.com/realms/main", "http://localhost:8080", "http://[::1]:80", "http://127.9.9.9"} {
		_, err := sso.New(sso.Options{Issuer: address, Audience: "headgate"})
		require.NoError(t, err, address)
	}
	_, err := sso.New(sso.Options{Issuer: "https://login.example.com"})
	require.ErrorContains(t, err, "audience")
}

// The key is not of a curve whose signatures have a second form.
func FuzzNoTokenOfAnybodysIsTaken(f *testing.F) {
	c, k, evil := newClock(), ssotest.NewKey(f, "k", "EdDSA"), ssotest.NewKey(f, "k", "EdDSA")
	s := ssotest.Start(f, k)
	v := verifier(f, s, c, nil)
	good := k.SignToken(f, s.BuildClaims(c.now(), nil))
	f.Add(good[:len(good)-1])
	f.Add(evil.SignToken(f, s.BuildClaims(c.now(), nil)))
	f.Add("e30.e30.")
	f.Fuzz(func(t *testing.T, token string) {
		if token == good {
			return
		}
		_, err := v.Verify(context.Background(), token)
		require.Error(t, err)
	})
}
