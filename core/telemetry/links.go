package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/headgate-dev/headgate/core"
)

// LinkTotals are the totals of a link since the start.
type LinkTotals struct {
	Calls uint64
	// Blocks are the exchanges that it blocked, or would have blocked in shadow mode.
	Blocks uint64
	Faults uint64
	Time   time.Duration
}

// Links returns the totals of all links that ever ran, by name, read from the metrics.
func (t *Telemetry) Links() map[string]LinkTotals {
	out := map[string]LinkTotals{}
	for k, v := range *t.m.verdicts.known.Load() {
		n, l := uint64(readTotal(v.value.count)), out[k.link]
		l.Calls += n
		if k.action == core.Block && k.fault == 0 {
			l.Blocks += n
		}
		if k.fault != 0 {
			l.Faults += n
		}
		l.Time = time.Duration(readTotal(v.value.seconds) * float64(time.Second)) // one counter for all of the link
		out[k.link] = l
	}
	return out
}

// readTotal returns the value of a counter.
func readTotal(c prometheus.Counter) float64 {
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		return 0 // a counter always writes
	}
	return m.GetCounter().GetValue()
}
