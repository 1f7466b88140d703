package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces configure where spans are sent. The zero value leaves it to the OTEL_ variables; without those, tracing is
// off.
type Traces struct {
	// Endpoint is a collector that accepts OTLP over HTTP; without a path, spans go to /v1/traces. "":
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT.
	Endpoint string
	// Headers are sent with each export, for example credentials.
	Headers map[string]string
	// Sample is the share of exchanges, between 0 and 1, that are traced if the client's traceparent does not decide. 1
	// leaves it to OTEL_TRACES_SAMPLER.
	Sample float64
	// Version is the program's version; Node identifies the process.
	Version, Node string
}

// tracing creates and exports spans; nil if it is off.
type tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// isWanted reports whether a destination for spans is configured.
func (o *Traces) isWanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return o.Endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != ""
}

// openTraces starts exporting spans. It does not connect yet: an unavailable collector only costs spans.
func openTraces(o Traces, reg prometheus.Registerer, log *zerolog.Logger) (*tracing, error) {
	if !o.isWanted() {
		return nil, nil
	}
	var to []otlptracehttp.Option
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Host == "" {
			return nil, errors.New("traces: the endpoint is not an http or https URL") // not quoted: it may contain a credential
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = "/v1/traces"
		}
		to = append(to, otlptracehttp.WithEndpointURL(u.String()))
	}
	if len(o.Headers) > 0 {
		to = append(to, otlptracehttp.WithHeaders(o.Headers))
	}
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx, to...)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	res, err := resource.New(ctx, resource.WithAttributes(
		attribute.String(
			"service.name",
			"headgate",
		),
		attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", o.Node),
	), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("traces: %w", err)
	}
	with := []sdk.TracerProviderOption{
		sdk.WithBatcher(newCounted(exporter, reg, log)), sdk.WithResource(res), sdk.WithIDGenerator(ids{}),
	}
	if o.Sample != 1 || os.Getenv("OTEL_TRACES_SAMPLER") == "" {
		with = append(with, sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Sample))))
	}
	p := sdk.NewTracerProvider(with...)
	return &tracing{provider: p, tracer: p.Tracer("github.com/headgate-dev/headgate", trace.WithInstrumentationVersion(o.Version))}, nil
}

// closeWait limits the last export.
const closeWait = 5 * time.Second

// close exports the rest.
func (t *tracing) close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if t.provider.Shutdown(ctx) != nil {
		return errors.New("traces: the last spans could not be sent") // the error may contain the endpoint
	}
	return nil
}

// counted counts exported spans, and keeps the exporter's errors, which contain the endpoint and the collector's text,
// out of the log.
type counted struct {
	sdk.SpanExporter
	sent, lost prometheus.Counter
	log        *zerolog.Logger
	told       atomic.Int64 // when a failure was last logged, in Unix seconds
}

func newCounted(e sdk.SpanExporter, reg prometheus.Registerer, log *zerolog.Logger) *counted {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headgate_spans_total", Help: "Spans by export result."}, []string{"result"})
	reg.MustRegister(v)
	return &counted{SpanExporter: e, sent: v.WithLabelValues("sent"), lost: v.WithLabelValues("lost"), log: log}
}

// tellEvery is how often, in seconds, lost spans are logged.
const tellEvery = 60

// ExportSpans exports spans. It never fails: lost spans are counted.
func (c *counted) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := c.SpanExporter.ExportSpans(ctx, spans); err != nil {
		c.lost.Add(float64(len(spans)))
		now, last := time.Now().Unix(), c.told.Load()
		if now-last >= tellEvery && c.told.CompareAndSwap(last, now) {
			c.log.Warn().Int(
				"spans",
				len(spans),
			).Bool(
				"timeout",
				errors.Is(err, context.DeadlineExceeded),
			).Msg(
				"spans could not be sent to the collector",
			)
		}
		return nil
	}
	c.sent.Add(float64(len(spans)))
	return nil
}
