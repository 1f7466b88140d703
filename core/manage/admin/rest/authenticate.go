package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

type actorKey struct{}

// authenticate identifies the caller before the rest of a request is read.
func (a *API) authenticate(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("X-Trace-Id", a.Trace(c.Request.Header))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxModuleBody+maxFormOverhead)
	who, err := a.Auth.Authenticate(c.Request.Context(), c.Request)
	if err != nil {
		p := convertProblem(err)
		if p.status >= 500 {
			a.Failed(c.Request.Context(), err)
		}
		if p.status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="headgate"`)
		}
		if wait := core.ConvertError(err).RetryAfter; wait > 0 {
			h.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		}
		c.AbortWithStatusJSON(p.status, p)
		return
	}
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), actorKey{}, who))
}

// findActor returns the caller of the request in a context.
func findActor(ctx context.Context) *auth.Actor {
	who, _ := ctx.Value(actorKey{}).(*auth.Actor)
	return who
}
