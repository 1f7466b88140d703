package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// report is bench-report.json. Memory is in MiB, CPU time in microseconds per
// request, and every ratio is requests per CPU-second of a system divided by
// those of the tuned httputil.ReverseProxy in the same rounds: more is better.
type report struct {
	Date         string                        `json:"date"`
	OK           bool                          `json:"ok"` // every measured target is met
	Ratio        map[string]float64            `json:"ratio_to_reverseproxy"`
	Demanded     map[string]*float64           `json:"demanded"` // null: shown only
	Pass         map[string]bool               `json:"pass"`     // with anon_mb_after; a figure whose checks fail does not pass
	RatioLow     map[string]float64            `json:"ratio_lowest_round"`
	RatioHigh    map[string]float64            `json:"ratio_highest_round"`
	RawRatio     map[string]float64            `json:"raw_ratio_to_reverseproxy"` // by cell: the result without any governance
	Micros       map[string]map[string]float64 `json:"us_per_request"`            // by system and cell, medians
	Anon         *float64                      `json:"anon_mb_after,omitempty"`   // anonymous memory of the governed gateway
	AnonLimit    float64                       `json:"anon_mb_limit"`
	AnonSystems  map[string]float64            `json:"anon_mb_after_by_system"`
	RSS          *float64                      `json:"rss_mb_after,omitempty"` // with the pages of files; shown only
	RSSSystems   map[string]float64            `json:"rss_mb_after_by_system"`
	OtherShare   float64                       `json:"other_share"` // median over all loads
	Rounds       int                           `json:"rounds"`
	Connections  int                           `json:"connections"`
	Rate         float64                       `json:"rate,omitempty"` // requests per second of an open loop
	MeasuredSecs float64                       `json:"measured_s"`     // of one load, at least
	GoVersion    string                        `json:"go_version"`
	CPU          string                        `json:"cpu"`
	Cores        int                           `json:"cores"`
	Pinned       bool                          `json:"pinned"`
	Nice         int                           `json:"nice"`
	Gateway      *binaryInfo                   `json:"gateway,omitempty"`
	Checks       []check                       `json:"checks"`
	Samples      []sample                      `json:"samples"`
}

// report assembles the results of the session.
func (s *session) report(memory map[string]processUse) *report {
	r := &report{
		Date: time.Now().UTC().Format(
			time.RFC3339,
		),
		AnonLimit:    memoryLimitMiB,
		AnonSystems:  map[string]float64{},
		RSSSystems:   map[string]float64{},
		Rounds:       s.opts.rounds,
		Connections:  s.opts.connections,
		Rate:         s.opts.rate,
		MeasuredSecs: s.opts.measure.Seconds(),
		GoVersion:    runtime.Version(),
		CPU:          readCPUModel(),
		Cores:        runtime.NumCPU(),
		Pinned:       s.opts.gatewayCore >= 0,
		Nice:         s.opts.nice,
		Checks:       s.checks,
		Samples:      s.samples,
	}
	for name, use := range memory {
		r.AnonSystems[name], r.RSSSystems[name] = convertToMiB(use.anon), convertToMiB(use.rss)
	}
	if use, ok := memory[sysFull]; ok {
		anon, rss := convertToMiB(use.anon), convertToMiB(use.rss)
		r.Anon, r.RSS = &anon, &rss
	}
	if slices.ContainsFunc(s.systems, func(sys *system) bool { return isGateway(sys.name) }) {
		r.Gateway = readBinary(s.opts.headgate)
	}
	r.judge()
	return r
}

// checkGates returns errGate if a target is missed and enforce is set.
func (r *report) checkGates(enforce bool) error {
	if r.OK || !enforce {
		return nil
	}
	return fmt.Errorf("%w (reasons, named above: %d)", errGate, len(r.reasons()))
}

// reasons lists the missed targets.
func (r *report) reasons() []string {
	var out []string
	for _, f := range listFigures() {
		if ratio, ok := r.Ratio[f.key]; ok && f.demanded > 0 && !r.Pass[f.key] {
			out = append(out, fmt.Sprintf("%s %.2f of %.2f", f.key, ratio, f.demanded))
		}
	}
	if r.Anon != nil && *r.Anon >= r.AnonLimit {
		out = append(out, fmt.Sprintf("anonymous memory %.1f of %.0f MiB", *r.Anon, r.AnonLimit))
	}
	for _, c := range r.Checks {
		if !c.OK {
			out = append(out, "check failed: "+c.String())
		}
	}
	return out
}

func (r *report) write(name string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(name, append(b, '\n'), 0o644); err != nil { // the report is public
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
