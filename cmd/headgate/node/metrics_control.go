package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/plugins"
)

// control collects the metrics of the control plane. It reads them from the database on demand, at most every
// countEvery and within countWait.
type control struct {
	g  *gateway
	mu sync.Mutex
	at time.Time
	c  controlCounts
}

// controlCounts are the counts last read.
type controlCounts struct {
	pending, dead int64
	nodes         []store.FleetNode
	failed        bool
}

var (
	outboxDepth = prometheus.NewDesc(
		"headgate_webhook_deliveries",
		"Deliveries to subscribers of events that are pending, or dead: given up.",
		[]string{"state"},
		nil,
	)
	nodesSeen = prometheus.NewDesc(
		"headgate_fleet_nodes",
		"Nodes of the fleet: seen in the last minute, and silent for longer.",
		[]string{"state"},
		nil,
	)
	nodesBehind = prometheus.NewDesc(
		"headgate_fleet_nodes_behind",
		"Nodes seen in the last minute that have an older configuration than the control plane.",
		nil,
		nil,
	)
	licenseState  = prometheus.NewDesc("headgate_license_state", "1 for the state that the licence is in.", []string{"state"}, nil)
	licenseEnds   = prometheus.NewDesc("headgate_license_expiry_timestamp_seconds", "When the licence ends; absent without one.", nil, nil)
	pluginModules = prometheus.NewDesc("headgate_plugin_modules", "Modules in the plugins folder, by state.", []string{"state"}, nil)
	readFailed    = prometheus.NewDesc(
		"headgate_control_metrics_stale",
		"1 while the metrics that come from the database could not be read and are those of before.",
		nil,
		nil,
	)
)

// Describe implements prometheus.Collector.
func (*control) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{outboxDepth, nodesSeen, nodesBehind, licenseState, licenseEnds, pluginModules, readFailed} {
		ch <- d
	}
}

const (
	// countEvery is the maximum age of the database counts.
	countEvery = 10 * time.Second
	// countWait is the timeout for reading them.
	countWait = 2 * time.Second
	// silentAfter is how long after its last request a node counts as silent.
	silentAfter = time.Minute
)

// read counts the records in the database, at most every countEvery.
func (c *control) read() controlCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.at) >= countEvery || now.Before(c.at) {
		c.at = now
		ctx, cancel := context.WithTimeout(context.Background(), countWait)
		defer cancel()
		var n controlCounts
		var err, more error
		if n.pending, n.dead, err = c.g.rec.DB.Outbox().CountBacklog(ctx); err == nil {
			n.nodes, more = c.g.rec.DB.Fleet().ListNodes(ctx)
		}
		if errors.Join(err, more) == nil {
			c.c = n
		} else {
			c.c.failed = true
		}
	}
	return c.c
}

// Collect implements prometheus.Collector.
func (c *control) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	n := c.read()
	gauge(outboxDepth, float64(n.pending), "pending")
	gauge(outboxDepth, float64(n.dead), "dead")
	gauge(readFailed, convertToFloat(n.failed))

	now, version := time.Now(), c.g.configVersion()
	var seen, silent, behind float64
	for i := range n.nodes {
		switch {
		case now.Sub(n.nodes[i].SeenAt) > silentAfter:
			silent++
		case n.nodes[i].Version < version:
			behind++
			seen++
		default:
			seen++
		}
	}
	gauge(nodesSeen, seen, "seen")
	gauge(nodesSeen, silent, "silent")
	gauge(nodesBehind, behind)

	state, l := c.g.rec.lic.State()
	for _, s := range []license.State{license.None, license.Valid, license.ExpiringSoon, license.GracePeriod, license.Degraded} {
		gauge(licenseState, convertToFloat(s == state), string(s))
	}
	if l != nil {
		gauge(licenseEnds, float64(l.ExpiresAt.Unix()))
	}
	c.reportModules(gauge)
}

// reportModules counts the modules in the plugins folder.
func (c *control) reportModules(gauge func(*prometheus.Desc, float64, ...string)) {
	states := map[string]float64{}
	for _, s := range c.g.dir.Status() {
		states[s.State]++
	}
	for _, s := range []string{plugins.StateLive, plugins.StateOld, plugins.StateRefused} {
		gauge(pluginModules, states[s], s)
	}
}

func convertToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
