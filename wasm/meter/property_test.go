package meter_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// program writes random code whose only effect is to count its own work, so
// that the host can hold the charges against what has really run.
type program struct {
	r     *rand.Rand
	funcs int
	left  int // statements that may still be written
}

// condition leaves a number below a small bound that depends on the work done.
func (p *program) condition() []byte {
	return cat(globalGet(0), i32(p.r.IntN(5)), ops(0x76), i32(1<<p.r.IntN(4)-1+p.r.IntN(2)), ops(0x71))
}

// code writes statements inside depth open constructs.
func (p *program) code(depth int) (b []byte) {
	for range 1 + p.r.IntN(5) {
		if p.left--; p.left < 0 {
			return b
		}
		switch k := p.r.IntN(20); {
		case depth < 12 && k < 3:
			b = cat(b, ops(block, void), p.code(depth+1), ops(end))
		case depth < 12 && k < 6:
			b = cat(b, ops(loop, void), p.code(depth+1), p.condition(), ops(brIf, 0), ops(end))
		case depth < 12 && k < 8:
			b = cat(b, p.condition(), ops(opIf, void), p.code(depth+1), ops(opElse), p.code(depth+1), ops(end))
		case depth < 12 && k < 9:
			b = cat(b, p.condition(), ops(opIf, void), p.code(depth+1), ops(end))
		case k < 11:
			b = cat(b, p.condition(), ops(brIf), uleb(p.r.IntN(depth+1)))
		case k < 12:
			b = cat(b, p.condition(), ops(brTable, 2), uleb(p.r.IntN(depth+1)), uleb(p.r.IntN(depth+1)), uleb(p.r.IntN(depth+1)))
		case k < 13 && p.r.IntN(4) == 0:
			b = cat(b, [][]byte{ops(ret), cat(ops(br), uleb(p.r.IntN(depth+1)))}[p.r.IntN(2)])
		case k < 15:
			b = cat(b, call0(p.r.IntN(p.funcs)))
		case k < 16:
			b = cat(b, i32(p.r.IntN(p.funcs)), ops(0x11, 0, 0))
		default:
			b = cat(b, times(1<<p.r.IntN(9), work(1)))
		}
	}
	return b
}

// In any program, what runs between two ticks stays within the bound that the
// package's comment states.
func TestRewrite_BoundsTheWorkBetweenTicksOfAnyProgram(t *testing.T) {
	t.Parallel()
	const slice, depth = 1000, 30
	programs := 4000
	if testing.Short() {
		programs = 400
	}
	ran, cut, trapped, ticks, most := 0, 0, 0, 0, 0
	r := newRuntime(t)
	w := newWatch(slice, 500)
	w.link(t, r)
	for seed := range programs {
		p := &program{r: rand.New(rand.NewPCG(uint64(seed), 1)), funcs: 4}
		g := guest{pages: 1, tables: []int{4}, elements: []int{0, 1, 2, 3}}
		for range p.funcs {
			p.left = 5 + p.r.IntN(40)
			g.funcs = append(g.funcs, fn{code: p.code(0)})
		}
		src := g.bytes()
		out, err := meter.Rewrite(src, meter.Limits{Depth: depth, Slice: slice})
		require.NoError(t, err)
		m, err := start(t, r, out.Bytes)
		require.NoError(t, err, "program %d", seed)
		w.ticks, w.last, w.most = 0, 0, 0
		_, err = m.ExportedFunction("run").Call(t.Context())
		w.onTick(m) // what ran after the last tick counts as well
		switch {
		case errors.Is(err, errCut):
			cut++
			require.Equal(t, w.budget+1, w.ticks)
		case err != nil:
			require.ErrorContains(t, err, "unreachable")
			trapped++
		}
		ran++
		ticks += w.ticks
		most = max(most, 4*w.most)
		require.LessOrEqual(t, 4*w.most, mostBetweenTicks(slice, depth), "program %d", seed)
		require.NoError(t, m.Close(t.Context()))
	}
	t.Logf("%d programs: %d cut, %d trapped at the depth, %d ticks, at most %d units between two (bound %d)",
		ran, cut, trapped, ticks, most, mostBetweenTicks(slice, depth))
	assert.Greater(t, cut, programs/20, "too few programs are endless to show anything")
	assert.Greater(t, most, slice/2)
}
