package meter_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// The most weight that may run between two ticks, see the package's comment; one unit of a guest's counted work weighs four.
func maxBetweenTicks(slice, depth int) int { return slice + 2*256 + 4*depth }

// watch lets the host compare the guest's own count of its work at each tick.
type watch struct {
	host

	last, most int
}

func newWatch(slice int32, budget int) *watch {
	w := &watch{host: host{slice: slice, budget: budget}}
	w.onTick = func(m api.Module) {
		// During a start function the host cannot read the exports.
		if g := m.ExportedGlobal("work"); g != nil {
			now := int(uint32(g.Get()))
			w.most = max(w.most, now-w.last)
			w.last = now
		}
	}
	return w
}

// chain returns functions of which each calls the next twice, 40 levels deep.
func chain() []fn {
	l := make([]fn, 41)
	for i := range 40 {
		l[i].code = cat(call0(i+1), call0(i+1))
	}
	l[40].code = work(1)
	return l
}

var (
	division = cat(i32(-1), localGet(0), ops(i32DivU, drop))
	forever  = func(code []byte) []byte { return cat(ops(loop, void), code, ops(br, 0, end)) }
	fillAll  = cat(i32(0), i32(1), i32(16<<20), ops(0xfc, 11, 0))
)

// hostileGuests do not end unless they are stopped.
func hostileGuests() map[string]guest {
	one := func(code []byte) guest { return guest{pages: 1, funcs: []fn{{code: code, locals: ops(tI32)}}} }
	return map[string]guest{
		"an empty endless loop":      one(forever(nil)),
		"an endless loop that works": one(forever(work(1))),
		"a call tree without loops":  {pages: 1, funcs: chain()},
		"a loop of 200 calls to a leaf of 200 divisions": {pages: 1, funcs: []fn{
			{code: forever(cat(times(200, call0(1)), work(1)))},
			{locals: ops(tI32), code: cat(i32(1), localSet(0), times(200, division))},
		}},
		"unrolled calls of a straight line": {pages: 1, funcs: []fn{
			{code: forever(times(5000, call0(1)))},
			{code: times(3000, work(1))},
		}},
		"a straight line of 60 KB in a loop": one(forever(times(7000, work(1)))),
		"two straight lines that call each other": {pages: 1, funcs: []fn{
			{code: forever(call0(1))},
			{code: cat(times(3000, work(1)), call0(2), times(3000, work(1)))},
			{code: times(6000, work(1))},
		}},
		"a loop entered by branches from within": one(cat(ops(loop, void, block, void),
			work(1), i32(1), ops(brIf, 1), work(1), ops(end, br, 0, end))),
		"a branch table that always goes back": one(cat(ops(loop, void, block, void, loop, void),
			work(1), globalGet(0), i32(3), ops(0x71), ops(brTable, 3, 0, 1, 2, 0), ops(end, end, br, 0, end))),
		"loops nested 30 deep":       one(cat(times(30, ops(loop, void)), work(1), ops(br, 29), times(30, ops(end)))),
		"a fill of 16 MiB in a loop": {pages: 256, funcs: []fn{{code: forever(fillAll)}}},
		"a copy of 8 MiB in a loop": {pages: 256, funcs: []fn{{
			code: forever(cat(i32(1), i32(0), i32(8<<20), ops(0xfc, 10, 0, 0))),
		}}},
		"an initialization in a loop": {pages: 4, passive: []int{200_000}, funcs: []fn{{
			code: forever(cat(i32(0), i32(0), i32(200_000), ops(0xfc, 8, 0, 0))),
		}}},
		"a small initialization in a loop": {pages: 4, passive: []int{60_000}, funcs: []fn{{
			code: forever(cat(i32(0), i32(0), i32(60_000), ops(0xfc, 8, 0, 0))),
		}}},
		"a fill of a table in a loop": {pages: 1, tables: []int{60_000}, funcs: []fn{{
			code: forever(cat(i32(0), ops(0xd0, tFuncRef), i32(60_000), ops(0xfc, 17, 0))),
		}}},
		"a copy of a table in a loop": {pages: 1, tables: []int{60_000}, funcs: []fn{{
			code: forever(cat(i32(0), i32(1), i32(59_000), ops(0xfc, 14, 0, 0))),
		}}},
		"a table that grows in a loop": {pages: 1, tables: []int{1}, funcs: []fn{{
			code: forever(cat(ops(0xd0, tFuncRef), i32(1000), ops(0xfc, 15, 0, drop))),
		}}},
		"a memory that grows in a loop": one(forever(cat(i32(1), ops(0x40, 0, drop)))),
		"indirect calls in a loop": {pages: 1, tables: []int{4}, elements: []int{0, 1, 1, 1}, funcs: []fn{
			{code: forever(cat(i32(1), ops(0x11, 1, 0)))}, {code: times(10, work(1))},
		}},
		"references to functions in a loop": {pages: 1, tables: []int{1}, elements: []int{0}, funcs: []fn{
			{code: forever(times(100, ops(0xd2, 0, drop)))},
		}},
		"2 000 loops in one body": one(forever(times(2000, cat(ops(loop, void), work(0), ops(end))))),
		"a deep recursion with work behind the call": {pages: 1, funcs: []fn{
			{code: forever(cat(i32(9000), call0(1)))},
			{
				params: ops(tI32),
				code:   cat(localGet(0), ops(opIf, void), localGet(0), i32(1), ops(i32Sub), call0(1), work(1), ops(end), times(50, work(1))),
			},
		}},
		"a branch that carries a value past the fall-through": {pages: 1, funcs: []fn{
			{code: forever(cat(ops(block, tI32), call0(1), i32(7), ops(br, 0), i32(2), ops(end, drop), times(60, work(1))))},
			{},
		}},
		"a deep recursion from within a loop": {pages: 1, funcs: []fn{
			{code: forever(cat(i32(9000), call0(1)))},
			{
				params: ops(tI32),
				code: cat(
					ops(loop, void),
					localGet(0),
					ops(opIf, void),
					localGet(0),
					i32(1),
					ops(i32Sub),
					call0(1),
					ops(end, end),
					times(50, work(1)),
				),
			},
		}},
	}
}

func TestRewrite_EveryHostileGuestIsCutAtTheTickTheHostChooses(t *testing.T) {
	t.Parallel()
	const slice, depth, budget = 20_000, 10_000, 300
	for sentence, g := range hostileGuests() {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			out, err := meter.Rewrite(g.bytes(), meter.Limits{})
			require.NoError(t, err)
			w := newWatch(slice, budget)
			r := newRuntime(t)
			w.link(t, r)
			m, err := start(t, r, out.Bytes)
			require.NoError(t, err)
			_, err = m.ExportedFunction("run").Call(t.Context())
			require.ErrorIs(t, err, errCut)
			assert.Equal(t, budget+1, w.ticks, "the guest went on after it was cut")
			assert.LessOrEqual(t, 4*w.most, maxBetweenTicks(slice, depth))
			pages, _ := m.Memory().Grow(0)
			assert.LessOrEqual(t, pages, uint32(256))
		})
	}
}

func TestRewrite_CutsAnEndlessStartFunction(t *testing.T) {
	t.Parallel()
	g := guest{pages: 1, start: 1, funcs: []fn{{code: forever(work(1))}}}
	out, err := meter.Rewrite(g.bytes(), meter.Limits{})
	require.NoError(t, err)
	assert.True(t, out.HasStart)
	w := newWatch(20_000, 100)
	r := newRuntime(t)
	w.link(t, r)
	_, err = start(t, r, out.Bytes)
	require.ErrorIs(t, err, errCut)
	assert.Equal(t, 101, w.ticks)
}

func TestRewrite_EndsRecursionAtTheDepth(t *testing.T) {
	t.Parallel()
	for _, depth := range []uint32{1, 2, 100, 10_000} {
		t.Run(fmt.Sprintf("at %d frames", depth), func(t *testing.T) {
			t.Parallel()
			g := guest{pages: 1, funcs: []fn{{code: cat(work(1), call0(0))}}}
			out, err := meter.Rewrite(g.bytes(), meter.Limits{Depth: depth})
			require.NoError(t, err)
			w := newWatch(20_000, 1000)
			r := newRuntime(t)
			w.link(t, r)
			m, err := start(t, r, out.Bytes)
			require.NoError(t, err)
			_, err = m.ExportedFunction("run").Call(t.Context())
			require.ErrorContains(t, err, "unreachable")
			assert.Equal(t, uint64(depth), m.ExportedGlobal("work").Get())
		})
	}
}

// A function restores the depth on every path on which it returns.
func TestRewrite_CountsDownTheDepthOnEveryWayOut(t *testing.T) {
	t.Parallel()
	ways := map[string][]byte{
		"by the end":                      nil,
		"by return":                       ops(ret),
		"by return from nested blocks":    ops(block, void, loop, void, ret, end, end),
		"by a branch to the outermost":    ops(br, 0),
		"by a branch from a nested block": ops(block, void, br, 1, end),
		"by a conditional branch":         cat(ops(block, void), i32(1), ops(brIf, 1, end)),
		"by a branch table":               cat(ops(block, void), i32(5), ops(brTable, 1, 0, 1, end)),
	}
	for sentence, way := range ways {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			g := guest{pages: 1, funcs: []fn{{code: cat(call0(1), way)}, {code: call0(2)}, {}}}
			out, err := meter.Rewrite(g.bytes(), meter.Limits{Depth: 2})
			require.NoError(t, err)
			w := newWatch(20_000, 1000)
			r := newRuntime(t)
			w.link(t, r)
			m, err := start(t, r, out.Bytes)
			require.NoError(t, err)
			for range 10 {
				_, err = m.ExportedFunction("run").Call(t.Context())
				require.NoError(t, err)
			}
		})
	}
}

// Chunked bulk operations behave like the runtime's own, including overlaps, ends of the range and traps, and write nothing when they
// trap.
func TestRewrite_BulkOperationsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	const size = 8 << 16
	fill := func(to, n int) []byte { return cat(i32(to), i32(0xab), i32(n), ops(0xfc, 11, 0)) }
	copyTo := func(to, from, n int) []byte { return cat(i32(to), i32(from), i32(n), ops(0xfc, 10, 0, 0)) }
	initTo := func(segment, to, from, n int) []byte {
		return cat(i32(to), i32(from), i32(n), ops(0xfc, 8), uleb(segment), ops(0))
	}
	cases := map[string][]byte{
		"a small fill":                           fill(5, 100),
		"a fill of one chunk":                    fill(5, 1<<16),
		"a fill of several chunks":               fill(7, 200_001),
		"a fill of the whole memory":             fill(0, size),
		"a fill of zero bytes at the end":        fill(size, 0),
		"a fill of zero bytes beyond the end":    fill(size+1, 0),
		"a fill one byte too long":               fill(1, size),
		"a fill that wraps around":               fill(-100_000, 200_000),
		"a fill of 4 GiB":                        fill(0, -1),
		"a copy down that overlaps":              copyTo(1000, 1003, 300_000),
		"a copy up that overlaps":                copyTo(1003, 1000, 300_000),
		"a copy up with a large overlap":         copyTo(100_000, 0, 400_000),
		"a copy onto itself":                     copyTo(9, 9, 300_000),
		"a copy with a target beyond the end":    copyTo(300_000, 0, 300_000),
		"a copy with a source beyond the end":    copyTo(0, 300_000, 300_000),
		"a copy with a source that wraps around": copyTo(0, -10, 300_000),
		"a copy of 4 GiB":                        copyTo(1, 0, -1),
		"a large segment":                        initTo(0, 77, 0, 150_000),
		"the end of a large segment":             initTo(0, 77, 50_000, 100_000),
		"beyond the end of a large segment":      initTo(0, 77, 50_001, 100_000),
		"a large segment beyond the memory":      initTo(0, size-100_000, 0, 150_000),
		"a large segment that was dropped":       cat(ops(0xfc, 9, 0), initTo(0, 0, 0, 150_000)),
		"a small segment":                        initTo(1, 9, 1, 99),
		"beyond the end of a small segment":      initTo(1, 9, 2, 99),
	}
	for sentence, code := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			src := guest{pages: 8, passive: []int{150_000, 100}, funcs: []fn{{code: code}}}.bytes()
			// The segments hold zeros; give each byte a value that depends on its offset.
			if at := bytes.Index(src, make([]byte, 150_000)); at > 0 {
				for i := range 150_000 {
					src[at+i] = byte(i*7 + i>>8)
				}
			}
			out, err := meter.Rewrite(src, meter.Limits{})
			require.NoError(t, err)
			run := func(wasm []byte) (memory []byte, msg string) {
				r := newRuntime(t)
				(&host{slice: 1000, budget: 1 << 20}).link(t, r)
				m, err := start(t, r, wasm)
				require.NoError(t, err)
				memory, ok := m.Memory().Read(0, size)
				require.True(t, ok)
				for i := range memory {
					memory[i] = byte(i*13 + i>>7)
				}
				if _, err = m.ExportedFunction("run").Call(t.Context()); err != nil {
					msg, _, _ = strings.Cut(err.Error(), "\n")
				}
				return memory, msg
			}
			want, wantErr := run(src)
			got, gotErr := run(out.Bytes)
			assert.Equal(t, wantErr, gotErr)
			assert.True(t, bytes.Equal(want, got), "the memories differ")
		})
	}
}
