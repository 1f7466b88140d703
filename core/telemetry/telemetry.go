// Package telemetry is the log, the metrics and the traces. They never contain any part of a prompt, an answer or a
// credential.
package telemetry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"github.com/headgate-dev/headgate/core"
)

// Options configure what is logged, and where.
type Options struct {
	Out    io.Writer
	Level  string // debug, info (the default), warn or error
	Format string // json (the default) or console
	Access bool   // one line per request
	Traces Traces
}

// Telemetry is safe for concurrent use.
type Telemetry struct {
	Log    zerolog.Logger
	plain  zerolog.Logger // for lines that set their time themselves
	access bool
	out    *lines
	reg    *prometheus.Registry
	m      metrics
	traces *tracing // nil if nothing is traced
}

// New opens the log, the metrics and the traces. Close flushes them.
func New(o Options) (*Telemetry, error) {
	level := zerolog.InfoLevel
	if o.Level != "" {
		var err error
		if level, err = zerolog.ParseLevel(o.Level); err != nil {
			return nil, fmt.Errorf("log level %q: %w", o.Level, err)
		}
	}
	t := &Telemetry{access: o.Access, out: newLines(o.Out), reg: prometheus.NewRegistry()}
	var w io.Writer = t.out
	if o.Format == "console" {
		w = zerolog.ConsoleWriter{Out: t.out, TimeFormat: time.TimeOnly, NoColor: true}
	}
	t.plain = zerolog.New(w).Level(level)
	t.Log = t.plain.With().Timestamp().Logger()
	t.m = newMetrics(t.reg)
	t.reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var err error
	if t.traces, err = openTraces(o.Traces, t.reg, &t.Log); err != nil {
		return nil, errors.Join(err, t.out.Close())
	}
	return t, nil
}

// Close exports the last spans and flushes the log.
func (t *Telemetry) Close() error { return errors.Join(t.traces.close(), t.out.Close()) }

// Handler serves the metrics in Prometheus' text format.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.reg, promhttp.HandlerOpts{})
}

// Metrics returns the registry, to be described or collected.
func (t *Telemetry) Metrics() prometheus.Collector { return t.reg }

// Register adds a collector of another part of the gateway.
func (t *Telemetry) Register(c prometheus.Collector) error { return t.reg.Register(c) }

// RecordAudit counts an accepted audit record by type. The types of one exchange differ in length.
func (t *Telemetry) RecordAudit(kind string) { t.m.audit.findChildAt(len(kind), kind).Inc() }

// RecordUsage counts an accepted usage record.
func (t *Telemetry) RecordUsage() { t.m.usage.Inc() }

// ReportLoss reports a record that could not be queued.
func (t *Telemetry) ReportLoss(what, exchange string, err error) {
	t.m.lost.WithLabelValues(what).Inc()
	t.Log.Error().Str("record", what).Str("request_id", exchange).Err(err).Msg("a record was lost")
}

// RecordLinkPanic logs the panic of a link that ended its part of a batch's line, and counts it as a panic and as a fault of the
// link.
func (t *Telemetry) RecordLinkPanic(link string, value any, stack []byte) {
	t.RecordPanic("", value, stack)
	t.m.verdicts.findChildAt(0, verdictLabels{link: link, phase: core.Response, fault: core.FaultPanic}).count.Inc()
}

// RecordPanic logs a panic. Its value may contain a prompt, so only its type, or the runtime's own message, is logged.
func (t *Telemetry) RecordPanic(exchange string, value any, stack []byte) {
	t.m.panics.Inc()
	text := fmt.Sprintf("a value of type %T", value)
	if e, ok := value.(runtime.Error); ok {
		text = e.Error()
	}
	t.Log.Error().Str("request_id", exchange).Str("panic", text).Bytes("stack", stack).Msg("the gateway panicked")
}

// RecordWrongKey counts a request that was refused because of its gateway key. slowed means that its address has to wait.
func (t *Telemetry) RecordWrongKey(slowed bool) {
	result := "refused"
	if slowed {
		result = "slowed"
	}
	t.m.wrongKey.WithLabelValues(result).Inc()
}

// RecordReload counts an attempt to load a new configuration.
func (t *Telemetry) RecordReload(ok bool) {
	result := "ok"
	if !ok {
		result = "refused"
	}
	t.m.reloads.WithLabelValues(result).Inc()
	if ok {
		t.m.lastGood.SetToCurrentTime()
	}
}

// RecordDelivery counts a call to an event subscriber.
func (t *Telemetry) RecordDelivery(taken bool) {
	result := "taken"
	if !taken {
		result = "failed"
	}
	t.m.sent.WithLabelValues(result).Inc()
}

// RecordExchange counts an exchange and writes its access log line.
func (t *Telemetry) RecordExchange(x *core.Exchange, latency time.Duration) {
	t.m.recordExchange(x, latency)
	if t.access {
		t.writeLine(x, latency)
	}
}

// ReportDroppedFields reports fields that a translation has dropped. Their names may be the client's own, so they are only logged,
// at debug level; the metric counts them.
func (t *Telemetry) ReportDroppedFields(x *core.Exchange, fields []string) {
	t.m.dropped.WithLabelValues(x.Dialect, x.Target.Wire).Add(float64(len(fields)))
	t.Log.Debug().Str("request_id", x.ID).Str("shape", x.Dialect).Str("provider", x.Target.Provider).
		Strs("fields", fields).Msg("fields of a translated request were dropped")
}

func (t *Telemetry) writeLine(x *core.Exchange, latency time.Duration) {
	e := t.plain.Info()
	if x.Outcome.Kind == core.Crashed || x.Outcome.Kind == core.Faulted {
		e = t.plain.Warn()
	}
	e.Str("request_id", x.ID).Str("shape", x.Dialect)
	if x.Trace != x.ID {
		e.Str("trace_id", x.Trace)
	}
	if p := x.Principal; p != nil {
		e.Str("tenant", p.Tenant).Str("api_key", p.KeyPrefix)
	}
	e.Str("model", x.Head.Model).Bool("stream", x.Head.Stream)
	if x.Target.Provider != "" {
		e.Str("provider", x.Target.Provider)
	}
	e.Int("status", x.Outcome.Status).Str("outcome", x.Outcome.Kind.String())
	if x.Outcome.By != "" {
		e.Str("by", x.Outcome.By)
	}
	if err := x.Outcome.Err; err != nil {
		e.Str("code", err.Code)
		if err.Err != nil {
			e.AnErr("cause", err.Err)
		}
	}
	e.Int64("latency_us", latency.Microseconds())
	if !x.FirstByte.IsZero() {
		e.Int64("ttfb_us", x.FirstByte.Sub(x.Received).Microseconds())
	}
	if n := len(x.Findings); n > 0 {
		e.Int("findings", n)
	}
	if u := &x.Usage; u.Known() {
		e.Int64("tokens_prompt", u.Input).Int64("tokens_completion", u.Output)
		if u.Cached > 0 {
			e.Int64("tokens_cached", u.Cached)
		}
		if u.Reasoning > 0 {
			e.Int64("tokens_reasoning", u.Reasoning)
		}
		if u.Estimated {
			e.Bool("tokens_estimated", true)
		}
		u.Units.VisitCounts(func(name string, n int64) { e.Int64(name, n) })
	}
	e.Time(zerolog.TimestampFieldName, x.Received.Add(latency)).Msg("exchange") // reading the clock again would cost more than the field
}
