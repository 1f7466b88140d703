package server

import (
	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/gateway/downstream"
)

// awaitUnreadBody has what a handler left unread of a body count as waited for: net/http reads
// on to find the next request behind it.
func awaitUnreadBody(c *gin.Context) {
	c.Next()
	if c.Request.ContentLength == 0 {
		return
	}
	if h := downstream.HangupOf(c.Request.Context()); h != nil {
		h.AwaitBody()
	}
}
