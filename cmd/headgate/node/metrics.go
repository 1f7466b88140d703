package node

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/plugins"
)

// collector collects the metrics of parts that keep their own counts.
type collector struct{ g *gateway }

var _ prometheus.Collector = collector{}

var (
	wasmLabels   = []string{"file", "digest"}
	wasmCalls    = prometheus.NewDesc("headgate_wasm_calls_total", "Calls of WebAssembly guests.", wasmLabels, nil)
	wasmBytes    = prometheus.NewDesc("headgate_wasm_bytes_total", "Bytes of text given to guests.", wasmLabels, nil)
	wasmFindings = prometheus.NewDesc("headgate_wasm_findings_total", "What guests found.", wasmLabels, nil)
	wasmFaults   = prometheus.NewDesc(
		"headgate_wasm_faults_total",
		"Faults of guests, by kind.",
		append(append([]string{}, wasmLabels...), "fault"),
		nil,
	)
	wasmInstances = prometheus.NewDesc("headgate_wasm_instances", "Instances alive.", wasmLabels, nil)
	wasmMemory    = prometheus.NewDesc("headgate_wasm_memory_bytes", "Linear memory of all instances.", wasmLabels, nil)
	wasmStreams   = prometheus.NewDesc("headgate_wasm_streams", "Streamed answers that hold an instance of their own.", wasmLabels, nil)
	wasmStalled   = prometheus.NewDesc(
		"headgate_wasm_stalled_seconds_total",
		"Time for which guests were not scheduled during calls because the machine was busy.",
		wasmLabels,
		nil,
	)
	wasmQueued      = prometheus.NewDesc("headgate_wasm_queued_seconds_total", "Time that calls waited for an instance.", wasmLabels, nil)
	wasmFuel        = prometheus.NewDesc("headgate_wasm_fuel_total", "Metered instructions that guests have run.", wasmLabels, nil)
	processLabels   = []string{"link"}
	processUp       = prometheus.NewDesc("headgate_process_up", "1 while a plugin's process runs and is in service.", processLabels, nil)
	processCalls    = prometheus.NewDesc("headgate_process_calls_total", "Calls that a plugin's process has answered.", processLabels, nil)
	processSeconds  = prometheus.NewDesc("headgate_process_seconds_total", "Time spent in these calls.", processLabels, nil)
	processRestarts = prometheus.NewDesc(
		"headgate_process_restarts_total",
		"Starts of a plugin's process after the first.",
		processLabels,
		nil,
	)
	processFaults = prometheus.NewDesc(
		"headgate_process_faults_total",
		"Faults of a plugin's process, by outcome.",
		append(append([]string{}, processLabels...), "fault"),
		nil,
	)
	wasmSeconds = prometheus.NewDesc(
		"headgate_wasm_sampled_seconds_total",
		"Time of the calls that were timed, every sixteenth.",
		wasmLabels,
		nil,
	)
	wasmSampled = prometheus.NewDesc("headgate_wasm_sampled_calls_total", "Calls that were timed, every sixteenth.", wasmLabels, nil)
	pluginTurns = prometheus.NewDesc(
		"headgate_plugin_events_total",
		"Lifecycle events of plugins: loaded, refused, tried, promoted, held, withdrawn.",
		[]string{"event"},
		nil,
	)
	candidate = prometheus.NewDesc(
		"headgate_plugin_candidate_calls_total",
		"Comparisons of a candidate with what serves: agreed, skipped, or how they differ.",
		append(append([]string{}, wasmLabels...), "result"),
		nil,
	)
	candidateHeld = prometheus.NewDesc("headgate_plugin_candidates_held", "Candidates that wait for an operator.", nil, nil)
	problems      = prometheus.NewDesc(
		"headgate_plugin_problems",
		"Modules in the plugins folder that are not serving.",
		nil,
		nil,
	)
	refused = prometheus.NewDesc(
		"headgate_config_refused",
		"1 while the newest configuration is refused and the last good one serves.",
		nil,
		nil,
	)
	configVersion = prometheus.NewDesc("headgate_config_version", "Version of the configuration in force.", nil, nil)
	queued        = prometheus.NewDesc("headgate_records_queued", "Records that wait to be written.", nil, nil)
	written       = prometheus.NewDesc("headgate_records_written_total", "Records that are durable.", nil, nil)
	approvalDrops = prometheus.NewDesc(
		"headgate_approval_requests_dropped_total",
		"Requests for approval that were left out: too many of a rule wait already, or they could not be written fast enough.",
		nil,
		nil,
	)
	shadowDrops = prometheus.NewDesc(
		"headgate_policy_shadow_dropped_total",
		"Evaluations by policies in shadow that were left out because they could not keep up.",
		nil,
		nil,
	)
	eventsStored  = prometheus.NewDesc("headgate_webhook_events_total", "Events of the traffic that were put into the outbox.", nil, nil)
	eventsDropped = prometheus.NewDesc(
		"headgate_webhook_events_dropped_total",
		"Events of the traffic that were left out because the database could not keep up.",
		nil,
		nil,
	)
	refusals    = prometheus.NewDesc("headgate_records_refused_total", "Exchanges and single records that were refused because the queue was full. Nothing of them was recorded, and nothing was lost.", nil, nil)
	queuedBytes = prometheus.NewDesc("headgate_records_queued_bytes", "Size of the records that wait to be written.", nil, nil)
	recalls     = prometheus.NewDesc("headgate_memory_recalls_total", "Texts that links looked up in the memory of verdicts, by result: hit or miss.", []string{"result"}, nil)
	spared      = prometheus.NewDesc("headgate_memory_spared_bytes_total", "Bytes of texts that links did not judge again because they remembered their verdict.", nil, nil)
	remembered  = prometheus.NewDesc("headgate_memory_bytes", "Size of the memory of verdicts.", nil, nil)
	answerBytes = prometheus.NewDesc("headgate_answer_memory_bytes", "Memory of large answers that wait for their clients.", nil, nil)
	answerOver  = prometheus.NewDesc(
		"headgate_answer_memory_refused_total",
		"Answers that were refused because large ones held all memory that they may, by the limit: process or tenant.",
		[]string{"limit"},
		nil,
	)
	failing = prometheus.NewDesc(
		"headgate_record_writer_failing",
		"1 while the last batch could not be written and is tried again.",
		nil,
		nil,
	)
	failures = prometheus.NewDesc(
		"headgate_record_write_failures_total",
		"Batches that could not be written at the first attempt.",
		nil,
		nil,
	)
)

// DescribeMetrics registers all metrics without a gateway, for tests that compare them with the documentation.
func DescribeMetrics(tel *telemetry.Telemetry) error { return registerMetrics(tel, nil) }

func registerMetrics(t *telemetry.Telemetry, g *gateway) error {
	if err := errors.Join(t.Register(collector{g}), t.Register(&control{g: g})); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		wasmCalls, wasmBytes, wasmFindings, wasmFaults,
		wasmInstances, wasmMemory, wasmStreams, wasmStalled, wasmQueued, wasmFuel, wasmSeconds, wasmSampled, pluginTurns,
		candidate, candidateHeld, processUp, processCalls, processSeconds,
		processRestarts, processFaults, problems, refused,
		configVersion, queued, written, failures, refusals,
		queuedBytes, failing, recalls, spared, remembered, answerBytes, answerOver, approvalDrops, shadowDrops, eventsStored, eventsDropped,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, s := range c.g.dir.Stats() {
		counter(wasmCalls, float64(s.Calls), s.Name, s.Digest)
		counter(wasmBytes, float64(s.Bytes), s.Name, s.Digest)
		counter(wasmFindings, float64(s.Findings), s.Name, s.Digest)
		for f, n := range s.Faults {
			counter(wasmFaults, float64(n), s.Name, s.Digest, f.String())
		}
		counter(wasmSeconds, s.Time.Seconds(), s.Name, s.Digest)
		counter(wasmSampled, float64(s.Sampled), s.Name, s.Digest)
		gauge(wasmInstances, float64(s.Instances), s.Name, s.Digest)
		gauge(wasmMemory, float64(s.Memory), s.Name, s.Digest)
		gauge(wasmStreams, float64(s.Streams), s.Name, s.Digest)
		counter(wasmStalled, s.Stalled.Seconds(), s.Name, s.Digest)
		counter(wasmQueued, s.Queued.Seconds(), s.Name, s.Digest)
		counter(wasmFuel, float64(s.Fuel), s.Name, s.Digest)
	}
	for _, s := range c.g.dir.processes.Stats() {
		up := 0.0
		if s.State == "running" {
			up = 1
		}
		gauge(processUp, up, s.Link)
		counter(processCalls, float64(s.Calls), s.Link)
		counter(processSeconds, s.Busy.Seconds(), s.Link)
		counter(processRestarts, float64(s.Restarts), s.Link)
		for f, n := range s.Faults {
			counter(processFaults, float64(n), s.Link, string(f))
		}
	}
	w := c.g.rec.writer.Stats()
	gauge(queued, float64(w.Queued))
	counter(written, float64(w.Written))
	counter(failures, float64(w.Failures))
	counter(refusals, float64(w.Refused))
	gauge(queuedBytes, float64(w.QueuedBytes))
	gauge(failing, convertToFloat(w.Failing))
	use := c.g.verdicts.Use()
	counter(recalls, float64(use.Hits), "hit")
	counter(recalls, float64(use.Misses), "miss")
	counter(spared, float64(use.Spared))
	gauge(remembered, float64(use.Bytes))
	answers := c.g.answers.Use()
	gauge(answerBytes, float64(answers.Bytes))
	counter(answerOver, float64(answers.PastProcess), "process")
	counter(answerOver, float64(answers.PastTenants), "tenant")
	counter(approvalDrops, float64(c.g.consents.dropped.Load()))
	counter(shadowDrops, float64(c.g.pol.dropped.Load()))
	stored, dropped := c.g.hooks.emitter.Counts()
	counter(eventsStored, float64(stored))
	counter(eventsDropped, float64(dropped))
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	for event, n := range c.g.turns {
		counter(pluginTurns, float64(n), event)
	}
	held := 0.0
	for _, s := range c.g.dir.Status() {
		t := s.Candidate
		if t == nil {
			continue
		}
		if t.State == plugins.StateHeld {
			held++
		}
		counter(candidate, float64(t.Agreed), s.File, t.Digest, "agreed")
		counter(candidate, float64(t.Skipped), s.File, t.Digest, "skipped")
		for kind, n := range t.Diverged {
			counter(candidate, float64(n), s.File, t.Digest, kind)
		}
		for f, n := range t.Faults {
			counter(candidate, float64(n), s.File, t.Digest, "fault_"+f.String())
		}
	}
	gauge(candidateHeld, held)
	gauge(problems, float64(len(c.g.listProblems())))
	gauge(refused, convertToFloat(c.g.refused != ""))
	gauge(configVersion, float64(c.g.version))
}
