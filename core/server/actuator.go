package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
)

// mountActuator mounts the endpoints that the console reads. They are closed unless the operator has set the key that
// both sides share.
func mountActuator(e *gin.Engine, o Options) {
	locked := func(h gin.HandlerFunc) gin.HandlerFunc {
		return addTraceHeader(func(c *gin.Context) {
			if !hasActuatorKey(c.Request.Header, o.ActuatorKey) {
				c.Header("Www-Authenticate", "Bearer")
				writeError(c, &core.Error{
					Kind: core.Unauthenticated, Code: core.CodeUnauthorized,
					Public: "send the actuator key as a bearer token; without HEADGATE_ACTUATOR_API_KEY the actuator is closed",
				})
				return
			}
			h(c)
		})
	}
	e.GET("/actuator/gateway-status", locked(func(c *gin.Context) { c.JSON(http.StatusOK, o.Status()) }))
	e.GET("/actuator/license", locked(func(c *gin.Context) {
		v, err := o.License(c.Request.Context())
		if err != nil {
			writeError(c, core.ConvertError(err))
			return
		}
		c.JSON(http.StatusOK, v)
	}))
}

// hasActuatorKey compares hashes, so that its duration reveals nothing about the key.
func hasActuatorKey(h http.Header, key string) bool {
	scheme, token, ok := strings.Cut(h.Get("Authorization"), " ")
	if key == "" || !ok || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	a, b := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
