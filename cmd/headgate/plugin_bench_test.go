package main_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

const benchCase = "link: {stage: pii}\ncases: [{name: x, given: {text: y}, expect: {verdict: pass}}]\n"

func TestBenchTimesAModuleBesideTheFloor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	f := s.run("plugin", "bench", "--json", "employee-id.wasm")
	require.Zero(t, f.code, f.err)
	var r struct {
		Digest string  `json:"sha256"`
		Cold   float64 `json:"load_cold_ms"`
		Warm   float64 `json:"load_cached_ms"`
		Memory int64   `json:"instance_memory"`
		Sizes  []struct {
			Bytes  int     `json:"bytes"`
			Micros float64 `json:"us"`
			Floor  float64 `json:"floor_us"`
			Fuel   int64   `json:"fuel"`
			Allocs int64   `json:"allocs"`
		} `json:"sizes"`
	}
	require.NoError(t, json.Unmarshal([]byte(f.out), &r))
	assert.Equal(t, digest(sample(t)), r.Digest)
	assert.Positive(t, r.Cold)
	assert.Positive(t, r.Warm)
	assert.Positive(t, r.Memory)
	require.Len(t, r.Sizes, 7)
	for _, s := range r.Sizes {
		assert.Positive(t, s.Micros)
		assert.Positive(t, s.Floor)
		assert.Positive(t, s.Fuel)
		if !raceDetector { // which itself allocates
			assert.Zero(t, s.Allocs, "%d bytes", s.Bytes)
		}
	}
	assert.Equal(t, 100<<10, r.Sizes[6].Bytes)
	assert.Greater(t, r.Sizes[6].Fuel, r.Sizes[3].Fuel, "a longer text runs more instructions")
}

func TestBenchTimesTheStageOfACaseFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("x.cases.yaml", []byte(benchCase))
	s.copy("text", []byte("é"))
	f := s.run("plugin", "bench", "x.cases.yaml", "--text", "text")
	require.Zero(t, f.code, f.err)
	assert.True(t, strings.HasPrefix(f.out, "stage pii\n\n"), f.out)
	assert.Contains(t, f.out, "102400")
	assert.Contains(t, f.out, "floor: a scanner in Go")
}

func TestBenchTimesAWebhookAtEverySize(t *testing.T) {
	t.Parallel()
	verifier := &webhook.Verifier{Secrets: []string{"0123456789abcdef"}}
	receiver := httptest.NewServer(webhook.Handler(verifier, func(context.Context, *webhook.Request) (*webhook.Verdict, error) {
		return &webhook.Verdict{Action: webhook.Pass}, nil
	}))
	defer receiver.Close()
	s := newSite(t)
	s.copy("x.cases.yaml", []byte("link: {webhook: "+receiver.URL+", secret: 0123456789abcdef, timeout: 20s}\n"+
		"cases: [{name: x, given: {text: y}, expect: {verdict: pass}}]\n"))
	f := s.run("plugin", "bench", "--json", "x.cases.yaml")
	require.Zero(t, f.code, f.err)
	var r struct {
		Sizes []struct {
			Bytes  int
			Micros float64 `json:"us"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(f.out), &r), f.out)
	require.Len(t, r.Sizes, 7)
	for _, size := range r.Sizes {
		assert.Positive(t, size.Micros, "%d bytes", size.Bytes)
	}
}

func TestBenchSaysWhatItCannotTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("empty", nil)
	s.copy("bad.wasm", []byte("no"))
	s.copy("x.cases.yaml", []byte(benchCase))
	for want, args := range map[string][]string{
		"name a module":            {"module.txt"},
		"no such file":             {"missing.wasm"},
		"the file is empty":        {"x.cases.yaml", "--text", "empty"},
		`plugin "bad.wasm": check`: {"bad.wasm"},
	} {
		f := s.run(append([]string{"plugin", "bench"}, args...)...)
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, want)
	}
}
