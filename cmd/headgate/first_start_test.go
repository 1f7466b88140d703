package main_test

import (
	"bytes"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	printedKey  = regexp.MustCompile(`(?m)^  (gw_[A-Za-z0-9_-]+)$`)
	printedCurl = regexp.MustCompile(`(?m)^  (curl .*)$`)
	curlParts   = regexp.MustCompile(
		`^curl (http://[^/]+)(/\S+) -H "Authorization: Bearer (\S+)" -H "Content-Type: application/json" -d '(.*)'$`,
	)
)

// anywhere are the flags that let tests run concurrently.
var anywhere = []string{"--set", "server.listen=127.0.0.1:0", "--set", "server.metrics_listen=127.0.0.1:0"}

// paste runs the printed line unchanged, in a shell if curl is installed.
func paste(t *testing.T, line string) answer {
	t.Helper()
	m := curlParts.FindStringSubmatch(line)
	require.NotNil(t, m, line)
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", line+" --silent --show-error --fail-with-body --max-time 60").Output()
		require.NoError(t, err, string(out))
		return answer{status: http.StatusOK, body: string(out)}
	}
	a, err := (&client{m[1], m[3], &http.Client{Timeout: patience}}).do("POST", m[2], []byte(m[4]))
	require.NoError(t, err)
	return a
}

func TestThePrintedLineAnswersAndItsRecordsVerify(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	s.copy("sample.yaml", fromRoot(t, "configs/gateway.yaml"))
	args := append([]string{"--config", "sample.yaml"}, anywhere...)

	g := s.launch(args...)
	// Run the line as soon as it is printed, as a script does that waits for it.
	eventually(t, "the line is printed", func() bool { return strings.Contains(g.errs.String(), "or in a browser: http://") })
	eventually(
		t,
		"the console's address is printed",
		func() bool { return strings.Contains(g.errs.String(), "The console is at http://127.0.0.1:") },
	)
	first := g.errs.String()
	keys, curls := printedKey.FindAllStringSubmatch(first, -1), printedCurl.FindAllStringSubmatch(first, -1)
	require.Len(t, keys, 1, first)
	require.Len(t, curls, 1, first)
	key := keys[0][1]
	assert.Equal(t, 2, strings.Count(first, key), "once on its own and once in the line")
	a := paste(t, curls[0][1])
	assert.Equal(t, http.StatusOK, a.status)
	assert.Equal(t, "My card is "+card+" and my badge is EMP-123456", a.content())

	eventually(t, "the exchange's records are written", func() bool {
		return strings.Contains(
			s.run("audit", "verify", "--config", "sample.yaml").out,
			"1 of them GATEWAY_REQUEST and 1 GATEWAY_RESPONSE; 1 usage record",
		)
	})
	g.stop()
	assert.NotContains(t, g.out.String(), key, "the key is not in the log")
	told := s.verifyAudit("--config", "sample.yaml")
	assert.NotContains(t, told, "without a shutdown")

	second := s.serve(args...)
	assert.NotContains(t, second.errs.String(), key)
	assert.NotRegexp(t, printedKey, second.errs.String())
	assert.Contains(t, second.errs.String(), "headgate keys create --config sample.yaml --tenant default --name dev-2")
	assert.Equal(t, true, second.findLogLine("serving")["clean_start"])
	require.NoError(t, second.client(key).checkEcho("mock-echo", "my card is "+card))
	second.stop()

	s.copy("sample.yaml", bytes.Replace(fromRoot(t, "configs/gateway.yaml"), []byte("${HEADGATE_DEV_KEY:-}"), []byte(key), 1))
	third := s.serve(args...)
	require.NoError(t, third.client(key).checkEcho("mock-echo", "my card is "+card), "the printed key may be written into the file")
}

func TestServeWithoutAFileUsesTheEmbeddedSample(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	g := s.serve(anywhere...)
	key := printedKey.FindStringSubmatch(g.errs.String())
	require.NotNil(t, key)
	without := g.statusFor(key[1])
	require.NoError(t, g.client(key[1]).checkEcho("mock-echo", "my card is "+card+" and my badge is EMP-123456"))
	g.stop()

	// The same bytes in a file give the same gateway.
	s.copy("sample.yaml", fromRoot(t, "configs/gateway.yaml"))
	with := s.serve(append([]string{"--config", "sample.yaml"}, anywhere...)...).statusFor(key[1])
	with.ConfigVersion = without.ConfigVersion // each start has its own
	assert.Equal(t, with, without)
	assert.Equal(t, []string{"pii", "employees"}, without.links())
}
