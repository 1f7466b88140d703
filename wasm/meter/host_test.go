package meter_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// errCut is the host's panic value when a guest has used up its ticks.
var errCut = errors.New("the guest was cut")

// host answers the ticks of one guest.
type host struct {
	slice  int32
	budget int // ticks allowed; the next one cuts
	ticks  int
	onTick func(api.Module)
}

func (h *host) tick(_ context.Context, m api.Module, stack []uint64) {
	h.ticks++
	if h.onTick != nil {
		h.onTick(m)
	}
	if h.ticks > h.budget {
		panic(errCut)
	}
	stack[0] = api.EncodeI32(h.slice)
}

// link provides the tick import to the runtime.
func (h *host) link(tb testing.TB, r wazero.Runtime) {
	tb.Helper()
	_, err := r.NewHostModuleBuilder(meter.TickModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(h.tick), nil, []api.ValueType{api.ValueTypeI32}).
		Export(meter.TickName).Instantiate(tb.Context())
	require.NoError(tb, err)
}

func newRuntime(tb testing.TB) wazero.Runtime {
	tb.Helper()
	r := wazero.NewRuntime(tb.Context())
	tb.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// start compiles and instantiates a module under a unique name.
func start(tb testing.TB, r wazero.Runtime, wasm []byte) (api.Module, error) {
	tb.Helper()
	return r.InstantiateWithConfig(tb.Context(), wasm, wazero.NewModuleConfig().WithName("").WithStartFunctions())
}

// specFolders returns the folders of the runtime's copy of the Wasm specification's tests.
func specFolders(tb testing.TB) []string {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		require.NotEqual(tb, "true", os.Getenv("CI"), "the tests of WebAssembly's specification must not be skipped here: %v", err)
		tb.Skipf("SKIPPED: the module cache cannot be asked for the tests of WebAssembly's specification: %v", err)
	}
	base := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
	var dirs []string
	for _, v := range []string{"v1", "v2"} {
		d := filepath.Join(base, v, "testdata")
		if files, err := filepath.Glob(filepath.Join(d, "*.wasm")); err == nil && len(files) > 0 {
			dirs = append(dirs, d)
		}
	}
	if len(dirs) == 0 {
		require.NotEqual(tb, "true", os.Getenv("CI"), "the runtime's module holds no specification tests")
		tb.Skip("SKIPPED: the runtime's module holds no specification tests")
	}
	return dirs
}

// specModules returns the bytes of every binary in the tests of WebAssembly's specification, valid or not, by folder and file name.
func specModules(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := make(map[string][]byte)
	for _, d := range specFolders(tb) {
		files, err := filepath.Glob(filepath.Join(d, "*.wasm"))
		require.NoError(tb, err)
		for _, f := range files {
			b, err := os.ReadFile(f)
			require.NoError(tb, err)
			all[filepath.Base(filepath.Dir(d))+"/"+filepath.Base(f)] = b
		}
	}
	return all
}
