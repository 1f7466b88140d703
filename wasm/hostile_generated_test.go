package wasm

import (
	"context"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// cutWithin is how long after its limit a hostile guest may run, in CPU time.
const cutWithin = 50 * time.Millisecond

// generatedModules is how many hostile modules are generated, besides those by hand.
const generatedModules = 200

// typeOf returns the index of a function's type among the types of guests, which it extends.
func typeOf(params, results []api.ValueType) byte {
	want := cat([]byte{0x60, byte(len(params))}, params, []byte{byte(len(results))}, results)
	at := slices.IndexFunc(typeBytes, func(have []byte) bool { return string(have) == string(want) })
	if at < 0 {
		at = len(typeBytes)
		typeBytes = append(typeBytes, want)
	}
	return byte(at)
}

// hostile32 and hostile64 are arguments at the edges of what a function may be given.
var (
	hostile32 = []int32{0, 1, 2, 7, 16, 64, 1024, 1032, 65_528, 65_535, 65_536, 262_136, 262_143, 262_144, -1, -8, -2147483648, 2147483647}
	hostile64 = []int64{0, 1, 2, 16, 1 << 31, 1 << 32, 1 << 52, 1<<63 - 1, -1, -2, -1 << 63}
)

// callsAnything returns a stage that calls imports of the host with hostile arguments, in every phase, once it has been rehearsed.
func callsAnything(r *rand.Rand) guest {
	var names []string
	for name := range stageFuncs {
		names = append(names, name)
	}
	names = append(names, abi.ImportLog, abi.ImportNow, abi.ImportRandom)
	slices.Sort(names)
	if r.IntN(4) == 0 { // calls that break nothing, so that some modules fail or loop for ever after them
		names = []string{abi.ImportNow}
	}
	g := guest{
		manifest: `{"name":"hostile","kind":"stage","labels":["a"],"phases":["request","target","response","stream_end","finish"],` +
			`"capabilities":["now","random","state","redact","patch","notify","call","restore"],"reads":{"fields":["model","tenant","params","digest","usage"],` +
			`"text":["user","assistant","system","other"]}}`,
		extra:   []export{{abi.ExportStage, 0}},
		globals: []byte{0x7f, 1, 0x41, 0, 0x0b},
		data:    make([]byte, 4*abi.LimitSize),
	}
	for k := range g.data { // records of limits, of which some are right
		g.data[k] = byte(r.IntN(3))
	}
	if r.IntN(2) == 0 {
		abi.PutLimit(g.data, &abi.Limit{Kind: uint32(1 + r.IntN(3)), KeyPtr: 1024, KeyLen: 4, Cost: 1, Max: 5, Period: 1000, Ends: 1 << 40})
	}
	// The rehearsal calls each phase once: if (global < 6) { global++; return 0 }
	code := cat([]byte{0x23, 0}, i32c(6), []byte{0x49, 0x04, 0x40, 0x23, 0}, i32c(1), []byte{0x6a, 0x24, 0}, i32c(0), []byte{0x0f, 0x0b})
	var calls []byte
	for range 1 + r.IntN(12) {
		name := names[r.IntN(len(names))]
		f, ok := stageFuncs[name]
		if !ok {
			f = headgateFuncs[name]
		}
		index := slices.IndexFunc(g.imports, func(m importedFunc) bool { return m.name == name })
		if index < 0 {
			index = len(g.imports)
			g.imports = append(g.imports, importedFunc{abi.HostModule, name, typeOf(f.params, f.results)})
		}
		for _, p := range f.params {
			if p == i64 {
				calls = append(calls, i64c(uint64(hostile64[r.IntN(len(hostile64))]))...)
			} else {
				calls = append(calls, i32c(hostile32[r.IntN(len(hostile32))])...)
			}
		}
		calls = append(calls, callf(index)...)
		if len(f.results) > 0 {
			calls = append(calls, drop...)
		}
	}
	if r.IntN(4) == 0 {
		calls = cat(loop(calls), unreachable) // again and again
	} else {
		calls = append(calls, i32c(int32(r.IntN(3)))...)
	}
	g.funcs = []fn{{typ: typII, code: cat(code, calls)}}
	return g
}

// answersAnything returns a detector whose hooks answer with hostile numbers, once it has been tried.
func answersAnything(r *rand.Rand) guest {
	number := func() uint64 {
		at := uint32(hostile32[r.IntN(len(hostile32))])
		return uint64(uint32(hostile32[r.IntN(len(hostile32))]))<<32 | uint64(at/16*16+uint32(r.IntN(2))*uint32(r.IntN(16)))
	}
	g := guest{data: make([]byte, 256), detect: onMark(i64c(number()))}
	for k := 0; k+4 <= len(g.data); k += 4 {
		binary.LittleEndian.PutUint32(g.data[k:], uint32(hostile32[r.IntN(len(hostile32))]))
	}
	switch r.IntN(4) {
	case 0:
		g.detect = onMark(i64c(abi.Pack(spansAt, 16*uint32(1+r.IntN(16)))))
	case 1:
		g.stream = cat([]byte{0x20, 2, 0x45, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, // if len == 0 return 0
			[]byte{0x20, 1, 0x2d, 0, 0}, i32c('!'), []byte{0x47, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, i64c(number()))
	case 2:
		g.alloc = cat([]byte{0x20, 0}, i32c(100_000), []byte{0x4b, 0x04, 0x7f}, i32c(hostile32[r.IntN(len(hostile32))]), []byte{0x05}, i32c(64<<10), end)
	}
	return g
}

// breakModule returns a module that is broken in its structure.
func breakModule(r *rand.Rand, from []byte) []byte {
	b := slices.Clone(from)
	type part struct{ start, end int }
	var parts []part
	_ = visitSections(from, func(_ byte, _ string, start, end int) { parts = append(parts, part{start, end}) })
	p := parts[r.IntN(len(parts))]
	switch r.IntN(8) {
	case 0: // cut off
		return b[:8+r.IntN(len(b)-8)]
	case 1: // a section twice
		return slices.Insert(b, p.end, b[p.start-2:p.end]...)
	case 2: // a count of four milliards
		return slices.Replace(b, p.start, p.start+1, 0xff, 0xff, 0xff, 0xff, 0x0f)
	case 3: // a number that does not end
		return slices.Insert(b, p.start, slices.Repeat([]byte{0x80}, 64)...)
	case 4: // 50,000 blocks in each other
		return guest{detect: cat(slices.Repeat([]byte{0x02, 0x40}, 25_000), slices.Repeat(end, 25_000), i64c(0))}.bytes()
	case 5: // a branch table of many targets
		return guest{detect: cat(i32c(0), []byte{0x0e}, uleb(1<<20), make([]byte, 1<<10))}.bytes()
	case 6: // a section of an unknown kind in the middle
		return slices.Insert(b, p.end, section(byte(14+r.IntN(100)), make([]byte, r.IntN(64)))...)
	}
	for range 1 + r.IntN(16) { // noise
		b[8+r.IntN(len(b)-8)] = byte(r.Uint32())
	}
	return b
}

// generate returns a hostile module for a number, the same each time.
func generate(n int) []byte {
	for _, name := range slices.Sorted(maps.Keys(stageFuncs)) { // the types of all modules are those of all imports
		typeOf(stageFuncs[name].params, stageFuncs[name].results)
	}
	r := rand.New(rand.NewPCG(uint64(n), 2026))
	switch n % 4 {
	case 0, 1:
		return callsAnything(r).bytes()
	case 2:
		return answersAnything(r).bytes()
	}
	if n%8 == 3 {
		return breakModule(r, callsAnything(r).bytes())
	}
	return breakModule(r, answersAnything(r).bytes())
}

func TestTwoHundredGeneratedHostileModulesEndInFaultsAndInNoPanic(t *testing.T) {
	saved := len(typeBytes)
	defer func() { typeBytes = typeBytes[:saved] }()
	ctx := context.Background()
	good := loadModule(t, LoadOptions{Limits: Limits{Timeout: time.Minute}})
	limits := Limits{Memory: 4 << 20, Timeout: 20 * time.Millisecond, Start: 200 * time.Millisecond}
	goroutines := runtime.NumGoroutine()
	runtime.LockOSThread() // a call runs on the thread of its caller, so that its CPU time is that of the thread
	defer runtime.UnlockOSThread()
	slowest := time.Duration(0)
	refused, served, faults := 0, 0, map[core.Fault]int{}
	noPanic := func(n int, err error) {
		var crash runtime.Error
		require.NotErrorAs(t, err, &crash, "module %d: the host panicked", n)
	}
	for n := range generatedModules {
		v, err := Load(ctx, LoadOptions{Source: generate(n), Name: "generated.wasm", Limits: limits})
		if err != nil {
			noPanic(n, err)
			refused++
			continue
		}
		st, err := NewPlugin(v, Options{Link: "generated", Settings: Settings{Action: "redact"}, State: noState{}, Answer: refuseAnswer})
		if err != nil {
			v.Release(ctx)
			<-v.CloseSignal()
			refused++
			continue
		}
		count := func(began time.Duration, err error) {
			spent := readThreadCPU() - began
			slowest = max(slowest, spent)
			if !raceEnabled { // which makes the host's part many times slower
				require.LessOrEqual(t, spent, limits.Timeout+cutWithin, "module %d: a call was cut too late: %v", n, err)
			}
			if err == nil {
				served++
				return
			}
			noPanic(n, err)
			var e *Error
			require.ErrorAs(t, err, &e, "module %d", n)
			faults[e.Kind]++
		}
		for range 3 {
			x := NewRehearsal("rehearsal")
			x.Request = exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, hostileText).Request
			x.Response = exchangeOf(core.Segment{Role: core.RoleAssistant, Kind: core.KindText}, hostileText).Request
			var kept any
			for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
				began := readThreadCPU()
				verdict, err := st.Check(ctx, x, p, kept)
				if count(began, err); verdict.Keep != nil {
					kept = verdict.Keep
				}
			}
			if f, err := st.Stream(ctx, x, kept); err == nil && f != nil {
				began := readThreadCPU()
				_, _, err = f.Check(ctx, window(hostileText, true))
				count(began, err)
				require.NoError(t, f.Close(ctx))
			}
			if f, ok := st.(core.Finisher); ok {
				f.Finish(ctx, x, kept)
			}
		}
		require.NoError(t, st.Close(ctx))
		<-v.CloseSignal()
		require.Zero(t, v.Stats().Instances, "module %d", n)
		got, err := good.Detect(ctx, nil, "EMP-123456", 0)
		require.NoError(t, err)
		require.Len(t, got, 1, "another module is served after module %d", n)
	}
	t.Logf("of %d modules %d were refused; the calls of the others: %d served, faults %v; the slowest took %v of CPU time", generatedModules, refused,
		served, faults, slowest)
	assert.Greater(t, refused, 20)
	assert.Positive(t, served)
	for _, kind := range []core.Fault{core.FaultABI, core.FaultError, core.FaultTimeout} {
		assert.Positive(t, faults[kind], kind.String())
	}
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, 10*time.Second, 10*time.Millisecond,
		"goroutines are left over; one more runs this check")
}

func TestGeneratedModulesAreTheSameEachTime(t *testing.T) {
	saved := len(typeBytes)
	defer func() { typeBytes = typeBytes[:saved] }()
	first := make([][]byte, generatedModules)
	for n := range first {
		first[n] = generate(n)
	}
	for n := range first {
		require.Equal(t, first[n], generate(n), "module %d", n)
	}
}
