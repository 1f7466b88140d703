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

// pythonVar asks for the tests with packages from PyPI outside of CI, where they always run.
const pythonVar = "HEADGATE_PYTHON"

// installPython makes a virtual environment with the packages of a file of requirements, and returns its interpreter.
func installPython(ctx context.Context, t *testing.T, requirements string) string {
	t.Helper()
	inCI := os.Getenv("CI") == "true"
	if !inCI && os.Getenv(pythonVar) == "" {
		t.Skip("SKIPPED: set " + pythonVar + "=1 to install packages from PyPI and test with them")
	}
	venv := filepath.Join(t.TempDir(), "venv")
	for _, line := range [][]string{
		{"python3", "-m", "venv", venv},
		{filepath.Join(venv, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", requirements},
	} {
		out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return filepath.Join(venv, "bin", "python")
}

func TestTheOfficialPythonClients(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	dir := filepath.Join("testdata", "python")
	python := installPython(ctx, t, filepath.Join(dir, "requirements.txt"))
	run := func(t *testing.T, script string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(ctx, python, append([]string{"-B", filepath.Join(dir, script)}, args...)...)
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
		got, _ := p.readReceived()
		assert.NotContains(t, string(got), card)
		assert.Regexp(t, token, string(got))
	})
	t.Run("talks in Realtime sessions", func(t *testing.T) {
		run(t, "openai_realtime.py", "http://"+serveWith(t, runConfig, ""), gatewayKey, card)
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
