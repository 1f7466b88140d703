package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
	"github.com/headgate-dev/headgate/wasm"
)

// samples is where the sample plugins are.
var samples = filepath.Join("..", "samples")

// scratch is a folder for new projects, once for all tests.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "headgate-project-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		scratch = dir
		// The compilers that .ci/run has npm install.
		var npm string
		if npm, err = filepath.Abs(filepath.Join("..", "..", ".ci", "guests", "node_modules", ".bin")); err == nil {
			err = os.Setenv("PATH", npm+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Remove()
	return m.Run()
}

// plugin is what became of one build.
type plugin struct {
	built  Built
	source []byte
	err    error
}

var (
	mu   sync.Mutex
	made = map[string]plugin{}
)

// buildOnce builds a folder the first time that it is asked for.
func buildOnce(t testing.TB, name string, dir func() (string, error)) plugin {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	p, ok := made[name]
	if !ok {
		p = build(name, dir)
		made[name] = p
	}
	skipMissing(t, p.err)
	require.NoError(t, p.err)
	return p
}

// skipUnraced skips all languages but C under the race detector, which makes the
// runtime's compiler ten times slower. .ci/check tries all once more without it.
func skipUnraced(t testing.TB, lang string) {
	t.Helper()
	if raceDetector && lang != "c" {
		t.Skip("tried without the race detector")
	}
}

// skipMissing skips a test whose toolchain is not installed. In CI it fails: .ci/run
// should have installed it.
func skipMissing(t testing.TB, err error) {
	t.Helper()
	var missing *MissingError
	if !errors.As(err, &missing) {
		return
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "%v", err)
	t.Skipf("SKIPPED: %v", err)
}

// build builds a folder, unless a test of another package has: sdk/project/guests writes the same.
func build(name string, from func() (string, error)) (p plugin) {
	dir, err := shared.Folder(name, func(to string) error {
		source, err := from()
		if err != nil {
			return err
		}
		built, err := Build(context.Background(), source, to, nil)
		if err != nil {
			return err
		}
		text, err := json.Marshal(built)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, "built.json"), text, 0o600)
	})
	if err != nil {
		return plugin{err: err}
	}
	text, err := os.ReadFile(filepath.Join(dir, "built.json"))
	if err == nil {
		err = json.Unmarshal(text, &p.built)
	}
	if err == nil {
		p.source, err = os.ReadFile(p.built.File)
	}
	p.err = err
	return p
}

// template is a new project of a language, built.
func template(t testing.TB, lang, kind string) plugin {
	t.Helper()
	skipUnraced(t, lang)
	name := "new-" + lang + "-" + kind
	return buildOnce(t, name, func() (string, error) {
		_, err := New(scratch, name, lang, kind)
		return filepath.Join(scratch, name), err
	})
}

// sample is a sample plugin, built.
func sample(t testing.TB, name string) plugin {
	t.Helper()
	dir := filepath.Join(samples, name)
	l, _, err := detectLanguage(dir)
	require.NoError(t, err)
	skipUnraced(t, l.name)
	return buildOnce(t, "sample-"+name, func() (string, error) { return dir, nil })
}

// load puts a plugin into the host, where it must find what its manifest says. The
// caller releases it.
func (p plugin) load(t testing.TB, config string) *wasm.Version {
	t.Helper()
	cache, err := compiled()
	require.NoError(t, err)
	v, err := wasm.Load(context.Background(), wasm.LoadOptions{
		Source: p.source, Name: filepath.Base(p.built.File), Config: []byte(config), Limits: wasm.Limits{Timeout: 20 * time.Second}, Cache: cache,
	})
	require.NoError(t, err)
	return v
}

// compiled keeps machine code from test to test.
var compiled = sync.OnceValues(func() (*wasm.Cache, error) {
	dir, err := shared.Folder("compiled", func(string) error { return nil })
	if err != nil {
		return nil, err
	}
	return wasm.OpenCache(dir, wasm.Child{})
})
