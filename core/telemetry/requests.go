package telemetry

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type adminLabels struct {
	method, pattern string
	status          int
}

type adminMetrics struct{ count, seconds prometheus.Counter }

// newAdmin creates the metrics of requests to the control plane. Their operation label is the pattern of a route, never
// the client's path.
func newAdmin(r prometheus.Registerer) *children[adminLabels, adminMetrics] {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "headgate_admin_requests_total", Help: "Requests to the administrative and the internal API, by operation and HTTP status.",
	}, []string{"operation", "status"})
	seconds := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "headgate_admin_request_seconds_total", Help: "Time spent on requests to the administrative and the internal API.",
	}, []string{"operation"})
	r.MustRegister(count, seconds)
	return newChildren(func(k adminLabels) adminMetrics {
		operation := k.method + " " + k.pattern
		return adminMetrics{count.WithLabelValues(operation, strconv.Itoa(k.status)), seconds.WithLabelValues(operation)}
	})
}

// administrative are the path prefixes of the control plane.
var administrative = []string{"/admin/", "/internal/", "/actuator/"}

// RecordRequest counts a request that is not an exchange, and logs it by the pattern of its route. Health probes come every few
// seconds, so they are logged at debug level.
func (t *Telemetry) RecordRequest(method, pattern, trace string, status int, latency time.Duration) {
	for _, p := range administrative {
		if strings.HasPrefix(pattern, p) {
			m := t.m.admin.findChild(adminLabels{method, pattern, status})
			m.count.Inc()
			m.seconds.Add(latency.Seconds())
		}
	}
	if !t.access {
		return
	}
	e := t.Log.Info()
	if pattern == "/livez" || pattern == "/readyz" {
		e = t.Log.Debug()
	}
	e.Str("trace_id", trace).Str("method", method).Str("path", pattern).Int("status", status).
		Int64("latency_us", latency.Microseconds()).Msg("request")
}
