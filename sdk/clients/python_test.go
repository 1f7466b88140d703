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

// pythonVar asks for the test with OpenAI's Python client. It installs a package
// from the network, so it is not part of a plain run.
const pythonVar = "HEADGATE_TEST_PYTHON"

func TestTheOfficialPythonClient(t *testing.T) {
	if os.Getenv(pythonVar) == "" {
		t.Skip("SKIPPED: set " + pythonVar + "=1 to install OpenAI's Python client and test with it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	venv := filepath.Join(t.TempDir(), "venv")
	for _, line := range [][]string{{"python3", "-m", "venv", venv}, {filepath.Join(venv, "bin", "pip"), "install", "--quiet", "openai"}} {
		out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	p := newProvider(t)
	addr := serve(t, p.URL)
	run := func(model string) string {
		cmd := exec.CommandContext(ctx, filepath.Join(venv, "bin", "python"), filepath.Join("testdata", "chat.py"), "http://"+addr+"/v1", gatewayKey, model, card)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	t.Log(run("mock-echo"))
	p.play("stream.sse", 0, split(9), false)
	assert.Contains(t, run("gpt-4o"), "ok")
	got, _ := p.received()
	assert.NotContains(t, string(got), card)
	assert.Regexp(t, token, string(got))
}
