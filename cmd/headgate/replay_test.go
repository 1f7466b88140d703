package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/replay"
)

// A day of mixed traffic on a small scale: a running gateway captures it, and it is replayed through a chain that
// denies one model, detects code words and no longer redacts.
func TestADayIsCapturedAndReplayedThroughACandidate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n  - stage: pii\n")+"capture: {enabled: true, dir: kept}\n"))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	send := func(path, body string) {
		t.Helper()
		a, err := c.do("POST", path, []byte(body))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	const secret = "4111 1111 1111 1112 is none, jane@corp.example.org is one"
	for i := range 20 {
		text := fmt.Sprintf("hello %d", i)
		switch i % 4 {
		case 1:
			text = "write to jane.roe@corp.example.org please"
		case 2:
			text = "about project apollo: " + secret
		}
		model := "mock-echo"
		if i%5 == 0 {
			model = "mock-json"
		}
		body := func(more string) string {
			return fmt.Sprintf(`{"model":%q,"max_tokens":50,"messages":[{"role":"user","content":%q}]%s}`, model, text, more)
		}
		switch i % 3 {
		case 0:
			send("/v1/chat/completions", body(""))
		case 1:
			send("/v1/chat/completions", body(`,"stream":true`))
		case 2:
			send("/v1/messages", body(""))
		}
	}
	g.stop()

	files, err := filepath.Glob(s.path("kept/*.hgc"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, never := range []string{"jane", "apollo", "hello", "mock-echo"} {
			assert.NotContains(t, string(b), never, "segments are sealed")
		}
		info, err := os.Stat(f)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}

	s.write("candidate.yaml", []byte(`
chain:
  - stage: policy
  - stage: guardrail
    config: {detectors: [{type: keywords, words: [apollo], action: block}]}
policies:
  - id: no-json
    dsl: |
      rules: [{id: no-json, conditions: {model.in: [mock-json]}, action: DENY, deny_message: "no JSON"}]
`))
	replayed := func(args ...string) finished {
		return s.run(append([]string{"replay", "--config", "gateway.yaml", "--chain", "candidate.yaml"}, args...)...)
	}
	first := replayed("--json")
	require.Zero(t, first.code, first.err)
	assert.Equal(t, first.out, replayed("--json").out, "a replay is deterministic")
	var r replay.Report
	require.NoError(t, json.Unmarshal([]byte(first.out), &r))
	assert.Equal(t, []int{20, 20, 12}, []int{r.Read, r.Replayed, r.Changed}, first.out)
	assert.Equal(t, map[string]int{"served": 20}, r.Recorded)
	assert.Equal(t, map[string]int{"forwarded": 20}, r.Baseline)
	assert.Equal(t, map[string]int{"blocked": 8, "forwarded": 12}, r.Candidate)
	for _, tally := range [][]replay.Tally{r.Stages, r.Rules, r.Tenants} {
		require.NotEmpty(t, tally)
	}
	assert.Contains(t, r.Tenants, replay.Tally{Name: "default", Exchanges: 12})
	assert.Contains(t, r.Stages, replay.Tally{Name: "policy", Exchanges: 4})
	for _, never := range []string{"jane", "apollo", "hello"} {
		assert.NotContains(t, first.out, never, "a report holds no text")
	}

	told := replayed()
	require.Zero(t, told.code, told.err)
	assert.Contains(t, told.out, "20 exchanges, received from ")
	assert.Contains(t, told.out, "; 20 replayed, 12 would have changed\n")
	t.Log(told.out)
	assert.Equal(t, 1, replayed("--fail-on-change").code)
	assert.Contains(t, replayed("--tenant", "other").out, "0 exchanges; 0 replayed, 0 would have changed")
	assert.Contains(t, replayed("--to", "2001-01-01").out, "0 exchanges;")

	s.write("same.yaml", []byte("chain: [{stage: policy}, {stage: pii}]\n"))
	same := s.run("replay", "--config", "gateway.yaml", "--chain", "same.yaml", "--fail-on-change")
	assert.Zero(t, same.code, same.out+same.err)
	assert.Contains(t, same.out, "20 replayed, 0 would have changed")

	for args, says := range map[string]string{
		"--from yesterday":  `--from: "yesterday" is not a time; write 2026-11-21`,
		"--examples -1":     "must not be negative",
		"--chain none.yaml": "none.yaml: the file cannot be read",
	} {
		f := replayed(strings.Fields(args)...)
		assert.Equal(t, 1, f.code, args)
		assert.Contains(t, f.err, says, args)
	}
}
