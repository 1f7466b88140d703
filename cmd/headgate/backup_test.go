package main_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABackupOfAServingGatewayIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "card "+card))
	key := s.createKey("--name", "made by hand")
	tr := g.traffic(4, time.Millisecond, "mock-echo")
	tr.awaitMore(50)
	f := s.run("backup", "copy", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "headgate.key")
	tr.awaitMore(50)
	tr.end()
	f = s.run("backup", "copy", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "already exists")
	f = s.run("restore", "copy", "--overwrite", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "stop the gateway first")
	g.stop()
	s.verifyAudit("--config", "gateway.yaml")

	other := newSite(t)
	other.configure("", "  - stage: pii\n")
	for _, name := range []string{"copy", "headgate.key"} {
		b, err := os.ReadFile(s.path(name))
		require.NoError(t, err)
		other.write(name, b)
	}
	f = other.run("restore", "copy", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	other.verifyAudit("--config", "gateway.yaml")
	g = other.serve("--config", "gateway.yaml")
	assert.Equal(t, 200, g.client(key).chat(t, "mock-echo", "hello").status, "keys are restored")
	g.stop()
	assert.Contains(t, other.verifyAudit("--config", "gateway.yaml", "--accept-gaps"), "without a shutdown", "what came after the backup is a gap")
	f = other.run("restore", "copy", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "--overwrite")
}

func TestMigrationsAreListedAndMade(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	f := s.run("migrate", "status", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "no database yet")
	f = s.run("migrate", "up", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `00001  records +made 2\d{3}-`, f.out)
	f = s.run("migrate", "status", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `00001  records +made 2\d{3}-`, f.out)
	f = s.run("migrate", "up", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Equal(t, "the schema is up to date\n", f.out)
}
