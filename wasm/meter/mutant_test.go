package meter_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// small are the limits for mutants: their requests at instantiation stay small.
var small = meter.Limits{Depth: 100, Slice: 1000, MemoryPages: 32}

// mutate changes a few bytes of a module after its header.
func mutate(r *rand.Rand, src []byte) []byte {
	b := slices.Clone(src)
	for range 1 + r.IntN(3) {
		at := 8 + r.IntN(max(1, len(b)-8))
		if at >= len(b) {
			continue
		}
		switch r.IntN(30) {
		default:
			b[at] ^= 1 << r.IntN(8)
		case 1, 2, 3, 4, 5, 6:
			b[at] = byte(r.Uint32())
		case 7, 8, 9, 10:
			b[at]++
		case 11, 12, 13, 14:
			b[at]--
		case 15:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 16:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(3)))
		}
	}
	return b
}

// fate is the step that a module reached.
type fate int

const (
	fateRefused fate = iota + 1
	fateInvalid
	fateDead
	fateCut
	fateTrapped
	fateDone
)

// try rewrites, compiles, instantiates and calls a module. It fails the test if a guest escapes the meter.
func try(tb testing.TB, r, plain wazero.Runtime, h *host, src []byte) fate {
	tb.Helper()
	out, err := meter.Rewrite(src, small)
	if err != nil {
		var refused *meter.RefusedError
		require.ErrorAs(tb, err, &refused)
		return fateRefused
	}
	c, err := r.CompileModule(tb.Context(), out.Bytes)
	if err != nil {
		return fateInvalid
	}
	defer func() { _ = c.Close(context.Background()) }()
	// Custom sections are dropped, well-formed or not; the rest must have been valid before.
	o, err := plain.CompileModule(tb.Context(), withoutCustom(src))
	require.NoError(tb, err, "an invalid module became valid")
	_ = o.Close(tb.Context())

	h.ticks = 0
	m, err := r.InstantiateModule(tb.Context(), c, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		if errors.Is(err, errCut) {
			require.Equal(tb, h.budget+1, h.ticks)
			return fateCut
		}
		return fateDead
	}
	defer func() { _ = m.Close(context.Background()) }()
	for _, e := range out.Exports {
		if e.Kind != meter.KindFunc {
			continue
		}
		h.ticks = 0
		f := m.ExportedFunction(e.Name)
		if _, err := f.Call(tb.Context(), arguments(f.Definition(), 3)...); errors.Is(err, errCut) {
			require.Equal(tb, h.budget+1, h.ticks)
			return fateCut
		} else if err != nil {
			return fateTrapped
		}
	}
	return fateDone
}

// withoutCustom drops the custom sections of a module that can be split into sections.
func withoutCustom(src []byte) []byte {
	b := slices.Clone(src[:8])
	for p := 8; p < len(src); {
		from := p
		id, n, shift := src[p], 0, 0
		for p++; ; p++ {
			n |= int(src[p]&0x7f) << shift
			if shift += 7; src[p] < 0x80 {
				break
			}
		}
		p += 1 + n
		if id != 0 {
			b = append(b, src[from:p]...)
		}
	}
	return b
}

// realModules returns the modules from which mutants are made.
func realModules(tb testing.TB) [][]byte {
	tb.Helper()
	scan, err := os.ReadFile("testdata/scan.wasm")
	require.NoError(tb, err)
	l := [][]byte{scan, scan, scan}
	guests := hostileGuests()
	for _, k := range slices.Sorted(maps.Keys(guests)) {
		if b := guests[k].bytes(); len(b) < 4000 {
			l = append(l, b)
		}
	}
	for seed := range 30 {
		p := &program{r: rand.New(rand.NewPCG(uint64(seed), 2)), funcs: 2}
		g := guest{pages: 1, tables: []int{2}, elements: []int{0, 1}}
		for range p.funcs {
			p.left = 12
			g.funcs = append(g.funcs, fn{code: p.code()})
		}
		if b := g.bytes(); len(b) < 2000 {
			l = append(l, b)
		}
	}
	return l
}

func TestRewrite_NoMutantEscapesTheTick(t *testing.T) {
	t.Parallel()
	mutants := 12_000
	if brief() {
		mutants = 2_000
	}
	seeds := realModules(t)
	if !brief() {
		spec := specModules(t)
		for _, k := range slices.Sorted(maps.Keys(spec)) {
			if len(spec[k]) < 3000 && len(k)%3 == 0 {
				seeds = append(seeds, spec[k])
			}
		}
	}
	rnd := rand.New(rand.NewPCG(20, 27))
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(1 << 16)
	r, plain := wazero.NewRuntimeWithConfig(t.Context(), config), wazero.NewRuntimeWithConfig(t.Context(), config)
	t.Cleanup(func() { _ = r.Close(context.Background()); _ = plain.Close(context.Background()) })
	h := &host{slice: 1000, budget: 200}
	h.link(t, r)
	fates := make(map[fate]int)
	for i := range mutants {
		seed := seeds[i%len(seeds)]
		if i%2 == 0 {
			seed = seeds[i/2%30]
		}
		fates[try(t, r, plain, h, mutate(rnd, seed))]++
	}
	t.Logf("of %d mutants: refused %d, invalid %d, dead at start %d, cut %d, trapped %d, done %d", mutants,
		fates[fateRefused], fates[fateInvalid], fates[fateDead], fates[fateCut], fates[fateTrapped], fates[fateDone])
	assert.Greater(t, fates[fateCut], mutants/100)
	assert.Greater(t, fates[fateDone]+fates[fateTrapped], mutants/100)
}

func FuzzRewrite(f *testing.F) {
	for _, b := range realModules(f) {
		f.Add(b)
	}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(1 << 16)
	r, plain := wazero.NewRuntimeWithConfig(context.Background(), config), wazero.NewRuntimeWithConfig(context.Background(), config)
	h := &host{slice: 1000, budget: 200}
	_, err := r.NewHostModuleBuilder(meter.TickModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(h.tick), nil, []api.ValueType{api.ValueTypeI32}).
		Export(meter.TickName).Instantiate(context.Background())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, b []byte) { try(t, r, plain, h, b) })
}
