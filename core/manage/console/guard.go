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
	"github.com/headgate-dev/headgate/core/auth"
)

// contentPolicy allows a page to load only what the console itself serves.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action " +
	"'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm limits a form, in bytes. Uploads have their own limits.
const maxForm = 2 << 20

// recoverPanic answers for a handler that panics, and reports the panic.
func (c *Console) recoverPanic(g *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler { // net/http compares it by identity
			panic(v) // closes the connection, so that half a file does not look complete
		}
		c.ReportError(g.Request.Context(), c.readTraceID(g), fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		if !g.Writer.Written() {
			c.showErrorPage(g, core.ConvertError(fmt.Errorf("panic")))
		}
		g.Abort()
	}()
	g.Next()
}

// guardRequest sets the security headers of every answer, and refuses requests for other hosts and from other sites.
func (c *Console) guardRequest(g *gin.Context) {
	h := g.Writer.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Trace-Id", c.readTraceID(g))
	if c.isHTTPS(g.Request) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	switch {
	case strings.HasPrefix(g.Request.URL.Path, "/actuator/"): // probes use the address
	case !c.isOwnHost(g.Request):
		c.showErrorPage(g, &core.Error{
			Kind: core.Forbidden, Code: core.CodeForbidden,
			Public: "The console does not serve this host name. Open it at its own address, or set `console.url` in the configuration.",
		})
		g.Abort()
		return
	}
	if c.URL == nil && auth.IsForwarded(g.Request.Header) && !strings.HasPrefix(g.Request.URL.Path, "/actuator/") {
		c.showErrorPage(g, &core.Error{
			Kind: core.Forbidden, Code: core.CodeForbidden,
			Public: "A proxy has passed this request on, and the console does not know its own address there. Set `console.url` in the configuration.",
		})
		g.Abort()
		return
	}
	if !c.isSameOrigin(g.Request) && !c.isFromProvider(g.Request) {
		c.showErrorPage(g, &core.Error{
			Kind: core.Forbidden, Code: core.CodeForbidden,
			Public: "The form was not sent from the console. Open the page in the console and try again.",
		})
		g.Abort()
		return
	}
	g.Next()
}

// crossOrigin detects changes requested by a page of another site, by Sec-Fetch-Site and Origin.
var crossOrigin = http.NewCrossOriginProtection()

// isSameOrigin reports whether a page of the console itself sent the request. Old browsers send neither Sec-Fetch-Site nor
// Origin, so Referer is checked for them.
func (c *Console) isSameOrigin(r *http.Request) bool {
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

// isFromProvider reports whether a request carries the answer of an identity provider, which a browser posts from another
// site. The answer is signed.
func (c *Console) isFromProvider(r *http.Request) bool { return r.URL.Path == samlACSPath }

// samlACSPath receives the answers of a SAML identity provider.
const samlACSPath = "/saml/acs"

// isOwnHost reports whether a request names the host of the console. It prevents DNS rebinding: a foreign name that resolves
// to this machine would make a foreign page same-origin.
func (c *Console) isOwnHost(r *http.Request) bool {
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

// isHTTPS reports whether the browser uses HTTPS, to the console or to the proxy in front of it.
func (c *Console) isHTTPS(r *http.Request) bool {
	return r.TLS != nil || c.URL != nil && c.URL.Scheme == "https"
}

func (c *Console) readTraceID(g *gin.Context) string {
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
