package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAProgramIsPinnedByTheLockAndTakenUpWhenItsFileChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.wordguard()
	s.write(
		"gateway.yaml",
		[]byte(
			strings.Replace(
				configText("", "  - stage: pii\n  - {process: wordguard, name: words, start_timeout: 1m, timeout: 20s, config: {redact: [APOLLO]}}\n"),
				"trust: open",
				"trust: pinned",
				1,
			),
		),
	)
	f := s.run("serve", "--config", "gateway.yaml")
	require.NotZero(t, f.code)
	assert.Contains(t, f.err+f.out, "headgate plugin lock")

	f = s.run("plugin", "lock", "--config", "gateway.yaml", "wordguard")
	require.Zero(t, f.code, f.err)
	f = s.run("plugin", "lock", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "lists 1 files", "a program that is listed stays listed")
	g := s.serve("--config", "gateway.yaml")
	old := g.processes()[0].Digest
	pid := g.only()

	// Bytes after the end of a program change its digest, but not its behaviour.
	file := filepath.Join(s.dir, "plugins", "wordguard")
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	next := append(body, "a newer one"...)
	require.NoError(t, os.WriteFile(file+".next", next, 0o700)) // executable
	require.NoError(t, os.Rename(file+".next", file))
	eventually(t, "the unlisted file is reported", func() bool {
		return strings.Contains(g.out.String()+g.errs.String(), "is not the one that plugins.lock lists")
	})
	assert.Equal(t, old, g.processes()[0].Digest)
	assert.Equal(t, pid, g.only(), "the listed program keeps running")

	f = s.run("plugin", "lock", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	eventually(t, "the new file runs", func() bool { return g.processes()[0].Digest == digest(next) })
	eventually(t, "the old process has ended", watchEnd(pid))
	require.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "hello").status)
}
