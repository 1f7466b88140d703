package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
)

// awaitExit waits until no process has the PID.
func awaitExit(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(
		t,
		func() bool { return syscall.Kill(pid, 0) != nil },
		10*time.Second,
		time.Millisecond,
		"process %d is left behind",
		pid,
	)
}

// listChildren returns the processes that this one has started, including zombies.
func listChildren(t *testing.T) (out []int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	if len(tasks) == 0 {
		t.Log("the kernel does not list children: leaks are not checked")
	}
	for _, f := range tasks {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		for _, n := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(n)
			require.NoError(t, err)
			out = append(out, pid)
		}
	}
	return out
}

func TestAStartThatFailsSaysWhyAndLeavesNothingBehind(t *testing.T) {
	before := len(listChildren(t))
	t.Cleanup(func() { assert.Len(t, listChildren(t), before, "a process is still there") })
	for act, want := range map[string]struct {
		outcome Outcome
		says    string
	}{
		"silent":       {OutcomeSlowStart, "not ready within 2s; start_timeout: gives it more time"},
		"chatty":       {OutcomeHandshake, "the plugin's first line is not a handshake"},
		"long":         {OutcomeHandshake, "longer than 16384 bytes"},
		"core2":        {OutcomeVersion, "the plugin's handshake is not of version 1"},
		"version2":     {OutcomeVersion, "the plugin speaks version 2 of the plugin protocol, and this gateway version 1"},
		"nocert":       {OutcomeHandshake, "presents no certificate"},
		"tcp":          {OutcomeHandshake, "not a unix socket"},
		"netrpc":       {OutcomeHandshake, "does not offer grpc"},
		"dies":         {OutcomeStart, "the plugin ended before its handshake"},
		"asksunknown":  {OutcomeHandshake, "asks for an unknown field"},
		"noname":       {OutcomeHandshake, "the plugin's name is not of small letters"},
		"verdictfirst": {OutcomeUnknown, "a call that was never made"},
	} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			p := plug(t, act, func(s *Spec) {
				if s.StartTimeout = 30 * time.Second; act == "silent" {
					s.StartTimeout = 2 * time.Second
				}
			})
			st, err := p.host.OpenStage(context.Background(), p.spec)
			require.Nil(t, st)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, want.outcome, e.Outcome)
			assert.Contains(t, err.Error(), want.says)
			assert.Contains(t, err.Error(), `process "`+act+`"`)
			assert.NotContains(t, err.Error(), "/tmp")
			assert.Empty(t, p.host.Stats())
		})
	}
}

func TestWhatAPluginWritesBeforeItDiesIsInTheLog(t *testing.T) {
	p := plug(t, "dies")
	_, err := p.host.OpenStage(context.Background(), p.spec)
	require.Error(t, err)
	require.Eventually(t, func() bool { return len(p.log.copyLines()) > 0 }, 5*time.Second, time.Millisecond)
	assert.Equal(t, []string{"I have  no [2J config"}, p.log.copyLines())
}

func TestAFileThatIsNotThePinnedOneIsNotStarted(t *testing.T) {
	p := plug(t, "pass", func(s *Spec) { s.SHA256 = strings.Repeat("0", 64) })
	_, err := p.host.OpenStage(context.Background(), p.spec)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, OutcomeChecksum, e.Outcome)
	_, digest := folder()
	assert.Contains(t, err.Error(), digest, "the operator can compare")

	p.spec.SHA256 = "abc"
	_, err = p.host.OpenStage(context.Background(), p.spec)
	assert.ErrorContains(t, err, "64 hex digits")
}

func TestAProcessRunsWhatItsHostTrusts(t *testing.T) {
	p := plug(t, "pass", func(s *Spec) { s.SHA256 = "" })
	asked := 0
	answer := errors.New("plugins.lock does not list it")
	p.host.o.Trusts = func(file, digest string, read func() ([]byte, error)) error {
		asked++
		body, err := read()
		require.NoError(t, err)
		sum := sha256.Sum256(body)
		_, want := folder()
		assert.Equal(t, p.spec.File, file)
		assert.Equal(t, want, digest)
		assert.Equal(t, want, hex.EncodeToString(sum[:]))
		return answer
	}
	_, err := p.host.OpenStage(context.Background(), p.spec)
	require.ErrorContains(t, err, "plugins.lock does not list it; or write the digest that sha256sum prints into sha256:")
	answer = nil
	p.stage(t)
	p.stage(t)
	assert.Equal(t, 2, asked, "a running process is shared")
	_, p.spec.SHA256 = folder()
	answer = errors.New("not asked")
	p.stage(t)
}

func TestAFileThatCannotBeAPluginIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text"), []byte("x"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open"), []byte("x"), 0o700))
	require.NoError(t, os.Chmod(filepath.Join(dir, "open"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir"), 0o700))
	h := NewHost(Options{Dir: dir})
	for file, says := range map[string]string{
		"missing": "no such file", "plain": "not executable; chmod 755", "open": "others than its owner can write", "dir": "not a regular file",
		"../x": "within the plugins folder", "text": "the file cannot be run",
	} {
		_, err := h.OpenStage(context.Background(), Spec{Link: "l", File: file})
		assert.ErrorContains(t, err, says, file)
		if err != nil {
			assert.NotContains(t, err.Error(), dir)
		}
	}
}

func TestAPluginGetsWhatIsAskedForAndGrantedAndNothingElse(t *testing.T) {
	p := plug(t, "tells", func(s *Spec) {
		s.Grant = foreign.Grant{Fields: []string{"tenant", "key_id"}, Text: []string{"user"}, Capabilities: []string{}}
	})
	st := p.stage(t)
	x := request(t, `{"model":"m","messages":[{"role":"system","content":"sys"},{"role":"user","content":"usr"}]}`)
	x.Principal.Tenant, x.Principal.KeyID, x.ID = "acme", "k1", "x1"
	v, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	require.NotNil(t, v.Err)
	assert.Equal(
		t,
		`model="" tenant="acme" key="" id="" texts=["usr"] env=[HEADGATE_PLUGIN PLUGIN_CLIENT_CERT PLUGIN_MAX_PORT PLUGIN_MIN_PORT PLUGIN_PROTOCOL_VERSIONS PLUGIN_UNIX_SOCKET_DIR]`,
		v.Err.Public,
	)
}

func TestSettingsThatAPluginDoesNotTakeRefuseTheLink(t *testing.T) {
	p := plug(t, "words", func(s *Spec) { s.Config = settings{"Action": "refuse"} })
	_, err := p.host.OpenStage(context.Background(), p.spec)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, OutcomeRefused, e.Outcome)
	assert.Contains(t, p.log.copyLines(), `action: unknown action "refuse"`)
}

func TestThePluginsOfAGatewayThatIsNotTheOneWhoStartedThemEnd(t *testing.T) {
	// A plugin that is started by hand says what it is.
	self, err := os.Executable()
	require.NoError(t, err)
	out, err := run(self, "plugin", "words")
	require.Error(t, err)
	assert.Contains(t, out, "plugin")
}
