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

// Traces say where spans are sent. The zero value leaves it to the OTEL_ variables,
// and without those nothing is traced.
type Traces struct {
	// Endpoint is the address of a collector that takes OTLP over HTTP; without a
	// path, spans go to /v1/traces. "": what OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
	// OTEL_EXPORTER_OTLP_ENDPOINT says.
	Endpoint string
	// Headers are sent with each export: credentials, most often.
	Headers map[string]string
	// Sample is the share, between 0 and 1, of exchanges that are traced where the
	// client does not say it by its traceparent. 1 leaves it to OTEL_TRACES_SAMPLER.
	Sample float64
	// Version is the program's; Node names the process among others.
	Version, Node string
}

// tracing makes spans and sends them away; nil when it is off.
type tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// wanted reports whether anything says where spans are to go.
func (o *Traces) wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return o.Endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != ""
}

// openTraces begins to send spans. It connects to nothing yet: a collector that is
// away costs spans and nothing else.
func openTraces(o Traces, reg prometheus.Registerer, log *zerolog.Logger) (*tracing, error) {
	if !o.wanted() {
		return nil, nil
	}
	var to []otlptracehttp.Option
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Host == "" {
			return nil, errors.New("traces: the endpoint is not an http or https URL") // it is not told: it may hold a credential
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
		attribute.String("service.name", "headgate"), attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Node),
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

// closeWait bounds the last export.
const closeWait = 5 * time.Second

// close sends what is left.
func (t *tracing) close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if t.provider.Shutdown(ctx) != nil {
		return errors.New("traces: the last spans could not be sent") // its own words may hold the endpoint
	}
	return nil
}

// counted counts what an exporter sends, and keeps its errors, which hold the
// endpoint and the collector's words, out of the log.
type counted struct {
	sdk.SpanExporter
	sent, lost prometheus.Counter
	log        *zerolog.Logger
	told       atomic.Int64 // when the log was told of a failure, in Unix seconds
}

func newCounted(e sdk.SpanExporter, reg prometheus.Registerer, log *zerolog.Logger) *counted {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headgate_spans_total", Help: "Spans that were sent to the collector, and such that could not be."}, []string{"result"})
	reg.MustRegister(v)
	return &counted{SpanExporter: e, sent: v.WithLabelValues("sent"), lost: v.WithLabelValues("lost"), log: log}
}

// tellEvery is how often, in seconds, the log is told that spans are lost.
const tellEvery = 60

// ExportSpans sends spans. It never fails: spans that are lost are counted.
func (c *counted) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := c.SpanExporter.ExportSpans(ctx, spans); err != nil {
		c.lost.Add(float64(len(spans)))
		now, last := time.Now().Unix(), c.told.Load()
		if now-last >= tellEvery && c.told.CompareAndSwap(last, now) {
			c.log.Warn().Int("spans", len(spans)).Bool("timeout", errors.Is(err, context.DeadlineExceeded)).Msg("spans could not be sent to the collector")
		}
		return nil
	}
	c.sent.Add(float64(len(spans)))
	return nil
}
