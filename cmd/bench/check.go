package main

import (
	"fmt"
	"slices"
	"time"
)

// check is a condition that must hold for a figure to count.
type check struct {
	Cell   string `json:"cell,omitempty"` // empty: the whole run
	System string `json:"system"`
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Says   string `json:"says,omitempty"` // what was found if the check failed
}

func (c check) String() string {
	where := c.System
	if c.Cell != "" {
		where += " " + c.Cell
	}
	return fmt.Sprintf("%s: %s: %s", where, c.Name, c.Says)
}

// minMeasured is the minimum number of measured requests for a figure. Agents' requests are long and all alike: fewer suffice.
func (c *cell) minMeasured() int64 {
	if c.agent {
		return 20
	}
	return 200
}

// evidence is what was counted during one load of one system.
type evidence struct {
	load     loadReport
	minCPU   time.Duration // of the server, asked for
	upstream mockStats     // what the mock counted meanwhile
	gateway  gatewayCounts // what the gateway counted meanwhile
}

// buildChecks judges one load. Every system must serve without an error and forward each request once; the governed gateway
// must prove that it governed.
func (e evidence) buildChecks(p part) []check {
	var out []check
	add := func(name string, ok bool, format string, args ...any) {
		c := check{Cell: p.cell.name, System: p.system, Name: name, OK: ok}
		if !ok {
			c.Says = fmt.Sprintf(format, args...)
		}
		out = append(out, c)
	}
	n, up, gw := e.load.Answered, e.upstream, e.gateway
	add("no errors", e.load.Errors == 0 && n > 0, "%d answers, %d errors: %v", n, e.load.Errors, e.load.ErrorKinds)
	if s := e.load.Server; s != nil {
		add("enough was measured", e.load.Requests >= p.cell.minMeasured() && s.CPUSeconds >= e.minCPU.Seconds()/2,
			"%d good answers measured in %.2f s of CPU time", e.load.Requests, s.CPUSeconds)
	}
	add("each request reached the upstream once", up.Requests == n, "%d answers, %d upstream requests", n, up.Requests)
	if p.cell.stream {
		add("upstream answered streams", up.Streams == n, "%d answers, %d streams", n, up.Streams)
	}
	if !redacts(p.system) {
		return out
	}
	add("upstream saw a placeholder in each request", up.Placeholders >= n, "%d answers, %d requests with one", n, up.Placeholders)
	add("upstream echoed one in each answer", up.Echoes >= n, "%d answers, %d echoes", n, up.Echoes)
	add("audit records = 2 x requests", gw.Audit == 2*n, "%d answers, %s", n, formatCount(gw.Audit, metricAudit))
	add("usage records = requests", gw.Usage == n, "%d answers, %s", n, formatCount(gw.Usage, metricUsage))
	add("wasm calls >= requests", gw.Wasm >= n, "%d answers, %s", n, formatCount(gw.Wasm, metricWasm))
	return out
}

func formatCount(n int64, metric string) string {
	if n < 0 {
		return "no " + metric + " on the metrics page"
	}
	return fmt.Sprintf("%d counted", n)
}

// hasAllRecords reports whether all batched records of the load have been written.
func (e evidence) hasAllRecords(p part) bool {
	return !redacts(p.system) || e.gateway.Audit >= 2*e.load.Answered && e.gateway.Usage >= e.load.Answered
}

// listFailures returns the failed checks of a cell and a system, with those of the system's whole run.
func listFailures(all []check, cellName, system string) []check {
	var out []check
	for _, c := range all {
		if !c.OK && c.System == system && (c.Cell == cellName || c.Cell == "") {
			out = append(out, c)
		}
	}
	return slices.Clip(out)
}

// mergeCheck adds a check to a list with one entry per kind. A failed entry stays failed, with its first detail.
func mergeCheck(all []check, c check) []check {
	for i, o := range all {
		if o.Cell == c.Cell && o.System == c.System && o.Name == c.Name {
			if o.OK {
				all[i] = c
			}
			return all
		}
	}
	return append(all, c)
}
