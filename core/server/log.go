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

// newAccessLog writes the access log line of a request that is not an exchange: an exchange writes a more detailed one itself.
// The same applies to panics.
func newAccessLog(t *telemetry.Telemetry, jobs []batch.Route) gin.HandlerFunc {
	own := make(map[string]bool, len(jobs)) // logged by the batch service itself
	for i := range jobs {
		own[jobs[i].Method+" "+convertPattern(jobs[i].Pattern)] = true
	}
	return func(c *gin.Context) {
		path := c.FullPath() // the pattern: path values from clients stay out of the log
		if proxy.IsExchange(c.Request.Method, path) || own[c.Request.Method+" "+path] {
			return
		}
		began := time.Now()
		defer func() { // also after a panic
			v, half := recover(), c.Writer.Written()
			logRequest(t, c, path, began, v)
			if v != nil && (half || v == http.ErrAbortHandler) { // a partial answer must not look complete
				panic(http.ErrAbortHandler)
			}
		}()
		c.Next()
	}
}

// logRequest logs a finished request. v is the value of a panic, which is answered with an error unless the answer has
// begun; nil: none.
func logRequest(t *telemetry.Telemetry, c *gin.Context, path string, began time.Time, v any) {
	h := c.Writer.Header()
	if v != nil && v != http.ErrAbortHandler {
		if h.Get("X-Trace-Id") == "" {
			h.Set("X-Trace-Id", proxy.ReadTrace(c.Request.Header))
		}
		t.RecordPanic(h.Get("X-Trace-Id"), v, debug.Stack())
		if !c.Writer.Written() {
			e := core.ConvertError(nil)
			c.Data(e.HTTPStatus(), "application/json", openai.Chat{}.AppendError(nil, e))
		}
	}
	if inner := c.Request.Pattern; inner != "" { // inner routes are more specific
		_, inner, _ = strings.Cut(" "+inner, "/")
		path = "/" + inner
	}
	t.RecordRequest(c.Request.Method, path, h.Get("X-Trace-Id"), c.Writer.Status(), time.Since(began))
}

// newConnectionLog receives errors of connections: network noise, logged at debug level.
func newConnectionLog(t *telemetry.Telemetry) *log.Logger { return log.New(sink{t}, "", 0) }

type sink struct{ t *telemetry.Telemetry }

func (s sink) Write(b []byte) (int, error) {
	s.t.Log.Debug().Str("source", "connections").Msg(string(b))
	return len(b), nil
}
