package meter_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

func TestRewrite_DescribesTheOriginalModule(t *testing.T) {
	t.Parallel()
	src := guest{
		imports: []fn{{params: ops(tI32, tI64), results: ops(tI32)}},
		funcs:   []fn{{params: ops(tV128), results: ops(tI64, tI32), code: ops(unreachable)}, {}},
		pages:   3, maxPages: 9, tables: []int{7, 8}, start: 3,
	}.bytes()
	custom := func(n, content string) []byte { return section(0, cat(name(n), []byte(content))) }
	src = cat(src, custom("headgate.manifest", `{"name":"x"}`), custom("headgate.manifest", "second"), custom(".debug_info", "d"))
	before := string(src)
	out, err := meter.Rewrite(src, meter.Limits{MemoryPages: 5})
	require.NoError(t, err)
	assert.Equal(t, before, string(src), "the source was changed")
	assert.Equal(t, []meter.Extern{{
		Module: "host", Name: "f0", Kind: meter.KindFunc,
		Params: []meter.ValType{meter.I32, meter.I64}, Results: []meter.ValType{meter.I32},
	}}, out.Imports)
	assert.Equal(t, []meter.Extern{
		{Name: "run", Kind: meter.KindFunc, Params: []meter.ValType{meter.V128}, Results: []meter.ValType{meter.I64, meter.I32}},
		{Name: "memory", Kind: meter.KindMemory},
		{Name: "work", Kind: meter.KindGlobal},
	}, out.Exports)
	assert.Equal(t, map[string][]byte{"headgate.manifest": []byte(`{"name":"x"}`), ".debug_info": []byte("d")}, out.Custom)
	assert.Equal(t, uint32(3), out.MemoryMin)
	assert.Equal(t, uint32(5), out.MemoryMax)
	assert.Equal(t, uint32(15), out.TableMin)
	assert.Equal(t, 2, out.Functions)
	assert.True(t, out.HasStart)
	assert.Equal(t, 3, out.LargestBody)
	assert.Greater(t, out.LargestMetered, out.LargestBody)
	assert.NotContains(t, string(out.Bytes), "headgate.manifest", "custom sections are not part of the metered module")

	again, err := meter.Rewrite(src, meter.Limits{MemoryPages: 5})
	require.NoError(t, err)
	assert.Equal(t, out.Bytes, again.Bytes, "the same source gives the same bytes")
}

func TestRewrite_KeepsADeclaredMaximumBelowTheLimit(t *testing.T) {
	t.Parallel()
	out, err := meter.Rewrite(guest{pages: 1, maxPages: 2, funcs: []fn{{}}}.bytes(), meter.Limits{})
	require.NoError(t, err)
	assert.Equal(t, uint32(2), out.MemoryMax)
}

// A stack trace names the functions as the author did.
func TestRewrite_MovesTheNamesOfFunctions(t *testing.T) {
	t.Parallel()
	g := guest{imports: []fn{{}}, pages: 1, funcs: []fn{{code: call0(2)}, {code: ops(unreachable)}}}
	long := strings.Repeat("n", 2000)
	names := func(l ...[]byte) []byte { return section(0, cat(name("name"), section(1, vec(l...)))) }
	entry := func(x byte, n string) []byte { return cat(ops(x), name(n)) }
	for sentence, c := range map[string]struct {
		section      []byte
		want, absent string
	}{
		"all of them": {names(entry(0, "host_side"), entry(1, "outer_one"), entry(2, "inner_one")), "inner_one", "headgate.tick"},
		"a name with control characters is not kept": {names(entry(1, "outer_one"), entry(2, "inner\n\x1bone")), "outer_one", "inner\n"},
		"nor one that is too long":                   {names(entry(1, "outer_one"), entry(2, long)), "outer_one", long},
		"no names of a truncated section":            {section(0, cat(name("name"), ops(1, 50, 1))), "", "outer_one"},
		"no names out of order":                      {names(entry(2, "inner_one"), entry(1, "outer_one")), "", "inner_one"},
		"no names of undeclared functions":           {names(entry(1, "outer_one"), entry(9, "nobody")), "", "outer_one"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			out, err := meter.Rewrite(cat(g.bytes(), c.section), meter.Limits{})
			require.NoError(t, err)
			r := newRuntime(t)
			stub(t, r, out.Imports, &host{slice: 1000, budget: 100})
			m, err := start(t, r, out.Bytes)
			require.NoError(t, err)
			_, err = m.ExportedFunction("run").Call(t.Context())
			require.ErrorContains(t, err, "unreachable")
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), c.absent)
		})
	}
}

// The counter of a slice spans calls: many short calls tick like one long call.
func TestRewrite_CarriesTheSliceOverFromCallToCall(t *testing.T) {
	t.Parallel()
	out, err := meter.Rewrite(guest{pages: 1, funcs: []fn{{code: times(10, work(1))}}}.bytes(), meter.Limits{Slice: 400})
	require.NoError(t, err)
	h := &host{slice: 400, budget: 1000}
	r := newRuntime(t)
	h.link(t, r)
	m, err := start(t, r, out.Bytes)
	require.NoError(t, err)
	for range 100 {
		_, err := m.ExportedFunction("run").Call(t.Context())
		require.NoError(t, err)
	}
	assert.InDelta(t, 10, h.ticks, 1, "100 calls of weight 41 at a slice of 400")
}

// A host that returns zero or an invalid slice only makes the guest tick more often.
func TestRewrite_TakesAnySliceTheHostAnswers(t *testing.T) {
	t.Parallel()
	out, err := meter.Rewrite(guest{pages: 1, funcs: []fn{{code: forever(work(1))}}}.bytes(), meter.Limits{})
	require.NoError(t, err)
	for _, slice := range []int32{0, -1, -1 << 30, 1, 1 << 22} {
		w := newWatch(slice, 30)
		r := newRuntime(t)
		w.link(t, r)
		m, err := start(t, r, out.Bytes)
		require.NoError(t, err)
		_, err = m.ExportedFunction("run").Call(t.Context())
		require.ErrorIs(t, err, errCut)
		assert.Equal(t, 31, w.ticks)
		assert.LessOrEqual(t, 4*w.most, maxBetweenTicks(max(int(slice), 20_000), 10_000))
	}
}

func BenchmarkRewrite(b *testing.B) {
	scan, err := os.ReadFile("testdata/scan.wasm")
	require.NoError(b, err)
	large := guest{pages: 1}
	for range 400 {
		large.funcs = append(
			large.funcs,
			fn{code: cat(times(60, cat(ops(block, void), globalGet(0), ops(brIf, 0), times(4, work(1)), ops(end))), call0(1))},
		)
	}
	for sentence, src := range map[string][]byte{"a C guest": scan, "a module of 400 functions": large.bytes()} {
		b.Run(sentence, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := meter.Rewrite(src, meter.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGuest(b *testing.B) {
	src, err := os.ReadFile("testdata/scan.wasm")
	require.NoError(b, err)
	out, err := meter.Rewrite(src, meter.Limits{})
	require.NoError(b, err)
	text := []byte(strings.Repeat("the mail of joe.doe@example.org is 4111111111111111 or so, ", 70))[:4096]
	for _, c := range []struct {
		sentence, function string
		wasm               []byte
		arg                uint64
	}{
		{"scan of 4 KB unmetered", "scan", src, 4096},
		{"scan of 4 KB metered", "scan", out.Bytes, 4096},
		{"recursion unmetered", "fib", src, 20},
		{"recursion metered", "fib", out.Bytes, 20},
	} {
		b.Run(c.sentence, func(b *testing.B) {
			h := &host{slice: 20_000, budget: 1 << 60}
			r := newRuntime(b)
			h.link(b, r)
			m, err := start(b, r, c.wasm)
			require.NoError(b, err)
			at, err := m.ExportedFunction("buffer").Call(b.Context())
			require.NoError(b, err)
			require.True(b, m.Memory().Write(uint32(at[0]), text))
			f := m.ExportedFunction(c.function)
			stack := make([]uint64, 1)
			b.ReportAllocs()
			for b.Loop() {
				stack[0] = c.arg
				if err := f.CallWithStack(b.Context(), stack); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
