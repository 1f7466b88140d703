package console

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
)

// contentPolicy lets a page load what the console itself serves, and nothing else from anywhere.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm is the largest form, in bytes; uploads have a bound of their own.
const maxForm = 2 << 20

// recovered answers for a handler that panics, and tells the log.
func (c *Console) recovered(g *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler { //nolint:errorlint // it is passed on by identity
			panic(v) // the connection ends: half a file must not look whole
		}
		c.Failed(g.Request.Context(), c.trace(g), fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		if !g.Writer.Written() {
			c.outside(g, core.AsError(fmt.Errorf("panic")))
		}
		g.Abort()
	}()
	g.Next()
}

// guarded sets the headers that every answer has, and refuses what does not come from a page of the console's own.
func (c *Console) guarded(g *gin.Context) {
	h := g.Writer.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Trace-Id", c.trace(g))
	if c.secure(g.Request) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	switch {
	case strings.HasPrefix(g.Request.URL.Path, "/actuator/"): // asked by its address
	case !c.known(g.Request):
		c.outside(g, &core.Error{
			Kind: core.Forbidden, Code: core.CodeForbidden,
			Public: "The console is not known under this host name. Open it under its own address, or set console.url in the configuration.",
		})
		g.Abort()
		return
	}
	if !c.own(g.Request) && !c.fromProvider(g.Request) {
		c.outside(g, &core.Error{
			Kind: core.Forbidden, Code: core.CodeForbidden,
			Public: "This form was not sent from a page of the console. Open the page in the console and try again.",
		})
		g.Abort()
		return
	}
	g.Next()
}

// crossOrigin refuses changes that a page of another site asks for, by what browsers say of where a request comes from.
var crossOrigin = http.NewCrossOriginProtection()

// own reports whether a change is asked for by a page of the console's own. Browsers that are too old to say so by
// Sec-Fetch-Site or Origin say it by Referer.
func (c *Console) own(r *http.Request) bool {
	if crossOrigin.Check(r) != nil {
		return false
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return true
	}
	referer := r.Header.Get("Referer")
	if r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "" || referer == "" {
		return true
	}
	u, err := url.Parse(referer)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// fromProvider reports whether a request is the answer of an identity provider, which a browser posts from its site. It
// carries its own proof.
func (c *Console) fromProvider(r *http.Request) bool { return r.URL.Path == samlAnswer }

// samlAnswer is where a SAML identity provider has its answers posted.
const samlAnswer = "/saml/acs"

// known reports whether a request names the console's own host: otherwise a foreign name that leads to this machine would
// make a foreign page one of the console's own.
func (c *Console) known(r *http.Request) bool {
	if c.URL != nil {
		return strings.EqualFold(r.Host, c.URL.Host)
	}
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = name
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && a.IsLoopback()
}

// secure reports whether the browser speaks HTTPS with the console, or with the proxy in front of it.
func (c *Console) secure(r *http.Request) bool {
	return r.TLS != nil || c.URL != nil && c.URL.Scheme == "https"
}

func (c *Console) trace(g *gin.Context) string {
	const key = "trace"
	if id := g.GetString(key); id != "" {
		return id
	}
	id := ""
	if c.Trace != nil {
		id = c.Trace(g.Request.Header)
	}
	g.Set(key, id)
	return id
}
