package meter_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// program writes random code whose only effect is to count its own work, so that the host can compare the charges with the work that
// really ran.
type program struct {
	r      *rand.Rand
	funcs  int
	left   int    // statements that may still be written
	valued []bool // of the open constructs: whether a branch to it carries a value
}

// condition leaves a number below a small bound that depends on the work done.
func (p *program) condition() []byte {
	return cat(globalGet(0), i32(p.r.IntN(5)), ops(0x76), i32(1<<p.r.IntN(4)-1+p.r.IntN(2)), ops(0x71))
}

// writeInside writes statements within another construct.
func (p *program) writeInside(valued bool) []byte {
	p.valued = append(p.valued, valued)
	b := p.code()
	p.valued = p.valued[:len(p.valued)-1]
	return b
}

// label picks a construct to branch to. The function itself is the one after the last open construct.
func (p *program) label() (x []byte, valued bool) {
	n := p.r.IntN(len(p.valued) + 1)
	if len(p.valued) > 0 && n >= len(p.valued)-1 && p.r.IntN(4) > 0 {
		n = len(p.valued) - 1
	}
	return uleb(n), n < len(p.valued) && p.valued[len(p.valued)-1-n]
}

func (p *program) branch() []byte {
	switch x, valued := p.label(); {
	case valued && p.r.IntN(3) > 0:
		return cat(i32(1), p.condition(), ops(brIf), x, ops(drop))
	case valued:
		return cat(i32(1), ops(br), x)
	case p.r.IntN(8) == 0:
		return cat(ops(br), x)
	default:
		return cat(p.condition(), ops(brIf), x)
	}
}

// table writes a branch table whose labels all carry the same values.
func (p *program) table() []byte {
	b := cat(p.condition(), ops(brTable, 2))
	for n := 0; n < 3; {
		if x, valued := p.label(); !valued {
			b = cat(b, x)
			n++
		}
	}
	return b
}

// code writes statements.
func (p *program) code() (b []byte) {
	deep := len(p.valued) >= 12
	for range 1 + p.r.IntN(5) {
		if p.left--; p.left < 0 {
			return b
		}
		switch k := p.r.IntN(22); {
		case !deep && k < 3:
			b = cat(b, ops(block, void), p.writeInside(false), ops(end))
		case !deep && k < 6:
			b = cat(b, ops(loop, void), p.writeInside(false), p.condition(), ops(brIf, 0), ops(end))
		case !deep && k < 8:
			b = cat(b, p.condition(), ops(opIf, void), p.writeInside(false), ops(opElse), p.writeInside(false), ops(end))
		case !deep && k < 9:
			b = cat(b, p.condition(), ops(opIf, void), p.writeInside(false), ops(end))
		case !deep && k < 10:
			b = cat(b, ops(block, tI32), p.writeInside(true), i32(2), ops(end, drop))
		case !deep && k < 11:
			b = cat(b, p.condition(), ops(opIf, tI32), p.writeInside(true), i32(2), ops(opElse), p.writeInside(true), i32(3), ops(end, drop))
		case k < 13:
			b = cat(b, p.branch())
		case k < 14:
			b = cat(b, p.table())
		case k < 15 && p.r.IntN(4) == 0:
			b = cat(b, ops(ret))
		case k < 17:
			b = cat(b, call0(p.r.IntN(p.funcs)))
		case k < 18:
			b = cat(b, i32(p.r.IntN(p.funcs)), ops(0x11, 0, 0))
		default:
			b = cat(b, times(1<<p.r.IntN(7), work(1)))
		}
	}
	return b
}

// In any program, the work between two ticks stays within the bound stated in the package's comment.
func TestRewrite_BoundsTheWorkBetweenTicksOfAnyProgram(t *testing.T) {
	t.Parallel()
	const slice, depth = 10_000, 30
	programs := 4000
	if brief() {
		programs = 400
	}
	ran, cut, trapped, ticks, most := 0, 0, 0, 0, 0
	r := newRuntime(t)
	w := newWatch(slice, 50)
	w.link(t, r)
	for seed := range programs {
		p := &program{r: rand.New(rand.NewPCG(uint64(seed), 1)), funcs: 4}
		g := guest{pages: 1, tables: []int{4}, elements: []int{0, 1, 2, 3}}
		for range p.funcs {
			p.left = 5 + p.r.IntN(40)
			code := p.writeInside(false)
			if len(g.funcs) == 0 || p.r.IntN(4) == 0 {
				// Every path out of the body leads back to its beginning here, so that unpaid work adds up.
				code = forever(code)
			}
			g.funcs = append(g.funcs, fn{code: cat(ops(block, void), code, ops(end))})
		}
		src := g.bytes()
		out, err := meter.Rewrite(src, meter.Limits{Depth: depth, Slice: slice})
		require.NoError(t, err)
		m, err := start(t, r, out.Bytes)
		require.NoError(t, err, "program %d", seed)
		w.ticks, w.last, w.most = 0, 0, 0
		_, err = m.ExportedFunction("run").Call(t.Context())
		w.onTick(m) // work after the last tick counts as well
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
		require.LessOrEqual(t, 4*w.most, maxBetweenTicks(slice, depth), "program %d", seed)
		require.NoError(t, m.Close(t.Context()))
	}
	t.Logf("%d programs: %d cut, %d trapped at the depth, %d ticks, at most %d units between two (bound %d)",
		ran, cut, trapped, ticks, most, maxBetweenTicks(slice, depth))
	assert.Greater(t, cut, programs/20, "too few programs are endless for a meaningful test")
	assert.Greater(t, most, slice/2)
}
