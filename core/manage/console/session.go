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

// hostOnly is the name of a cookie. One that begins with __Host- is taken by browsers only over HTTPS and from this host,
// so that no other host of the domain can set it.
func (c *Console) hostOnly(r *http.Request, name string) string {
	if c.secure(r) {
		return "__Host-" + name
	}
	return name
}

// cookieName is that of the session.
func (c *Console) cookieName(r *http.Request) string { return c.hostOnly(r, "headgate_session") }

// cookie sets a cookie that no script reads. It ends with the browser's session when age is 0, and at once when it is
// negative.
func (c *Console) cookie(g *gin.Context, name, value string, age time.Duration) {
	k := &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, Secure: c.secure(g.Request), SameSite: http.SameSiteLaxMode,
		MaxAge: int(age / time.Second),
	}
	if age < 0 {
		k.MaxAge = -1
	}
	http.SetCookie(g.Writer, k)
}

// session is that of a request; nil: nobody is signed in.
func (c *Console) session(g *gin.Context) (*auth.Session, error) {
	k, err := g.Request.Cookie(c.cookieName(g.Request))
	if err != nil {
		return nil, nil // there is no cookie
	}
	return c.Auth.Session(g.Request.Context(), k.Value)
}

// signedIn lets those in who are signed in and may do what p names.
func (c *Console) signedIn(p auth.Permission, h func(*request) error) gin.HandlerFunc {
	return c.bounded(p, maxForm, h)
}

// bounded is signedIn for bodies of a size.
func (c *Console) bounded(p auth.Permission, most int64, h func(*request) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		s, err := c.session(g)
		if err != nil {
			c.outside(g, core.AsError(err))
			return
		}
		if s == nil {
			c.askToSignIn(g)
			return
		}
		if g.Request.Body != nil {
			g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, most)
		}
		r := &request{Context: g, c: c, session: s, who: s.Actor}
		if p != "" && !s.Actor.Can(p) {
			r.fail(admin.MissingRole(p))
			return
		}
		if err := h(r); err != nil {
			r.fail(err)
		}
	}
}

// askToSignIn leads to the sign-in, and from there back. What the script asks for is refused: it leads the whole page.
func (c *Console) askToSignIn(g *gin.Context) {
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

// inside is a path of the console's own that a request names, or the first page: nobody is led elsewhere.
func inside(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(u.Path, "//") {
		return "/"
	}
	return u.RequestURI()
}
