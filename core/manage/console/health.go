package console

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// mountProbes mounts the probes. Readiness does not depend on connected gateways.
func (c *Console) mountProbes() {
	c.engine.GET("/actuator/health/liveness", func(g *gin.Context) {
		g.JSON(http.StatusOK, gin.H{"status": "UP"})
	})
	c.engine.GET("/actuator/health/readiness", func(g *gin.Context) {
		if err := c.Ready(g.Request.Context()); err != nil {
			g.JSON(http.StatusServiceUnavailable, gin.H{"status": "OUT_OF_SERVICE"})
			return
		}
		g.JSON(http.StatusOK, gin.H{"status": "UP"})
	})
}
