package server

import (
	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/gateway/downstream"
)

// awaitUnreadBody applies the body timeout to what a handler left unread: net/http reads on to find the next request.
func awaitUnreadBody(c *gin.Context) {
	c.Next()
	if c.Request.ContentLength == 0 {
		return
	}
	if h := downstream.FindHangup(c.Request.Context()); h != nil {
		h.StartBodyTimeout()
	}
}
