package telemetry

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headgate-dev/headgate/core"
)

type metrics struct {
	requests *children[requestLabels, requestMetrics]
	tokens   *children[string, tokenMetrics]
	costs    *children[string, costMetrics]
	verdicts *children[verdictLabels, verdictMetrics]
	audit    *children[string, prometheus.Counter]
	usage    prometheus.Counter
	panics   prometheus.Counter
	lost     *prometheus.CounterVec
	dropped  *prometheus.CounterVec
	reloads  *prometheus.CounterVec
	wrongKey *prometheus.CounterVec
	sent     *prometheus.CounterVec
	lastGood prometheus.Gauge
	genAI    *genAI
	admin    *children[adminLabels, adminMetrics]
}

type requestLabels struct {
	shape, provider string
	outcome         core.OutcomeKind
	status          int
}

// Metrics that are written together share one lookup.
type (
	requestMetrics struct {
		count   prometheus.Counter
		seconds prometheus.Observer
	}
	tokenMetrics   struct{ input, output prometheus.Counter }
	costMetrics    struct{ dollars, unpriced prometheus.Counter }
	verdictMetrics struct{ count, seconds prometheus.Counter }
)

type verdictLabels struct {
	link   string
	phase  core.Phase
	action core.Action
	fault  core.Fault
	shadow bool
}

func newMetrics(r prometheus.Registerer) metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headgate_" + name, Help: help}, labels)
		r.MustRegister(v)
		return v
	}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "headgate_" + name, Help: help})
		r.MustRegister(c)
		return c
	}
	requests := counters("requests_total", "Exchanges by shape, provider, outcome and HTTP status.", "shape", "provider", "outcome", "status")
	tokens := counters("tokens_total", "Tokens by the providers' counts.", "provider", "kind")
	costs := counters(
		"cost_usd_total",
		"What exchanges have cost by the price list, in US dollars. It is a binary fraction: the exact figures are in the records.",
		"provider",
	)
	unpriced := counters(
		"unpriced_exchanges_total",
		"Exchanges that a provider was called for and that have used something the price list knows no price of.",
		"provider",
	)
	verdicts := counters("verdicts_total", "What the links of the chain decided.", "link", "phase", "action", "fault", "mode")
	records := counters("audit_records_total", "Audit records that were taken for writing, by the type of event.", "type")
	spent := counters("link_seconds_total", "Time spent in each link.", "link")
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "headgate_request_seconds", Help: "Time from a request's receipt to the end of its answer.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300},
	}, []string{"shape"})
	last := prometheus.NewGauge(
		prometheus.GaugeOpts{
			Name: "headgate_config_last_reload_success_timestamp_seconds",
			Help: "Time of the last successful configuration load, in Unix seconds.",
		},
	)
	r.MustRegister(seconds, last)
	return metrics{
		requests: newChildren(func(k requestLabels) requestMetrics {
			return requestMetrics{
				requests.WithLabelValues(k.shape, k.provider, k.outcome.String(), strconv.Itoa(k.status)), seconds.WithLabelValues(k.shape),
			}
		}),
		tokens: newChildren(func(provider string) tokenMetrics {
			return tokenMetrics{tokens.WithLabelValues(provider, "input"), tokens.WithLabelValues(provider, "output")}
		}),
		costs: newChildren(func(provider string) costMetrics {
			return costMetrics{costs.WithLabelValues(provider), unpriced.WithLabelValues(provider)}
		}),
		verdicts: newChildren(func(k verdictLabels) verdictMetrics {
			mode := "enforce"
			if k.shadow {
				mode = "shadow"
			}
			return verdictMetrics{
				verdicts.WithLabelValues(k.link, k.phase.String(), k.action.String(), k.fault.String(), mode), spent.WithLabelValues(k.link),
			}
		}),
		audit:   newChildren(func(kind string) prometheus.Counter { return records.WithLabelValues(kind) }),
		usage:   counter("usage_records_total", "Usage records accepted for writing."),
		panics:  counter("panics_total", "Panics of the gateway itself, and of links at the end of an exchange."),
		dropped: counters("dropped_fields_total", "Fields left out of translated requests.", "shape", "wire"),
		lost:    counters("records_lost_total", "Records that could not be taken.", "record"),
		wrongKey: counters(
			"wrong_keys_total",
			"Requests with a gateway key that is not valid (`refused`), or that was not looked at because its address has sent too many of them (`slowed`).",
			"result",
		),
		reloads:  counters("config_reloads_total", "Configurations put into force or refused.", "result"),
		sent:     counters("webhook_calls_total", "Calls to subscribers of events, taken or failed.", "result"),
		lastGood: last,
		genAI:    newGenAI(r),
		admin:    newAdmin(r),
	}
}

// unitsPerDollar converts the units of an exchange's cost.
const unitsPerDollar = 1e10

func (m *metrics) recordExchange(x *core.Exchange, latency time.Duration) {
	r := m.requests.findChild(requestLabels{x.Dialect, x.Target.Provider, x.Outcome.Kind, x.Outcome.Status})
	r.count.Inc()
	r.seconds.Observe(latency.Seconds())
	if u := &x.Usage; u.Reported {
		t := m.tokens.findChild(x.Target.Provider)
		t.input.Add(float64(u.Input))
		t.output.Add(float64(u.Output))
	}
	if len(x.Attempts) > 0 {
		c := m.costs.findChild(x.Target.Provider)
		c.dollars.Add(float64(x.Cost) / unitsPerDollar)
		if !x.Priced {
			c.unpriced.Inc()
		}
	}
	m.genAI.recordExchange(x, latency)
	for i := range x.Visits {
		v := &x.Visits[i]
		l := m.verdicts.findChildAt(i, verdictLabels{v.Link, v.Phase, v.Action, v.Fault, v.Shadow})
		l.count.Inc()
		l.seconds.Add(v.Duration.Seconds())
	}
}

// children caches the children of a metric by their labels: a lookup without a lock and without hashing each string.
// The labels come from the configuration and from closed sets, so the map stays small.
type children[K comparable, V any] struct {
	known  atomic.Pointer[map[K]*child[K, V]]
	recent [recentChildren]atomic.Pointer[child[K, V]]
	mu     sync.Mutex
	make   func(K) V
}

type child[K comparable, V any] struct {
	labels K
	value  V
}

// recentChildren is the number of slots that remember their last hit: exchanges resemble each other, and a comparison
// costs a third of a lookup.
const recentChildren = 8

func newChildren[K comparable, V any](make1 func(K) V) *children[K, V] {
	c := &children[K, V]{make: make1}
	m := map[K]*child[K, V]{}
	c.known.Store(&m)
	return c
}

func (c *children[K, V]) findChild(k K) V { return c.findChildAt(0, k) }

// findChildAt is findChild for the i-th lookup of an exchange.
func (c *children[K, V]) findChildAt(i int, k K) V {
	last := &c.recent[i%recentChildren]
	if v := last.Load(); v != nil && v.labels == k {
		return v.value
	}
	v := c.find(k)
	last.Store(v)
	return v.value
}

func (c *children[K, V]) find(k K) *child[K, V] {
	if v, ok := (*c.known.Load())[k]; ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *c.known.Load()
	if v, ok := old[k]; ok {
		return v
	}
	grown := maps.Clone(old)
	v := &child[K, V]{k, c.make(k)}
	grown[k] = v
	c.known.Store(&grown)
	return v
}
