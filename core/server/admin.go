package server

import (
	"fmt"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/manage/admin/rest"
)

// administration is the administrative API. It is built on first use: describing a hundred operations takes megabytes,
// which a gateway that only serves models does not need.
type administration struct {
	build func() (*gin.Engine, []byte)
}

// mountAdmin mounts the administrative API, or returns nil if it is off.
func mountAdmin(e *gin.Engine, o Options) *administration {
	if o.Admin == nil {
		return nil
	}
	a := &administration{build: sync.OnceValues(func() (*gin.Engine, []byte) {
		inner := gin.New()
		inner.Use(func(c *gin.Context) { c.Request.Pattern = c.FullPath() }) // for the log and the metrics
		inner.HandleMethodNotAllowed = true
		inner.RedirectTrailingSlash = false
		text, err := rest.Mount(inner, *o.Admin).Text()
		if err != nil {
			panic(fmt.Sprintf("the administrative API's document is broken: %v", err)) // a bug in the program, found by the first test
		}
		mountNotFound(inner)
		return inner, text
	})}
	e.Any(rest.Prefix+"/*path", func(c *gin.Context) {
		inner, _ := a.build()
		inner.ServeHTTP(c.Writer, c.Request)
	})
	return a
}

// buildDocument returns the API's OpenAPI document, or nil if there is no API.
func (a *administration) buildDocument() []byte {
	if a == nil {
		return nil
	}
	_, text := a.build()
	return text
}
