package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func goodEvidence() evidence {
	return evidence{
		minCPU:   defaultLeastCPU,
		load:     loadReport{Answered: 1000, Requests: 900, Server: &serverReport{CPUSeconds: 1}},
		upstream: mockStats{Requests: 1000, Streams: 1000, Placeholders: 1000, Echoes: 1000},
		gateway:  gatewayCounts{Audit: 2000, Usage: 1000, Wasm: 4000},
	}
}

func TestChecksOfOneLoad(t *testing.T) {
	full, floor := part{cell{name: "stream_1k", stream: true}, sysFull}, part{cell{name: "plain_1k"}, sysRevproxy}
	tests := map[string]struct {
		part   part
		change func(*evidence)
		failed string
	}{
		"a governed load passes": {full, func(*evidence) {}, ""},
		"a floor need not govern": {
			floor,
			func(e *evidence) { e.upstream.Placeholders, e.upstream.Echoes, e.gateway = 0, 0, gatewayCounts{} },
			"",
		},
		"errors":                           {floor, func(e *evidence) { e.load.Errors = 1 }, "no errors"},
		"nothing answered":                 {floor, func(e *evidence) { e.load.Answered, e.upstream.Requests = 0, 0 }, "no errors"},
		"a starved server":                 {floor, func(e *evidence) { e.load.Server.CPUSeconds = 0.1 }, "enough was measured"},
		"hardly a request measured":        {floor, func(e *evidence) { e.load.Requests = 3 }, "enough was measured"},
		"a cache answered":                 {full, func(e *evidence) { e.upstream.Requests-- }, "each request reached the upstream once"},
		"whole answers for streams":        {full, func(e *evidence) { e.upstream.Streams-- }, "upstream answered streams"},
		"one prompt went through unmasked": {full, func(e *evidence) { e.upstream.Placeholders-- }, "upstream saw a placeholder in each request"},
		"one answer without an echo":       {full, func(e *evidence) { e.upstream.Echoes-- }, "upstream echoed one in each answer"},
		"an audit record lost":             {full, func(e *evidence) { e.gateway.Audit-- }, "audit records = 2 x requests"},
		"an audit record too many":         {full, func(e *evidence) { e.gateway.Audit++ }, "audit records = 2 x requests"},
		"a usage row lost":                 {full, func(e *evidence) { e.gateway.Usage-- }, "usage records = requests"},
		"the detector was not called":      {full, func(e *evidence) { e.gateway.Wasm = 999 }, "wasm calls >= requests"},
		"no such metric":                   {full, func(e *evidence) { e.gateway.Wasm = -1 }, "wasm calls >= requests"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := goodEvidence()
			tc.change(&e)
			var failed []string
			for _, c := range e.buildChecks(tc.part) {
				assert.Equal(t, c.OK, c.Says == "", "a failed check says why")
				if !c.OK {
					failed = append(failed, c.Name)
				}
			}
			if tc.failed == "" {
				assert.Empty(t, failed)
				return
			}
			assert.Equal(t, []string{tc.failed}, failed)
		})
	}
}

func TestAMergedCheckStaysFailed(t *testing.T) {
	bad, good := check{Cell: "c", System: "s", Name: "n", Says: "first"}, check{Cell: "c", System: "s", Name: "n", OK: true}
	var all []check
	for _, c := range []check{good, bad, {Cell: "c", System: "s", Name: "n", Says: "second"}, good, {Cell: "d", System: "s", Name: "n", OK: true}} {
		all = mergeCheck(all, c)
	}
	require.Len(t, all, 2)
	assert.Equal(t, bad, all[0])
}

func TestVerifiedCounts(t *testing.T) {
	tests := map[string]struct {
		out    string
		failed []string
	}{
		"enough of all":       {`{"records":2003,"usage":1000,"types":{"GATEWAY_REQUEST":1000,"GATEWAY_RESPONSE":1000,"AUTH_SUCCESS":3}}`, nil},
		"only records":        {`{"records":2000}`, nil},
		"too few records":     {`{"records":1999}`, []string{"verified records >= 2 x requests"}},
		"one kind is missing": {`{"types":{"GATEWAY_REQUEST":1000}}`, []string{"verified GATEWAY_RESPONSE records = requests"}},
		"usage rows lost":     {`{"usage":999}`, []string{"stored usage rows = requests"}},
		"no JSON":             {`ok`, []string{"audit verify --json prints JSON"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var failed []string
			for _, c := range checkCounts([]byte(tc.out), sysFull, 1000) {
				if !c.OK {
					failed = append(failed, c.Name)
				}
			}
			assert.Equal(t, tc.failed, failed)
		})
	}
}
