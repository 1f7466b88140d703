package server

import (
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
)

const idParam = "{id}"

// convertPattern converts a route's pattern to gin's syntax.
func convertPattern(pattern string) string { return strings.Replace(pattern, idParam, ":id", 1) }

// mountBatches mounts files and batches.
func mountBatches(e *gin.Engine, routes []batch.Route) {
	for _, r := range routes {
		e.Handle(r.Method, convertPattern(r.Pattern), func(c *gin.Context) {
			c.Header("X-Trace-Id", proxy.ReadTrace(c.Request.Header))
			c.Request.SetPathValue("id", c.Param("id"))
			downstream.LimitBody(c.Request)
			r.Handle(c.Writer, c.Request)
		})
	}
}
