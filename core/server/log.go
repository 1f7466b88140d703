package server

import (
	"log"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// accessLog writes the access log's line of a request that is no exchange: an
// exchange writes its own, with all that is known of it. So it is with panics.
func accessLog(t *telemetry.Telemetry, jobs []batch.Route) gin.HandlerFunc {
	own := make(map[string]bool, len(jobs)) // what the batch service logs itself
	for i := range jobs {
		own[jobs[i].Method+" "+ginPattern(jobs[i].Pattern)] = true
	}
	return func(c *gin.Context) {
		path := c.FullPath() // the pattern: what a client puts into a path stays out of the log
		if proxy.IsExchange(c.Request.Method, path) || own[c.Request.Method+" "+path] {
			return
		}
		began := time.Now()
		defer func() { // a panic's too
			v, half := recover(), c.Writer.Written()
			logRequest(t, c, path, began, v)
			if v != nil && (half || v == http.ErrAbortHandler) { // half an answer must not look whole
				panic(http.ErrAbortHandler)
			}
		}()
		c.Next()
	}
}

// logRequest tells of a request that has ended, by a panic when v is not nil: then it is answered, unless it was.
func logRequest(t *telemetry.Telemetry, c *gin.Context, path string, began time.Time, v any) {
	h := c.Writer.Header()
	if v != nil && v != http.ErrAbortHandler {
		if h.Get("X-Trace-Id") == "" {
			h.Set("X-Trace-Id", proxy.Trace(c.Request.Header))
		}
		t.Panic(h.Get("X-Trace-Id"), v, debug.Stack())
		if !c.Writer.Written() {
			e := core.AsError(nil)
			c.Data(e.HTTPStatus(), "application/json", openai.Chat{}.AppendError(nil, e))
		}
	}
	if inner := c.Request.Pattern; inner != "" { // what routes behind the engine's own says more
		_, inner, _ = strings.Cut(" "+inner, "/")
		path = "/" + inner
	}
	t.Request(c.Request.Method, path, h.Get("X-Trace-Id"), c.Writer.Status(), time.Since(began))
}

// connectionLog takes what there is to say about broken connections: it is noise from the
// network, worth a debug line.
func connectionLog(t *telemetry.Telemetry) *log.Logger { return log.New(sink{t}, "", 0) }

type sink struct{ t *telemetry.Telemetry }

func (s sink) Write(b []byte) (int, error) {
	s.t.Log.Debug().Str("source", "connections").Msg(string(b))
	return len(b), nil
}
