package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const metricsPage = `# HELP headgate_audit_records_total Records appended.
# TYPE headgate_audit_records_total counter
headgate_audit_records_total{node="a",type="GATEWAY_REQUEST"} 1000
headgate_audit_records_total{node="a",type="GATEWAY_RESPONSE"} 999
headgate_audit_records_total{type="AUTH_FAILURE"} 5
headgate_audit_records_total_created 1.7e9
headgate_usage_records_total 1e+06
headgate_wasm_calls_total{plugin="employees",outcome="ok"} 3 1790000000000
headgate_wasm_calls_total{plugin="employees",outcome="trap"} 1
`

func TestCountersAreSummed(t *testing.T) {
	tests := map[string]struct {
		name string
		want int64
	}{
		"of the types of an exchange only":   {metricAudit, 1999},
		"without labels, in exponent form":   {metricUsage, 1_000_000},
		"over all labels, before time stamp": {metricWasm, 4},
		"absent":                             {"headgate_wasm", -1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, sumMetric(metricsPage, tc.name)) })
	}
}

func TestAnAbsentCounterIsZeroBeforeAndMissingAfter(t *testing.T) {
	before, after := gatewayCounts{Audit: -1, Usage: 10, Wasm: 4}, gatewayCounts{Audit: 20, Usage: 30, Wasm: -1}
	assert.Equal(t, gatewayCounts{Audit: 20, Usage: 20, Wasm: -1}, after.subtract(before))
}

func FuzzOtherMetricsChangeNoSum(f *testing.F) {
	f.Add(metricsPage)
	f.Add(metricAudit + "{")
	f.Add(metricAudit + "{}")
	f.Fuzz(func(t *testing.T, page string) {
		assert.Equal(t, sumMetric(page, metricAudit), sumMetric(page+"\nheadgate_other_total 1\n", metricAudit))
	})
}
