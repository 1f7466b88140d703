package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// nameHostCookie returns the full name of a cookie. Browsers accept the prefix __Host- only over HTTPS and from this
// host, so that no other host of the domain can set the cookie.
func (c *Console) nameHostCookie(r *http.Request, name string) string {
	if c.isHTTPS(r) {
		return "__Host-" + name
	}
	return name
}

// nameSessionCookie returns the name of the session cookie.
func (c *Console) nameSessionCookie(r *http.Request) string {
	return c.nameHostCookie(r, "headgate_session")
}

// setCookie sets a cookie that scripts cannot read. With age 0 it lasts until the browser closes; a negative age deletes it.
func (c *Console) setCookie(g *gin.Context, name, value string, age time.Duration) {
	k := &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, Secure: c.isHTTPS(g.Request), SameSite: http.SameSiteLaxMode,
		MaxAge: int(age / time.Second),
	}
	if age < 0 {
		k.MaxAge = -1
	}
	http.SetCookie(g.Writer, k)
}

// readSession returns the session of a request, or nil if the browser is not signed in.
func (c *Console) readSession(g *gin.Context) (*auth.Session, error) {
	k, err := g.Request.Cookie(c.nameSessionCookie(g.Request))
	if err != nil {
		return nil, nil // no cookie
	}
	return c.Auth.OpenSession(g.Request.Context(), k.Value)
}

// requireSignIn admits users who are signed in and have permission p.
func (c *Console) requireSignIn(p auth.Permission, h func(*request) error) gin.HandlerFunc {
	return c.requireSession(p, maxForm, h)
}

// requireSession is signedIn for bodies up to a size in bytes.
func (c *Console) requireSession(p auth.Permission, most int64, h func(*request) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		s, err := c.readSession(g)
		if err != nil {
			c.showErrorPage(g, core.ConvertError(err))
			return
		}
		if s == nil {
			c.redirectToSignIn(g)
			return
		}
		if g.Request.Body != nil {
			g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, most)
		}
		r := &request{Context: g, c: c, session: s, who: s.Actor}
		if s.MustChange && c.Passwords && !allowedBeforeChange[g.Request.URL.Path] {
			c.redirectToPassword(g)
			return
		}
		if p != "" && !s.Actor.Can(p) {
			r.fail(admin.NewMissingRoleError(p))
			return
		}
		if err := h(r); err != nil {
			r.fail(err)
		}
	}
}

// allowedBeforeChange are the pages that a user may open before choosing a password of their own.
var allowedBeforeChange = map[string]bool{"/account": true, "/account/password": true, "/logout": true, "/logout/everywhere": true}

// redirectToPassword redirects to the page on which a user chooses a password. The script gets a 401 and reloads the whole page.
func (c *Console) redirectToPassword(g *gin.Context) {
	if g.GetHeader(fragmentHeader) != "" {
		g.Status(http.StatusUnauthorized)
		return
	}
	g.Redirect(http.StatusSeeOther, "/account")
}

// redirectToSignIn redirects to the sign-in page, and from there back. The script gets a 401 and reloads the whole page.
func (c *Console) redirectToSignIn(g *gin.Context) {
	if g.GetHeader(fragmentHeader) != "" {
		g.Status(http.StatusUnauthorized)
		return
	}
	to := "/login"
	if g.Request.Method == http.MethodGet && g.Request.URL.Path != "/" {
		to += "?next=" + url.QueryEscape(g.Request.URL.RequestURI())
	}
	g.Redirect(http.StatusSeeOther, to)
}

// chooseLocalPath returns next if it is a path of the console, or else "/". It prevents redirects to other sites.
func chooseLocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(u.Path, "//") {
		return "/"
	}
	return u.RequestURI()
}
