package meter_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// samples are the argument patterns with which every exported function is called.
var samples = []uint64{0, 1, 7, 0x8000_0000_8000_0000, ^uint64(0), 0x4009_21fb_5444_2d18}

// stub links host functions that return zero for every import of a module, in a separate runtime, so that names cannot clash.
func stub(t *testing.T, r wazero.Runtime, imports []meter.Extern, tick *host) {
	t.Helper()
	builders := make(map[string]wazero.HostModuleBuilder)
	seen := make(map[[2]string]bool)
	module := func(name string) wazero.HostModuleBuilder {
		if builders[name] == nil {
			builders[name] = r.NewHostModuleBuilder(name)
		}
		return builders[name]
	}
	types := func(l []meter.ValType) []api.ValueType {
		out := make([]api.ValueType, len(l))
		for i, v := range l {
			out[i] = api.ValueType(v)
		}
		return out
	}
	for _, e := range imports {
		if key := [2]string{e.Module, e.Name}; !seen[key] {
			seen[key] = true
			zero := api.GoFunc(func(_ context.Context, stack []uint64) {
				for i := range e.Results {
					stack[i] = 0
				}
			})
			module(e.Module).NewFunctionBuilder().WithGoFunction(zero, types(e.Params), types(e.Results)).Export(e.Name)
		}
	}
	if tick != nil {
		module(meter.TickModule).NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(tick.tick), nil, []api.ValueType{api.ValueTypeI32}).Export(meter.TickName)
	}
	for _, b := range builders {
		_, err := b.Instantiate(t.Context())
		require.NoError(t, err)
	}
}

// outcome is the result of a call: its results, or the first line of its error.
type outcome struct {
	results []uint64
	err     string
}

func call(ctx context.Context, f api.Function, args []uint64) outcome {
	res, err := f.Call(ctx, args...)
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return outcome{err: line}
	}
	place := 0
	for _, typ := range f.Definition().ResultTypes() {
		switch meter.ValType(typ) {
		case meter.I32, meter.F32:
			// The upper halves of 32-bit results are not specified.
			res[place] = uint64(uint32(res[place]))
		case meter.FuncRef:
			// An address; only whether it is null can be compared.
			res[place] = min(res[place], 1)
		case meter.V128:
			place++
		}
		place++
	}
	return outcome{results: res}
}

// arguments repeats one sample for all parameters; references stay null.
func arguments(def api.FunctionDefinition, sample uint64) []uint64 {
	var args []uint64
	for _, p := range def.ParamTypes() {
		switch meter.ValType(p) {
		case meter.I32, meter.F32:
			args = append(args, uint64(uint32(sample)))
		case meter.ExternRef, meter.FuncRef:
			args = append(args, 0)
		case meter.V128:
			args = append(args, sample, ^sample)
		default:
			args = append(args, sample)
		}
	}
	return args
}

// Every valid module in the tests of WebAssembly's specification stays valid, and its functions return the same results.
func TestRewrite_KeepsEveryModuleOfTheSpecificationEqual(t *testing.T) {
	t.Parallel()
	modules := specModules(t)
	cache := wazero.NewCompilationCache()
	t.Cleanup(func() { _ = cache.Close(context.Background()) })
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(256).WithCompilationCache(cache)

	valid, calls, traps, cut := 0, 0, 0, 0
	refused := make(map[string]int)
	probe := wazero.NewRuntimeWithConfig(t.Context(), config)
	t.Cleanup(func() { _ = probe.Close(context.Background()) })
	for i, name := range slices.Sorted(maps.Keys(modules)) {
		if brief() && i%10 != 0 {
			continue
		}
		src := modules[name]
		out, err := meter.Rewrite(src, meter.Limits{})
		if compiled, cerr := probe.CompileModule(t.Context(), src); cerr != nil {
			if err == nil {
				_, merr := probe.CompileModule(t.Context(), out.Bytes)
				require.Error(t, merr, "%s was invalid (%v) and is valid now", name, cerr)
			}
			continue
		} else {
			require.NoError(t, compiled.Close(t.Context()))
		}
		if err != nil {
			reason, ok := meter.IsRefused(err)
			require.True(t, ok)
			refused[reason]++
			assert.Contains(t, []string{meter.ReasonImport, meter.ReasonTooLarge}, reason, "%s: %v", name, err)
			continue
		}
		valid++

		plain := wazero.NewRuntimeWithConfig(t.Context(), config)
		metered := wazero.NewRuntimeWithConfig(t.Context(), config)
		h := &host{slice: 1000, budget: 2000}
		stub(t, plain, out.Imports, nil)
		stub(t, metered, out.Imports, h)
		mm, merr := start(t, metered, out.Bytes)
		pm, perr := start(t, plain, src)
		require.Equal(t, perr == nil, merr == nil, "%s: instantiated %v, metered %v", name, perr, merr)
		for _, e := range out.Exports {
			if perr != nil || e.Kind != meter.KindFunc {
				continue
			}
			for _, s := range samples {
				// The original module grows its tables without bound.
				if strings.Contains(name, "/table_") && s > 1000 {
					break
				}
				h.ticks = 0
				mf := mm.ExportedFunction(e.Name)
				require.NotNil(t, mf, "%s: %s", name, e.Name)
				args := arguments(mf.Definition(), s)
				got := call(t.Context(), mf, args)
				if h.ticks <= h.budget {
					want := call(t.Context(), pm.ExportedFunction(e.Name), args)
					calls++
					if strings.Contains(want.err, "stack overflow") {
						want.err = "wasm error: unreachable"
					}
					assert.Equal(t, want, got, "%s: %s(%v)", name, e.Name, args)
				} else {
					cut++ // endless without the meter: the original cannot be run
				}
				if got.err != "" {
					// The counters are wrong now: instantiate both again.
					traps++
					require.NoError(t, pm.Close(t.Context()))
					require.NoError(t, mm.Close(t.Context()))
					mm, merr = start(t, metered, out.Bytes)
					require.NoError(t, merr)
					pm, perr = start(t, plain, src)
					require.NoError(t, perr)
				}
				if len(args) == 0 {
					break
				}
			}
		}
		require.NoError(t, plain.Close(t.Context()))
		require.NoError(t, metered.Close(t.Context()))
	}
	t.Logf("%d binaries, %d valid and metered, %d calls compared, %d trapped, %d cut, refused: %v",
		len(modules), valid, calls, traps, cut, refused)
	assert.Greater(t, valid, 150)
	assert.Greater(t, calls, 1000)
	if !brief() {
		assert.Greater(t, valid, 2000)
		assert.Greater(t, calls, 20_000)
	}
}
