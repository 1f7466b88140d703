package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// TestMain is also the main function of the plugins of these tests: the test binary is put into a plugins folder and
// started under the name of a plugin.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "plugin" {
		act, ok := acts[os.Args[2]]
		if !ok {
			panic("there is no such plugin: " + os.Args[2])
		}
		act()
		return
	}
	os.Exit(m.Run())
}

// folder returns a plugins folder that contains the test binary, and its digest.
var folder = sync.OnceValues(func() (dir, digest string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b)
	return filepath.Dir(self), hex.EncodeToString(sum[:])
})

// plugged is a link of one of the plugins of these tests.
type plugged struct {
	host *Host
	log  *lines
	spec Spec
}

// lines are the lines that a plugin has written.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) add(_, text string, _ int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text)
}

func (l *lines) copyLines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.text...)
}

func plug(t testing.TB, act string, change ...func(*Spec)) *plugged {
	t.Helper()
	dir, digest := folder()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &plugged{log: new(lines)}
	p.host = NewHost(Options{Dir: dir, Log: p.log.add})
	p.spec = Spec{
		Link: act, File: filepath.Base(self), Args: []string{"plugin", act}, SHA256: digest,
	}
	for _, c := range change {
		c(&p.spec)
	}
	return p
}

// stage starts the plugin.
func (p *plugged) stage(t testing.TB) *Stage {
	t.Helper()
	st, err := p.host.OpenStage(context.Background(), p.spec)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close(context.Background())) })
	return st
}

// settings are a link's config block.
type settings map[string]any

func (s settings) Decode(into any) error {
	*into.(*map[string]any) = s
	return nil
}

var _ core.Settings = settings{}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer func() { require.NoError(t, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}
