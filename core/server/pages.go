package server

import (
	"embed"
	"mime"
	"net/http"
	"path"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/console/script"
)

//go:embed try
var tryFiles embed.FS

// tryPolicy lets the page connect only to its own gateway.
const tryPolicy = "default-src 'none'; connect-src 'self'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// addTraceHeader adds the trace id to an answer that is not an exchange.
func addTraceHeader(h gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("X-Trace-Id", proxy.ReadTrace(c.Request.Header))
		h(c)
	}
}

// mountPages mounts the public pages.
func mountPages(e *gin.Engine, o Options) {
	if o.Proxy != nil { // the page talks to the data plane
		mountTryPage(e)
	}
	e.GET("/status", addTraceHeader(func(c *gin.Context) {
		s := o.Status()
		if !o.knows(c.Request) {
			c.JSON(http.StatusOK, shortStatus{s.Status})
			return
		}
		c.JSON(http.StatusOK, s)
	}))
	e.GET("/livez", addTraceHeader(func(c *gin.Context) { c.String(http.StatusOK, "ok\n") }))
	e.GET("/readyz", addTraceHeader(func(c *gin.Context) {
		if err := o.Ready(c.Request.Context()); err != nil {
			c.String(http.StatusServiceUnavailable, "not ready\n")
			return
		}
		c.String(http.StatusOK, "ok\n")
	}))
}

// shortStatus is what callers without a key learn: providers, plugins and the version help whoever looks for a way in.
type shortStatus struct {
	Status string `json:"status"`
}

// knows reports whether a request has a key that opens the pages about the gateway.
func (o *Options) knows(r *http.Request) bool {
	return hasActuatorKey(r.Header, o.ActuatorKey) || o.Knows != nil && o.Knows(r, o.Admin != nil)
}

func mountTryPage(e *gin.Engine) {
	e.GET("/", addTraceHeader(func(c *gin.Context) { c.Redirect(http.StatusFound, "/try") }))
	for at, name := range map[string]string{
		"/try": "try.html", "/try/try.css": "try.css", "/try/try.js": "try.js", "/try/answer.js": "answer.js",
	} {
		e.GET(at, addTraceHeader(func(c *gin.Context) {
			b, err := script.Answer, error(nil) // the console has the same one
			if name != "answer.js" {
				b, err = tryFiles.ReadFile("try/" + name)
			}
			if err != nil { // embedded in the binary
				c.Status(http.StatusInternalServerError)
				return
			}
			c.Header("Content-Security-Policy", tryPolicy)
			c.Header("X-Content-Type-Options", "nosniff")
			c.Header("Referrer-Policy", "no-referrer")
			c.Header("Cache-Control", "no-cache")
			c.Data(http.StatusOK, mime.TypeByExtension(path.Ext(name)), b)
		}))
	}
}
