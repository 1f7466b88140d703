package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/headgate-dev/headgate/core"
)

// Trace is the trace of one exchange. A nil Trace does nothing: tracing is off. Not safe for concurrent use.
type Trace struct {
	tracer trace.Tracer
	ctx    context.Context // holds span
	span   trace.Span      // of the exchange
	calls  []trace.Span    // one per attempt
}

// w3c reads and writes traceparent and tracestate, but not baggage, which belongs to the client and may contain
// anything.
var w3c propagation.TraceContext

// StartTrace starts the trace of an exchange, as a child of the client's trace, if any. It returns nil if tracing is off.
func (t *Telemetry) StartTrace(h http.Header, x *core.Exchange) *Trace {
	if t.traces == nil {
		return nil
	}
	ctx := w3c.Extract(context.WithValue(context.Background(), requestID{}, x.ID), propagation.HeaderCarrier(h))
	s := &Trace{tracer: t.traces.tracer}
	s.ctx, s.span = s.tracer.Start(ctx, nameOperation(x)+" "+x.Dialect, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(x.Received))
	return s
}

// ID returns the trace id, 32 hexadecimal digits, or "".
func (s *Trace) ID() string {
	if s == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

// Parent returns the header traceparent by which another exchange becomes a part of this one, or "" if tracing is off.
func (s *Trace) Parent() string {
	if s == nil {
		return ""
	}
	h := propagation.MapCarrier{}
	w3c.Inject(s.ctx, h)
	return h["traceparent"]
}

// StartCall starts the span of an attempt at a provider, and returns the headers for the provider. Append to the
// exchange's Attempts after each call.
func (s *Trace) StartCall(x *core.Exchange, began time.Time) (parent, state string) {
	if s == nil {
		return "", ""
	}
	ctx, span := s.tracer.Start(
		s.ctx,
		nameOperation(x)+" "+cmp.Or(findAgent(x), truncateModel(x.Target.Model)),
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(began),
	)
	s.calls = append(s.calls, span)
	h := propagation.MapCarrier{}
	w3c.Inject(ctx, h)
	return h["traceparent"], h["tracestate"]
}

// End ends the spans of an ended exchange, and creates those of its links.
func (s *Trace) End(x *core.Exchange) {
	if s == nil {
		return
	}
	now := time.Now()
	if s.span.IsRecording() {
		s.addLinks(x)
		s.setExchange(x)
	}
	for i, span := range s.calls {
		end := now
		if i < len(x.Attempts) {
			end = s.setCallOutcome(span, x, i, now)
		}
		span.End(trace.WithTimestamp(end))
	}
	s.span.End(trace.WithTimestamp(now))
}

func (s *Trace) setExchange(x *core.Exchange) {
	a := make([]attribute.KeyValue, 0, 24)
	a = append(a,
		opName.String(nameOperation(x)), requestModel.String(truncateModel(x.Head.Model)), attribute.Bool("headgate.stream", x.Head.Stream),
		attribute.String("headgate.shape", x.Dialect), attribute.String("headgate.request_id", x.ID),
		attribute.String("headgate.trace_id", x.Trace), attribute.String("headgate.outcome", x.Outcome.Kind.String()),
		attribute.Int("http.response.status_code", x.Outcome.Status),
	)
	if name := findAgent(x); name != "" {
		a = append(a, agentName.String(name))
	}
	if x.Principal != nil {
		a = append(a, attribute.String("headgate.tenant", x.Principal.Tenant))
	}
	if x.Target.Provider != "" {
		a = append(a, providerName.String(nameProvider(x.Target.Provider)), attribute.String("headgate.provider", x.Target.Provider))
	}
	if x.Outcome.Kind == core.Served {
		a = append(a, responseModel.String(truncateModel(x.Target.Model)))
	}
	if x.Outcome.By != "" {
		a = append(a, attribute.String("headgate.by", x.Outcome.By))
	}
	a = append(a, listUsage(x)...)
	if x.Finish != "" {
		a = append(a, attribute.StringSlice("gen_ai.response.finish_reasons", []string{x.Finish}))
	}
	if !x.FirstByte.IsZero() {
		a = append(a, attribute.Float64("headgate.time_to_first_byte", x.FirstByte.Sub(x.Received).Seconds()))
	}
	if n := len(x.Findings); n > 0 {
		a = append(a, attribute.Int("headgate.findings", n))
	}
	if x.Outcome.Err != nil {
		a = append(a, errorType.String(x.Outcome.Err.Code))
	}
	s.span.SetAttributes(a...)
	switch x.Outcome.Kind { // a block is intended, not an error
	case core.Faulted, core.UpstreamErr, core.Crashed:
		s.span.SetStatus(codes.Error, "")
	}
}

func listUsage(x *core.Exchange) []attribute.KeyValue {
	u := &x.Usage
	if !u.Known() {
		return nil
	}
	a := []attribute.KeyValue{attribute.Int64("gen_ai.usage.input_tokens", u.Input), attribute.Int64("gen_ai.usage.output_tokens", u.Output)}
	if u.Cached > 0 {
		a = append(a, attribute.Int64("gen_ai.usage.cache_read.input_tokens", u.Cached))
	}
	if u.Reasoning > 0 {
		a = append(a, attribute.Int64("gen_ai.usage.reasoning.output_tokens", u.Reasoning))
	}
	if u.Estimated {
		a = append(a, attribute.Bool("headgate.usage.estimated", true))
	}
	return a
}

// addLinks creates a span for each link and phase.
func (s *Trace) addLinks(x *core.Exchange) {
	for i := range x.Visits {
		v := &x.Visits[i]
		began := v.At()
		if began.IsZero() { // over a stream
			if began = x.FirstByte; began.IsZero() {
				began = x.Received
			}
		}
		_, span := s.tracer.Start(s.ctx, v.Phase.String()+" "+v.Link, trace.WithTimestamp(began), trace.WithAttributes(
			attribute.String(
				"headgate.link",
				v.Link,
			),
			attribute.String("headgate.phase", v.Phase.String()),
			attribute.String("headgate.action", v.Action.String()),
			attribute.Bool("headgate.shadow", v.Shadow),
		))
		if v.Fault != 0 {
			span.SetAttributes(errorType.String(v.Fault.String()))
			span.SetStatus(codes.Error, "")
		}
		span.End(trace.WithTimestamp(began.Add(v.Duration)))
	}
}

// setCallOutcome sets the outcome of a call on its span, and returns its end: that of its answer, as far as it was used.
func (s *Trace) setCallOutcome(span trace.Span, x *core.Exchange, i int, now time.Time) (end time.Time) {
	a := &x.Attempts[i]
	end = a.Began.Add(a.Duration)
	good := a.Status >= 200 && a.Status < 300
	switch {
	case good && i+1 < len(x.Attempts):
		end = x.Attempts[i+1].Began
	case good:
		end = now
	}
	if !span.IsRecording() {
		return end
	}
	if name := findAgent(x); name != "" {
		span.SetAttributes(agentName.String(name))
	}
	span.SetAttributes(
		opName.String(nameOperation(x)),
		providerName.String(nameProvider(a.Target.Provider)),
		requestModel.String(truncateModel(a.Target.Model)),
		attribute.String(
			"headgate.provider",
			a.Target.Provider,
		),
		attribute.String("headgate.wire", a.Target.Wire),
		attribute.String("headgate.route", a.Target.Route),
		attribute.Int("headgate.attempt", i+1),
		attribute.Float64("headgate.time_to_head", a.Duration.Seconds()),
	)
	if a.Status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", a.Status))
	}
	switch {
	case a.Status == 0:
		span.SetAttributes(errorType.String("no_answer"))
		span.SetStatus(codes.Error, "")
	case !good:
		span.SetAttributes(errorType.String(strconv.Itoa(a.Status)))
		span.SetStatus(codes.Error, "")
	case i == len(x.Attempts)-1 && x.Outcome.Kind == core.Served:
		span.SetAttributes(responseModel.String(truncateModel(a.Target.Model)))
		span.SetAttributes(listUsage(x)...)
	}
	return end
}
