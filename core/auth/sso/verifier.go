package sso

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// Options contains the settings of a Verifier. Issuer and Audience are required.
type Options struct {
	Issuer      string // as the iss claim has it, to the letter
	Audience    string // what the aud claim must hold
	RolesClaim  string // "roles" by default; dots lead into nested claims
	TenantClaim string // "tenant_id" by default
	// AnyRole accepts tokens without a known role, for an installation without permission checks.
	AnyRole bool
	// Report is called when the issuer's keys cannot be read. Optional.
	Report func(error)
	Client *http.Client     // by default one that follows no redirects
	Now    func() time.Time // by default the system's clock
}

// leeway is the tolerated difference of the issuer's clock.
const leeway = 30 * time.Second

// algorithms are the permitted signatures, all with public keys: neither HMAC nor "none".
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// Verifier verifies the tokens of one issuer.
type Verifier struct {
	Options
	issuer *issuer
	parser *jwt.Parser
}

var _ auth.Verifier = (*Verifier)(nil)

// New returns a verifier. It does not contact the issuer yet.
func New(o Options) (*Verifier, error) {
	if err := CheckURL(o.Issuer); err != nil {
		return nil, fmt.Errorf("the issuer %w", err)
	}
	if o.Audience == "" {
		return nil, errors.New("an audience is required: without it, tokens that the issuer created for other programs would be accepted")
	}
	if o.RolesClaim == "" {
		o.RolesClaim = "roles"
	}
	if o.TenantClaim == "" {
		o.TenantClaim = "tenant_id"
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	v := &Verifier{Options: o, issuer: &issuer{url: o.Issuer, client: o.Client, now: o.Now, report: o.Report}}
	v.parser = v.newParser(o.Audience)
	return v, nil
}

// newParser returns the parser of tokens for an audience.
func (v *Verifier) newParser(audience string) *jwt.Parser {
	return jwt.NewParser(
		jwt.WithValidMethods(algorithms), jwt.WithIssuer(v.Issuer), jwt.WithAudience(audience), jwt.WithExpirationRequired(),
		jwt.WithLeeway(leeway), jwt.WithIssuedAt(), jwt.WithTimeFunc(v.Now), jwt.WithStrictDecoding(),
	)
}

// Verify returns the actor of a token.
func (v *Verifier) Verify(ctx context.Context, token string) (*auth.Actor, error) {
	claims := jwt.MapClaims{}
	_, err := v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) { return v.findKeys(ctx, t) })
	if errors.Is(err, errAway) {
		return nil, &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err,
			Public: "the identity provider does not answer, and its keys are not known yet; try again, or use a personal access token",
		}
	}
	if err != nil {
		return nil, &auth.Refusal{Reason: describeError(err)}
	}
	return v.buildActor(claims)
}

// findKeys returns the keys that may verify a token's signature.
func (v *Verifier) findKeys(ctx context.Context, t *jwt.Token) (any, error) {
	if _, ok := t.Header["crit"]; ok {
		return nil, &auth.Refusal{Reason: "JWT with extensions that must be understood (crit)"}
	}
	switch typ, _ := t.Header["typ"].(string); strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "at+jwt":
	default:
		return nil, &auth.Refusal{Reason: "JWT that is made for something else (typ)"}
	}
	kid, isText := t.Header["kid"].(string)
	if _, there := t.Header["kid"]; there && !isText {
		return nil, &auth.Refusal{Reason: "JWT whose key id is not text"}
	}
	found, err := v.issuer.find(ctx, kid, t.Method.Alg())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &auth.Refusal{Reason: "JWT signed with a key that the issuer does not publish"}
	}
	set := jwt.VerificationKeySet{}
	for _, k := range found {
		set.Keys = append(set.Keys, k.public)
	}
	return set, nil
}

// describeError returns the error in a token in our own words, because the library's words may quote parts of the token.
func describeError(err error) string {
	var r *auth.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	for _, c := range []struct {
		is   error
		text string
	}{
		{jwt.ErrTokenMalformed, "JWT that cannot be read"},
		{jwt.ErrTokenExpired, "expired JWT"},
		{jwt.ErrTokenNotValidYet, "JWT that is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "JWT issued in the future"},
		{jwt.ErrTokenInvalidIssuer, "JWT of another issuer"},
		{jwt.ErrTokenInvalidAudience, "JWT for another audience"},
		{jwt.ErrTokenRequiredClaimMissing, "JWT without exp, iss or aud"},
		{jwt.ErrTokenSignatureInvalid, "JWT whose signature does not match"},
	} {
		if errors.Is(err, c.is) {
			return c.text
		}
	}
	return "JWT that is not valid"
}

func (v *Verifier) buildActor(claims jwt.MapClaims) (*auth.Actor, error) {
	sub, _ := claims["sub"].(string)
	if sub == "" || len(sub) > maxText {
		return nil, &auth.Refusal{Reason: "JWT without a subject of 1 to 255 bytes"}
	}
	a := &auth.Actor{
		ID: "jwt:" + sub, Name: findFirstString(claims, "name", "preferred_username", "email", "sub"), Via: auth.ViaJWT,
		Subject: v.Issuer + " " + sub, Email: strings.ToLower(findFirstString(claims, "email")),
	}
	if at, err := claims.GetIssuedAt(); err == nil && at != nil {
		a.IssuedAt = at.UTC()
	}
	named, _ := lookupClaim(claims, v.RolesClaim)
	tenant, there := lookupClaim(claims, v.TenantClaim)
	own, isText := tenant.(string)
	switch {
	case there && tenant != nil && !isText:
		return nil, newAccessDeniedError("the claim %s of your token, which names the tenant, is not text", v.TenantClaim)
	case len(own) > maxText:
		return nil, newAccessDeniedError("the claim %s of your token, which names the tenant, is too long", v.TenantClaim)
	}
	var err error
	a.Roles, a.Tenant, err = auth.ParseClaims(readStrings(named), own, v.AnyRole)
	switch {
	case err == nil:
		return a, nil
	case errors.Is(err, auth.ErrNoRole):
		return nil, newAccessDeniedError(
			"the claim %s of your token holds none of the roles owner, policy-admin, billing-admin, auditor, admin, developer and viewer",
			v.RolesClaim,
		)
	case errors.Is(err, auth.ErrNoTenant):
		return nil, newAccessDeniedError("your token has a role of a tenant, and its claim %s names none", v.TenantClaim)
	}
	return nil, newAccessDeniedError("your token cannot be used: %s", err.Error())
}

func newAccessDeniedError(format string, args ...any) error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: fmt.Sprintf(format, args...)}
}
