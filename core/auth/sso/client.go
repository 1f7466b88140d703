package sso

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// Client implements the authorization code flow of OpenID Connect with PKCE.
type Client struct {
	v          *Verifier
	id, secret string
	scopes     string
	parser     *jwt.Parser
}

// NewClient returns the client of the issuer whose tokens v verifies. secret is "" for a public client.
func (v *Verifier) NewClient(id, secret, scopes string) *Client {
	return &Client{v: v, id: id, secret: secret, scopes: scopes, parser: v.newParser(id)}
}

// Pending is a sign-in in progress. The browser stores it, sealed, until it returns.
type Pending struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Redirect string    `json:"r"`
	At       time.Time `json:"t"`
}

// BeginLife limits the time at the identity provider.
const BeginLife = 15 * time.Minute

// BeginSignIn returns the address at the issuer to which the browser is redirected. It returns to redirect.
func (c *Client) BeginSignIn(ctx context.Context, redirect string) (string, Pending, error) {
	doc, err := c.v.issuer.discover(ctx)
	if err != nil {
		return "", Pending{}, newUnavailableError(err)
	}
	u, err := url.Parse(doc.Authorization)
	if err != nil || CheckURL(u.Scheme+"://"+u.Host) != nil || u.User != nil {
		return "", Pending{}, newUnavailableError(errors.New("discovery: authorization_endpoint is not an https address"))
	}
	b := Pending{State: rand.Text(), Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Redirect: redirect, At: c.v.Now()}
	challenge := sha256.Sum256([]byte(b.Verifier))
	q := u.Query()
	for k, v := range map[string]string{
		"response_type": "code", "client_id": c.id, "redirect_uri": redirect, "scope": c.scopes, "state": b.State, "nonce": b.Nonce,
		"code_challenge": base64.RawURLEncoding.EncodeToString(challenge[:]), "code_challenge_method": "S256",
	} {
		q.Set(k, v)
	}
	u.RawQuery = q.Encode()
	return u.String(), b, nil
}

// FinishSignIn returns the actor who has signed in, from the parameters with which the browser returned.
func (c *Client) FinishSignIn(ctx context.Context, b Pending, back url.Values) (*auth.Actor, error) {
	if now := c.v.Now(); now.Sub(b.At) > BeginLife || b.At.After(now.Add(leeway)) {
		return nil, newSignInExpiredError()
	}
	if b.State == "" || subtle.ConstantTimeCompare([]byte(back.Get("state")), []byte(b.State)) != 1 {
		return nil, newSignInExpiredError()
	}
	doc, err := c.v.issuer.discover(ctx)
	if err != nil {
		return nil, newUnavailableError(err)
	}
	if iss := back.Get("iss"); iss != "" && iss != c.v.Issuer || iss == "" && doc.NamesItself {
		return nil, &auth.Refusal{Reason: "an answer of another identity provider"}
	}
	if code := back.Get("error"); code != "" {
		return nil, &auth.Refusal{Reason: "the identity provider has refused the sign-in: " + describeCode(code)}
	}
	if back.Get("code") == "" {
		return nil, &auth.Refusal{Reason: "an answer of the identity provider without a code"}
	}
	id, access, err := c.exchangeCode(ctx, &doc, b, back.Get("code"))
	if err != nil {
		return nil, err
	}
	claims := jwt.MapClaims{}
	_, err = c.parser.ParseWithClaims(id, claims, func(t *jwt.Token) (any, error) { return c.v.findKeys(ctx, t) })
	if errors.Is(err, errAway) {
		return nil, newUnavailableError(err)
	}
	if err != nil {
		return nil, &auth.Refusal{Reason: describeError(err)}
	}
	nonce, _ := claims["nonce"].(string)
	if subtle.ConstantTimeCompare([]byte(nonce), []byte(b.Nonce)) != 1 {
		return nil, &auth.Refusal{Reason: "an id token with another nonce"}
	}
	if azp, there := claims["azp"]; there && azp != c.id {
		return nil, &auth.Refusal{Reason: "an id token for another client (azp)"}
	}
	if err := c.addUserInfo(ctx, &doc, access, claims); err != nil {
		return nil, err
	}
	return c.v.buildActor(claims)
}

// newSignInExpiredError returns the error for a sign-in that took too long or belongs to another browser.
func newSignInExpiredError() error {
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodeForbidden,
		Public: "This sign-in has ended, or was begun in another window or browser. Begin again.",
	}
}

// newUnavailableError returns the error while the issuer does not answer correctly.
func newUnavailableError(err error) error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, Err: fmt.Errorf("sign-in at the identity provider: %w", err),
		Public: "The identity provider does not answer as it should. Try again in a minute.",
	}
}

// describeCode returns a known OAuth error code. Unknown codes may contain anything and are not repeated.
func describeCode(code string) string {
	for _, c := range []string{
		"access_denied", "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_response_type",
		"invalid_scope", "server_error", "temporarily_unavailable", "login_required", "consent_required", "interaction_required",
	} {
		if c == code {
			return c
		}
	}
	return "for an unknown reason"
}
