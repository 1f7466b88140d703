// Package telemetry is what the gateway tells its operators: the log, the metrics
// and the traces. Nothing of a prompt, an answer or a credential goes into any. It
// imports core, zerolog, the Prometheus client and OpenTelemetry.
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

// Options say what is logged, and where to.
type Options struct {
	Out    io.Writer
	Level  string // debug, info, warn or error; "": info
	Format string // json or console; "": json
	Access bool   // a line for each request
	Traces Traces
}

// Telemetry is safe for concurrent use.
type Telemetry struct {
	Log    zerolog.Logger
	plain  zerolog.Logger // of lines that tell their time themselves
	access bool
	out    *lines
	reg    *prometheus.Registry
	m      metrics
	traces *tracing // nil: nothing is traced
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

// Close sends the last spans and flushes the log.
func (t *Telemetry) Close() error { return errors.Join(t.traces.close(), t.out.Close()) }

// Handler serves the metrics in Prometheus' text format.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.reg, promhttp.HandlerOpts{})
}

// Metrics is all that is registered, to be described or collected.
func (t *Telemetry) Metrics() prometheus.Collector { return t.reg }

// Register adds a collector of another part of the gateway.
func (t *Telemetry) Register(c prometheus.Collector) error { return t.reg.Register(c) }

// AuditRecord counts an audit record that was taken, by its type. Those of an exchange
// differ in length.
func (t *Telemetry) AuditRecord(kind string) { t.m.audit.at(len(kind), kind).Inc() }

// UsageRecord counts a usage record that was taken.
func (t *Telemetry) UsageRecord() { t.m.usage.Inc() }

// Lost reports a record that could not be taken.
func (t *Telemetry) Lost(what, exchange string, err error) {
	t.m.lost.WithLabelValues(what).Inc()
	t.Log.Error().Str("record", what).Str("request_id", exchange).Err(err).Msg("a record was lost")
}

// Panic reports a panic of the gateway. Its value may hold a prompt, so only
// its type is told, or what the runtime itself says.
func (t *Telemetry) Panic(exchange string, value any, stack []byte) {
	t.m.panics.Inc()
	text := fmt.Sprintf("a value of type %T", value)
	if e, ok := value.(runtime.Error); ok {
		text = e.Error()
	}
	t.Log.Error().Str("request_id", exchange).Str("panic", text).Bytes("stack", stack).Msg("the gateway panicked")
}

// Reload counts an attempt to put a new configuration into force.
func (t *Telemetry) Reload(ok bool) {
	result := "ok"
	if !ok {
		result = "refused"
	}
	t.m.reloads.WithLabelValues(result).Inc()
	if ok {
		t.m.lastGood.SetToCurrentTime()
	}
}

// Delivery counts a call to a subscriber of events.
func (t *Telemetry) Delivery(taken bool) {
	result := "taken"
	if !taken {
		result = "failed"
	}
	t.m.sent.WithLabelValues(result).Inc()
}

// Exchange counts an exchange and writes its line to the access log.
func (t *Telemetry) Exchange(x *core.Exchange, latency time.Duration) {
	t.m.exchange(x, latency)
	if t.access {
		t.line(x, latency)
	}
}

// Dropped tells of fields that a translation left out. Their names may be the
// client's own, so they are logged, for debugging, and only counted in the metric.
func (t *Telemetry) Dropped(x *core.Exchange, fields []string) {
	t.m.dropped.WithLabelValues(x.Dialect, x.Target.Wire).Add(float64(len(fields)))
	t.Log.Debug().Str("request_id", x.ID).Str("shape", x.Dialect).Str("provider", x.Target.Provider).
		Strs("fields", fields).Msg("fields were left out of a translated request")
}

func (t *Telemetry) line(x *core.Exchange, latency time.Duration) {
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
	}
	e.Time(zerolog.TimestampFieldName, x.Received.Add(latency)).Msg("exchange") // another look at the clock would cost more than the field
}
