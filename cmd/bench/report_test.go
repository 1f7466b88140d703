package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samplesOf returns one sample per round for each system of a cell.
func samplesOf(cellName string, us map[string][]float64) []sample {
	var out []sample
	for _, name := range listSystems() {
		for i, v := range us[name] {
			out = append(out, sample{Round: i + 1, Cell: cellName, System: name, Load: loadReport{Server: &serverReport{CPUMicros: v}}})
		}
	}
	return out
}

func testReport() *report {
	anon, rss := 30.0, 60.0
	r := &report{Anon: &anon, RSS: &rss, AnonLimit: memoryLimitMiB}
	r.Samples = append(samplesOf("plain_1k", map[string][]float64{
		sysRevproxy: {60, 50, 55}, sysRaw: {25, 27.5, 30}, sysFull: {50, 40, 70}, sysBare: {30, 31, 29},
	}), samplesOf("plain_100k_seen", map[string][]float64{sysRevproxy: {100, 100, 100}, sysFull: {400, 500, 600}})...)
	return r
}

func TestRatiosAreOfMedians(t *testing.T) {
	r := testReport()
	r.judge()
	assert.Equal(t, map[string]float64{"plain_1k": 1.1, "empty_chain_1k": 1.833, "plain_100k_seen": 0.2}, r.Ratio)
	assert.InDelta(t, 0.786, r.RatioLow["plain_1k"], 1e-9)
	assert.InDelta(t, 1.25, r.RatioHigh["plain_1k"], 1e-9)
	assert.Equal(t, map[string]float64{"plain_1k": 2}, r.RawRatio)
	assert.InDelta(t, 50, r.Micros[sysFull]["plain_1k"], 1e-9)
	assert.Equal(t, map[string]bool{"plain_1k": true, "empty_chain_1k": true, "plain_100k_seen": true, "anon_mb_after": true}, r.Pass)
	require.NotNil(t, r.Demanded["empty_chain_1k"])
	assert.InDelta(t, 1.4, *r.Demanded["empty_chain_1k"], 1e-9)
	assert.Nil(t, r.Demanded["plain_100k_seen"], "shown, not enforced")
	assert.True(t, r.OK)
	assert.NoError(t, r.checkGates(true))
}

func TestTheGateFails(t *testing.T) {
	tests := map[string]struct {
		change func(*report)
		says   string
	}{
		"when a ratio is too low": {func(r *report) {
			r.Samples = append(r.Samples[:6:6], samplesOf("plain_1k", map[string][]float64{sysFull: {56, 56, 56}})...)
		}, "plain_1k 0.98 of 1.00"},
		"when memory is at the limit": {func(r *report) { *r.Anon = memoryLimitMiB }, "anonymous memory 64.0 of 64 MiB"},
		"when a check of the cell failed": {func(r *report) {
			r.Checks = []check{{Cell: "plain_1k", System: sysFull, Name: "no errors", Says: "3 errors"}}
		}, "headgate plain_1k: no errors: 3 errors"},
		"when a check of the whole run failed": {
			func(r *report) { r.Checks = []check{{System: sysFull, Name: "audit verify passes", Says: "record 7"}} },
			"headgate: audit verify passes: record 7",
		},
		"when the yardstick had errors": {func(r *report) {
			r.Checks = []check{{Cell: "plain_1k", System: sysRevproxy, Name: "no errors", Says: "1 error"}}
		}, "revproxy plain_1k"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := testReport()
			tc.change(r)
			r.judge()
			assert.False(t, r.OK)
			require.ErrorIs(t, r.checkGates(true), errGate)
			require.NotEmpty(t, r.reasons())
			assert.Contains(t, r.reasons()[len(r.reasons())-1], tc.says)
			assert.NoError(t, r.checkGates(false))
		})
	}
}

func TestAFailedCheckTakesOnlyItsFigures(t *testing.T) {
	r := testReport()
	r.Checks = []check{{Cell: "plain_100k_seen", System: sysFull, Name: "no errors", Says: "1 error"}}
	r.judge()
	assert.Equal(t, map[string]bool{"plain_1k": true, "empty_chain_1k": true, "plain_100k_seen": false, "anon_mb_after": true}, r.Pass)
}

func TestAWrittenReportIsJudgedTheSame(t *testing.T) {
	r := testReport()
	r.judge()
	name := filepath.Join(t.TempDir(), "bench-report.json")
	require.NoError(t, r.write(name))
	require.NoError(t, runReportCommand(t.Context(), []string{"-in", name}))

	var b bytes.Buffer
	r.print(&b)
	assert.Contains(t, b.String(), "| plain_1k | 50.0 | 55.0 | **1.10** | 0.79–1.25 | 1.00 | ok |")
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"ratio_to_reverseproxy":{"empty_chain_1k":1.833,"plain_100k_seen":0.2,"plain_1k":1.1}`)
	assert.Contains(t, string(raw), `"plain_100k_seen":null`)

	*r.Anon = 100
	require.NoError(t, r.write(name))
	require.ErrorIs(t, runReportCommand(t.Context(), []string{"-in", name}), errGate)
	assert.NoError(t, runReportCommand(t.Context(), []string{"-in", name, "-gate=false"}))
}
