package console

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/saml"
	"github.com/headgate-dev/headgate/core/auth/sso"
)

// ssoHandlers sign people in at an identity provider.
type ssoHandlers struct {
	auth *auth.Admin
	oidc *sso.Client
	saml *saml.Provider
	url  *url.URL
	now  func() time.Time
	// provider is the path that starts a sign-in.
	provider string
}

// Box encrypts the cookies of a sign-in at the identity provider.
type Box interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// The paths that start a sign-in at an identity provider.
const (
	oidcStartPath = "/login/oidc"
	samlStartPath = "/login/saml"
)

func (h *ssoHandlers) mount(c *Console) {
	switch {
	case h.oidc != nil:
		c.engine.GET(oidcStartPath, c.allowAnyone(h.beginOIDC))
		c.engine.GET(oidcStartPath+"/callback", c.allowAnyone(h.finishOIDC))
	case h.saml != nil:
		c.engine.GET(samlStartPath, c.allowAnyone(h.beginSAML))
		c.engine.GET("/saml/metadata", c.allowAnyone(h.describeSAML))
		c.engine.POST(samlACSPath, c.allowAnyone(h.receiveSAML))
		c.engine.GET(samlDonePath, c.allowAnyone(h.finishSAML))
	}
}

// chooseSignInPath returns the path that starts a sign-in at the identity provider, or "" without one.
func chooseSignInPath(o *Options) string {
	switch {
	case o.OIDC != nil:
		return oidcStartPath
	case o.SAML != nil:
		return samlStartPath
	}
	return ""
}

// findBase returns the address of the console as the browser sees it. Without a configured URL it is a loopback name.
func (h *ssoHandlers) findBase(r *http.Request) *url.URL {
	if h.url != nil {
		return &url.URL{Scheme: h.url.Scheme, Host: h.url.Host}
	}
	u := &url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u
}

// signInState is the state of a sign-in at the identity provider, which the browser holds in a cookie.
type signInState[T any] struct {
	Begun T      `json:"b"`
	Next  string `json:"n"` // the page to show afterwards
}

// The cookies of a sign-in: its state, and the answer of the identity provider.
const (
	begunCookie  = "headgate_signin"
	answerCookie = "headgate_answer"
)

// sealCookie stores an encrypted value in a session cookie.
func (r *request) sealCookie(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	r.c.setCookie(r.Context, r.c.nameHostCookie(r.Request, name), base64.RawURLEncoding.EncodeToString(r.c.Box.Seal(b, name)), 0)
	return nil
}

// openCookie decrypts a value of sealCookie into v, and deletes the cookie, so that it is used once.
func (r *request) openCookie(name string, v any) bool {
	name, own := r.c.nameHostCookie(r.Request, name), name
	k, err := r.Request.Cookie(name)
	if err != nil {
		return false
	}
	r.c.setCookie(r.Context, name, "", -1)
	sealed, err := base64.RawURLEncoding.DecodeString(k.Value)
	if err != nil {
		return false
	}
	b, err := r.c.Box.Open(sealed, own)
	return err == nil && json.Unmarshal(b, v) == nil
}

// newStraySignInError refuses a sign-in that this browser did not start.
func newStraySignInError() error {
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodeForbidden,
		Public: "This sign-in has expired or was started in another browser. Start again.",
	}
}

// startSession starts a session for the user of an answer of the identity provider.
func (h *ssoHandlers) startSession(r *request, who *auth.Actor, next string) error {
	s, err := h.auth.SignInActor(r.ctx(), who, r.service().Users().EnsureExists)
	if err != nil {
		return h.refuseSignIn(r, err)
	}
	r.startSession(s)
	r.Redirect(http.StatusSeeOther, chooseLocalPath(next))
	return nil
}

// refuseSignIn shows the sign-in page with an error.
func (h *ssoHandlers) refuseSignIn(r *request, err error) error {
	f := newForm()
	return r.showRefused("login", "Sign in", login{f, "/", false, h.provider}, f, err)
}
