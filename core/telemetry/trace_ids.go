package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

// ids generates span ids. A trace that starts here has the id of its exchange, so that records and log lines lead to
// it.
type ids struct{}

// requestID is the key of an exchange's id in a context.
type requestID struct{}

// NewIDs returns the ids of a trace and of its first span.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, ok := ctx.Value(requestID{}).(string); ok {
		if t, err := trace.TraceIDFromHex(id); err == nil {
			return t, newSpanID()
		}
	}
	var t trace.TraceID
	binary.BigEndian.PutUint64(t[:8], rand.Uint64())
	binary.BigEndian.PutUint64(t[8:], rand.Uint64()|1)
	return t, newSpanID()
}

// NewSpanID returns the id of another span.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return newSpanID() }

func newSpanID() (s trace.SpanID) {
	binary.BigEndian.PutUint64(s[:], rand.Uint64()|1) // zero is invalid
	return s
}
