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
	// provider is where people begin to sign in.
	provider string
}

// Box seals what a browser keeps while its user is at the identity provider.
type Box interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// Where people begin to sign in at an identity provider.
const (
	oidcStart = "/login/oidc"
	samlStart = "/login/saml"
)

// single mounts signing in at an identity provider.
func (h *ssoHandlers) mount(c *Console) {
	switch {
	case h.oidc != nil:
		c.engine.GET(oidcStart, c.door(h.beginOIDC))
		c.engine.GET(oidcStart+"/callback", c.door(h.finishOIDC))
	case h.saml != nil:
		c.engine.GET(samlStart, c.door(h.beginSAML))
		c.engine.GET("/saml/metadata", c.door(h.describeSAML))
		c.engine.POST(samlAnswer, c.door(h.receiveSAML))
		c.engine.GET(samlDone, c.door(h.finishSAML))
	}
}

// signInPath returns where people begin to sign in at the identity provider, or "" without one.
func signInPath(o *Options) string {
	switch {
	case o.OIDC != nil:
		return oidcStart
	case o.SAML != nil:
		return samlStart
	}
	return ""
}

// base is the console's own address, as the browser has it. Without a configured one it is a loopback name.
func (h *ssoHandlers) base(r *http.Request) *url.URL {
	if h.url != nil {
		return &url.URL{Scheme: h.url.Scheme, Host: h.url.Host}
	}
	u := &url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u
}

// underWay is a sign-in at the identity provider, as the browser keeps it.
type underWay[T any] struct {
	Begun T      `json:"b"`
	Next  string `json:"n"` // where it leads
}

// What of a sign-in the browser keeps: what was begun, and what the identity provider has answered.
const (
	begunCookie  = "headgate_signin"
	answerCookie = "headgate_answer"
)

// keep has the browser keep a value, sealed, until its user comes back.
func (r *request) keep(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	r.c.cookie(r.Context, r.c.hostOnly(r.Request, name), base64.RawURLEncoding.EncodeToString(r.c.Box.Seal(b, name)), 0)
	return nil
}

// kept is what keep has left, which goes: it serves once.
func (r *request) kept(name string, v any) bool {
	name, own := r.c.hostOnly(r.Request, name), name
	k, err := r.Request.Cookie(name)
	if err != nil {
		return false
	}
	r.c.cookie(r.Context, name, "", -1)
	sealed, err := base64.RawURLEncoding.DecodeString(k.Value)
	if err != nil {
		return false
	}
	b, err := r.c.Box.Open(sealed, own)
	return err == nil && json.Unmarshal(b, v) == nil
}

// strayed is what somebody reads who comes back without having gone from here.
func strayed() error {
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodeForbidden,
		Public: "This sign-in has ended, or was begun in another window or browser. Begin again.",
	}
}

// enter begins the session of somebody whom the identity provider has named.
func (h *ssoHandlers) enter(r *request, who *auth.Actor, next string) error {
	s, err := h.auth.Enter(r.ctx(), who, r.service().Users().EnsureExists)
	if err != nil {
		return h.notLetIn(r, err)
	}
	r.admit(s)
	r.Redirect(http.StatusSeeOther, inside(next))
	return nil
}

// notLetIn answers with the sign-in, and why it came to nothing.
func (h *ssoHandlers) notLetIn(r *request, err error) error {
	f := newForm()
	return r.again("login", "Sign in", login{f, "/", false, h.provider}, f, err)
}
