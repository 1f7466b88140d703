package plugintool

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
)

// output is what a command has printed so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) has(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Contains(o.b.String(), text)
}

func TestWatchRunsTheCasesAgainWhenOneIsAdded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cases.yaml")
	text := "link: {stage: pii, config: {types: [EMAIL]}}\ncases:\n- name: one\n  given: {text: hello}\n  expect: {verdict: pass}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out output
	c := NewCommand(new(node.Options))
	c.SetArgs([]string{"test", "--watch", file})
	c.SetOut(&out)
	c.SetErr(&out)
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(ctx) }()
	require.Eventually(t, func() bool { return out.has("1 passed, 0 failed") }, time.Minute, time.Millisecond)
	require.NoError(t, os.WriteFile(file, []byte(text+"- name: two\n  given: {text: bye}\n  expect: {verdict: block}\n"), 0o600))
	require.Eventually(t, func() bool { return out.has("1 passed, 1 failed") }, time.Minute, time.Millisecond, "a case that fails does not end it")
	cancel()
	require.NoError(t, <-done)
}

func TestStampsTellWhichFilesChanged(t *testing.T) {
	dir := t.TempDir()
	cases := filepath.Join(dir, "x.cases.yaml")
	source, hidden := filepath.Join(dir, "main.c"), filepath.Join(dir, "node_modules", "y.js")
	require.NoError(t, os.Mkdir(filepath.Dir(hidden), 0o700))
	for _, file := range []string{cases, source, hidden} {
		require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	}
	before, err := readStamps([]string{cases})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, []byte("ab"), 0o600))
	require.NoError(t, os.WriteFile(hidden, []byte("ab"), 0o600))
	require.NoError(t, os.Remove(cases))
	now, err := readStamps([]string{source})
	require.NoError(t, err)
	assert.Equal(t, []string{source, cases}, before.findChanges(now))
}

func TestAChangeDuringARunIsSeenAfterIt(t *testing.T) {
	before := stamps{"p/x.cases.yaml": "1", "p/main.c": "1", "p/manifest.yaml": "1", "p/p.wasm": "1", "p/x.golden": "1"}
	for name, c := range map[string]struct {
		after   stamps
		changed []string
	}{
		"what the run writes is not a change": {
			stamps{"p/x.cases.yaml": "1", "p/main.c": "1", "p/manifest.yaml": "1", "p/p.wasm": "2", "p/report.xml": "1"}, nil,
		},
		"a case, a source and a manifest are": {
			stamps{"p/x.cases.yaml": "2", "p/main.c": "2", "p/manifest.yaml": "2", "p/p.wasm": "2", "p/x.golden": "1"},
			[]string{"p/main.c", "p/manifest.yaml", "p/x.cases.yaml"},
		},
		"a new case and a source that is gone are": {
			stamps{"p/x.cases.yaml": "1", "p/y.cases.yaml": "1", "p/manifest.yaml": "1", "p/p.wasm": "1", "p/x.golden": "1"},
			[]string{"p/main.c", "p/y.cases.yaml"},
		},
	} {
		assert.Equal(t, c.changed, before.takeOutput(c.after).findChanges(c.after), name)
	}
}
