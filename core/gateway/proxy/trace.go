package proxy

import (
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// maxTrace limits a client's trace id, in bytes.
const maxTrace = 512

// newIDs returns a new exchange id, and the trace id: the client's as it came, or the exchange id.
func newIDs(h http.Header) (id, trace string) {
	var b [16]byte
	for i := range 2 {
		n := rand.Uint64()
		for k := range 8 {
			b[8*i+k] = byte(n >> (8 * k))
		}
	}
	id = hex.EncodeToString(b[:])
	if v := h["X-Trace-Id"]; len(v) > 0 && isTrace(v[0]) {
		return id, v[0]
	}
	return id, id
}

// isTrace reports whether a client's trace id can be echoed. It is echoed whole or not at all: a truncated id could be another's.
func isTrace(s string) bool {
	if s == "" || len(s) > maxTrace {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func isTraceByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':'
}

// ReadTrace returns the trace id for an answer outside of an exchange.
func ReadTrace(h http.Header) string {
	_, trace := newIDs(h)
	return trace
}

// beginTrace starts the trace of the exchange. Without X-Trace-Id, the id comes from the client's traceparent.
func (c *call) beginTrace() {
	if c.trace = c.proxy.Telemetry.StartTrace(c.r.Header, &c.x); c.trace != nil && c.x.Trace == c.x.ID {
		c.x.Trace = c.trace.ID()
	}
}

// addTraceparent passes the trace on to the provider.
func (a *attempts) addTraceparent(began time.Time) {
	if a.call.trace == nil {
		return
	}
	parent, state := a.call.trace.StartCall(&a.call.x, began)
	a.req.Header = append(a.req.Header, upstream.Field{Name: "Traceparent", Value: parent})
	if state != "" {
		a.req.Header = append(a.req.Header, upstream.Field{Name: "Tracestate", Value: state})
	}
}
