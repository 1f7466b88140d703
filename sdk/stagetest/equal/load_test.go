package equal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/sdk/stagetest/shared"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, v := range loaded.versions {
		v.Release(context.Background())
	}
	shared.Remove()
	os.Exit(code)
}

// loaded are the samples by name and settings: each is loaded once.
var loaded = struct {
	sync.Mutex
	versions map[[2]string]*wasm.Version
}{versions: map[[2]string]*wasm.Version{}}

// lastLine is the last line that a guest logged.
var lastLine atomic.Pointer[string]

// parseYAML returns settings in YAML.
func parseYAML(t testing.TB, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &out))
	return out
}

// toJSON returns settings in YAML as a guest gets them.
func toJSON(t testing.TB, text string) []byte {
	t.Helper()
	b, err := json.Marshal(parseYAML(t, text))
	require.NoError(t, err)
	return b
}

// load loads a sample with settings in YAML. The error has what the guest logs about them. The caller owns a reference of the version.
func load(t testing.TB, name, config string) (*wasm.Version, error) {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	key := [2]string{name, config}
	if v := loaded.versions[key]; v != nil {
		require.True(t, v.Acquire())
		return v, nil
	}
	source, err := os.ReadFile(filepath.Join(guests.Sample(t, name), name+".wasm"))
	require.NoError(t, err)
	cache, err := wasm.OpenCache(guests.CompilationFolder(t), wasm.Child{})
	require.NoError(t, err)
	var logged []string
	v, err := wasm.Load(context.Background(), wasm.LoadOptions{
		Source: source, Name: name + ".wasm", Config: toJSON(t, config), Cache: cache,
		Limits: wasm.Limits{Timeout: 30 * time.Second, Instances: 4},
		Log: func(_ abi.Level, text string, _ int) {
			logged = append(logged, text)
			lastLine.Store(&text)
		},
	})
	if err != nil {
		return nil, errors.New(err.Error() + ": " + strings.Join(logged, "; "))
	}
	loaded.versions[key] = v
	require.True(t, v.Acquire())
	return v, nil
}

// mount returns a link that runs a sample, as a gateway makes it.
type mount func(t testing.TB, name, config string, o wasm.Options) (chain.Link, error)

// asModule runs a sample in the gateway.
func asModule(t testing.TB, name, config string, o wasm.Options) (chain.Link, error) {
	t.Helper()
	v, err := load(t, name, config)
	if err != nil {
		return chain.Link{}, err
	}
	o.Link, o.Answer = name, dialect.BuildAnswer
	st, err := wasm.NewPlugin(v, o)
	if err != nil {
		v.Release(context.Background())
		return chain.Link{}, err
	}
	return chain.Link{
		Name: name, Stage: core.Stage(st), Phases: v.Manifest.PhaseSet(), Mode: chain.Enforce, OnFault: chain.FaultBlocks,
	}, nil
}
