package proxy

import (
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// beginTrace starts the trace of the exchange. Without X-Trace-Id, the id comes from the client's traceparent.
func (c *call) beginTrace() {
	if c.trace = c.proxy.Telemetry.Trace(c.r.Header, &c.x); c.trace != nil && c.x.Trace == c.x.ID {
		c.x.Trace = c.trace.ID()
	}
}

// addTraceparent passes the trace on to the provider.
func (c *call) addTraceparent(began time.Time) {
	if c.trace == nil {
		return
	}
	parent, state := c.trace.Call(&c.x, began)
	c.req.Header = append(c.req.Header, upstream.Field{Name: "Traceparent", Value: parent})
	if state != "" {
		c.req.Header = append(c.req.Header, upstream.Field{Name: "Tracestate", Value: state})
	}
}
