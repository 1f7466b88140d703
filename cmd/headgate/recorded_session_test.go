package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordedSession is a session of an agent that reads and edits github.com/jackc/pgx, whose licence (MIT) is the result of its turn 13:
// the same file as the guardrail's own tests read, so that the gateway as a whole is tried with texts that depend on no toolchain.
const recordedSession = "../../stages/guardrail/testdata/session.jsonl.gz"

// readRecordedSession returns the calls of the recorded session.
func readRecordedSession(t *testing.T) (turns []toolTurn) {
	f, err := os.Open(recordedSession)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	longest := 0
	for line := range bytes.Lines(data) {
		var s struct{ Tool, Arguments, Result string }
		require.NoError(t, json.Unmarshal(line, &s))
		turns = append(turns, toolTurn{s.Tool, s.Arguments, s.Result})
		longest = max(longest, len(s.Result))
	}
	require.GreaterOrEqual(t, len(turns), sessionTurns)
	require.GreaterOrEqual(t, longest, maxResult)
	require.Contains(t, turns[13].result, "Permission is hereby granted, free of charge")
	return turns
}

// enforceEveryGuard is everyGuard with a policy that refuses keys. It does not refuse passwords, which the tests of a driver for
// databases are full of ("user=test password=test"): pii masks those.
func enforceEveryGuard(guardrail string) string {
	return strings.Replace(everyGuard(guardrail), "[API_KEY, PASSWORD, PRIVATE_KEY]", "[API_KEY, PRIVATE_KEY, JWT]", 1)
}

// recordedFindings are what pii finds in the last request of the recorded session, by type, as its readers judged them on
// 30 November 2026: all are what their types say. Most are 127.0.0.1 in settings of tests.
var recordedFindings = map[string]int{"IP_ADDRESS": 55, "EMAIL": 2, "URL_CREDENTIALS": 4, "PASSWORD": 6}

func TestARecordedSessionPassesEveryGuard(t *testing.T) {
	t.Parallel()
	turns := readRecordedSession(t)
	up := new(agentUpstream)
	server := httptest.NewServer(up)
	defer server.Close()
	s := newSite(t)
	s.configure(server.URL, enforceEveryGuard(""))
	c := s.serve("--config", "gateway.yaml").client(testKey)
	for path, body := range map[string]func([]toolTurn) []byte{"/v1/chat/completions": chatSession, "/v1/messages": messagesSession} {
		for n := range turns {
			a, err := c.do("POST", path, body(turns[:n+1]))
			require.NoError(t, err)
			require.Equal(t, 200, a.status, "%s, turn %d, %s: %s", path, n, turns[n].argument, a.body)
		}
		sent := up.last()
		taken := map[string]int{"PASSWORD": strings.Count(sent, "[PASSWORD]")}
		for _, m := range placeholders.FindAllStringSubmatch(sent, -1) {
			taken[m[1]]++
		}
		assert.Equal(t, recordedFindings, taken, path)
	}
}

func TestOrdersPlantedInARecordedSessionAreTakenOut(t *testing.T) {
	t.Parallel()
	turns := readRecordedSession(t)
	for _, p := range planted {
		r := turns[p.turn].result
		at := strings.IndexByte(r[len(r)/2:], '\n') + len(r)/2 + 1
		turns[p.turn].result = r[:at] + p.text + "\n" + r[at:]
	}
	up := new(agentUpstream)
	server := httptest.NewServer(up)
	defer server.Close()
	s := newSite(t)
	s.configure(server.URL, enforceEveryGuard("detectors: [{type: prompt_injection, action: replace}, {type: jailbreak, action: replace}, "+
		"{type: secrets}, {type: invisible_text}, {type: system_prompt_leak}]"))
	c := s.serve("--config", "gateway.yaml").client(testKey)
	for path, body := range map[string]func([]toolTurn) []byte{"/v1/chat/completions": chatSession, "/v1/messages": messagesSession} {
		a, err := c.do("POST", path, body(turns))
		require.NoError(t, err)
		require.Equal(t, 200, a.status, a.body)
		caught := 0
		for _, p := range planted {
			if strings.Contains(up.last(), p.shown) {
				t.Logf("%s: missed in %s", path, p.kind)
			} else {
				caught++
			}
		}
		assert.GreaterOrEqual(t, caught, 4, "%s: of %d planted orders", path, len(planted))
		assert.Contains(t, up.last(), "type Rows interface {", "the other results stay")
	}
}
