package proxy

import (
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// beginTrace begins the exchange's trace. A client that names none by X-Trace-Id has that
// of its traceparent.
func (c *call) beginTrace() {
	if c.trace = c.proxy.Telemetry.Trace(c.r.Header, &c.x); c.trace != nil && c.x.Trace == c.x.ID {
		c.x.Trace = c.trace.ID()
	}
}

// addTraceparent tells the provider of the trace that its call is a part of.
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
