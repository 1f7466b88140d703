package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pythonVar asks for the tests with the Python clients. They install packages
// from the network, so they are not part of a plain run.
const pythonVar = "HEADGATE_PYTHON"

func TestTheOfficialPythonClients(t *testing.T) {
	if os.Getenv(pythonVar) == "" {
		t.Skip("SKIPPED: set " + pythonVar + "=1 to install the vendors' Python clients and test with them")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir := filepath.Join("testdata", "python")
	venv := filepath.Join(t.TempDir(), "venv")
	for _, line := range [][]string{
		{"python3", "-m", "venv", venv},
		{filepath.Join(venv, "bin", "pip"), "install", "--quiet", "-r", filepath.Join(dir, "requirements.txt")},
	} {
		out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	run := func(t *testing.T, script string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(ctx, filepath.Join(venv, "bin", "python"), append([]string{"-B", filepath.Join(dir, script)}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), "ok ")
		t.Log(string(out))
	}
	t.Run("chats with one provider", func(t *testing.T) {
		p := newProvider(t)
		base := "http://" + serve(t, p.URL) + "/v1"
		run(t, "chat.py", base, gatewayKey, "mock-echo", card)
		p.play("stream.sse", 0, split(9), false)
		run(t, "chat.py", base, gatewayKey, "gpt-4o", card)
		got, _ := p.received()
		assert.NotContains(t, string(got), card)
		assert.Regexp(t, token, string(got))
	})
	t.Run("the fakes of clouds speak what their vendors' clients expect", func(t *testing.T) {
		s := newScripted(t)
		run(t, "cloud_clients.py", s.URL)
	})
	for _, script := range []string{"openai_client.py", "anthropic_client.py", "google_client.py"} {
		t.Run(script, func(t *testing.T) {
			s := newScripted(t)
			args := []string{"http://" + serveWith(t, everyProvider+personal, s.URL), gatewayKey, card}
			for _, x := range targets {
				args = append(args, x.model)
			}
			run(t, script, args...)
			s.mu.Lock()
			defer s.mu.Unlock()
			require.GreaterOrEqual(t, len(s.got), 6*len(targets))
			for _, r := range s.got {
				assert.NotContains(t, string(r.body), card)
				h := hear(called[r.path], r.body)
				assert.Equal(t, []string{system, prompt}, []string{h.system, h.user}, string(r.body))
			}
		})
	}
}
