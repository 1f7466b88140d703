package main_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAGatewayOutlivesAFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED: prlimit is not installed (Debian: util-linux)")
	}
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	limit := func(bytes string) {
		out, err := exec.Command("prlimit", "--pid", strconv.Itoa(g.cmd.Process.Pid), "--fsize="+bytes+":").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	c := g.client(testKey)
	require.Equal(t, 200, c.chat(t, "mock-echo", "hello").status)
	limit("1000") // no file can grow any more
	const failed = "records could not be written; they are kept and tried again"
	for range 50 { // which the queue accepts
		require.Equal(t, 200, c.chat(t, "mock-echo", "hello").status)
	}
	eventually(t, "the gateway says that it cannot write", func() bool { return g.findLogLine(failed) != nil })
	assert.Contains(t, g.findLogLine(failed)["error"], "no room left")
	limit("unlimited")
	require.Equal(t, 200, c.chat(t, "mock-echo", "hello").status)
	g.stop()
	assert.Contains(t, s.verifyAudit("--config", "gateway.yaml"), "52 usage records")
}
