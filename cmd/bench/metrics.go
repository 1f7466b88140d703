package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// The counters of the gateway's metrics page that the checks read.
const (
	metricAudit = "headgate_audit_records_total" // with a label "type"; only the two types of an exchange count
	metricUsage = "headgate_usage_records_total"
	metricWasm  = "headgate_wasm_calls_total"
)

// exchangeRecords are the types of audit records that every exchange writes, one of each.
var exchangeRecords = []string{"GATEWAY_REQUEST", "GATEWAY_RESPONSE"}

// gatewayCounts are the counters at one moment; -1 means that the metrics page lacks the counter.
type gatewayCounts struct {
	Audit int64 `json:"audit_records"`
	Usage int64 `json:"usage_records"`
	Wasm  int64 `json:"wasm_calls"`
}

func (c gatewayCounts) subtract(o gatewayCounts) gatewayCounts {
	// A counter with labels is absent until its first event: absent counts as 0 at the beginning of a cell, but not at
	// its end.
	sub := func(a, b int64) int64 {
		if a < 0 {
			return -1
		}
		return a - max(b, 0)
	}
	return gatewayCounts{sub(c.Audit, o.Audit), sub(c.Usage, o.Usage), sub(c.Wasm, o.Wasm)}
}

func fetchCounts(ctx context.Context, metricsURL string) (gatewayCounts, error) {
	b, err := fetchURL(ctx, metricsURL)
	if err != nil {
		return gatewayCounts{}, err
	}
	page := string(b)
	return gatewayCounts{Audit: sumMetric(page, metricAudit), Usage: sumMetric(page, metricUsage), Wasm: sumMetric(page, metricWasm)}, nil
}

// sumMetric sums the series of a counter on a page in the Prometheus text
// format. Of series with a label "type" it takes those of an exchange. It
// returns -1 when the page has no series of that name.
func sumMetric(page, name string) int64 {
	sum, found := 0.0, false
	for line := range strings.Lines(page) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), name)
		if !ok || rest == "" {
			continue
		}
		labels := ""
		if rest[0] == '{' {
			end := strings.LastIndexByte(rest, '}')
			if end < 0 {
				continue
			}
			labels, rest = rest[1:end], rest[end+1:]
		} else if rest[0] != ' ' && rest[0] != '\t' {
			continue // a longer name
		}
		f := strings.Fields(rest)
		if len(f) == 0 {
			continue
		}
		v, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			continue
		}
		found = true
		if t, ok := findLabelValue(labels, "type"); !ok || slices.Contains(exchangeRecords, t) {
			sum += v
		}
	}
	if !found {
		return -1
	}
	return int64(sum)
}

// findLabelValue returns the value of one label; the gateway's own label values contain no commas.
func findLabelValue(labels, name string) (string, bool) {
	for l := range strings.SplitSeq(labels, ",") {
		if k, v, ok := strings.Cut(strings.TrimSpace(l), "="); ok && k == name {
			return strings.Trim(v, `"`), true
		}
	}
	return "", false
}
