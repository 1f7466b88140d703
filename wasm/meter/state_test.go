package meter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/meter"
)

func TestRewrite_ExportsTheGlobalsThatCanChangeAndNoOthers(t *testing.T) {
	t.Parallel()
	globals := vec(
		cat(ops(tI32, 1), i32(5), ops(end)), cat(ops(tI32, 0), i32(6), ops(end)), cat(ops(tI64, 1, 0x42, 7, end)),
	)
	src := cat([]byte("\x00asm\x01\x00\x00\x00"), section(6, globals))
	out, err := meter.Rewrite(src, meter.Limits{})
	require.NoError(t, err)
	assert.Equal(t, meter.State{Globals: []string{"headgate.global.0", "headgate.global.2"}}, out.State)
	assert.Empty(t, out.Exports, "the added exports are not listed as the module's own")
	r := newRuntime(t)
	(&host{}).link(t, r)
	m, err := start(t, r, out.Bytes)
	require.NoError(t, err)
	for i, want := range []uint64{5, 7} {
		g, ok := m.ExportedGlobal(out.State.Globals[i]).(api.MutableGlobal)
		require.True(t, ok)
		assert.Equal(t, want, g.Get())
		g.Set(9)
		assert.Equal(t, uint64(9), g.Get())
	}
	assert.Zero(t, m.ExportedGlobal(meter.ExportDepth).Get())
}

func TestRewrite_TellsWhatItCannotExport(t *testing.T) {
	t.Parallel()
	null := ops(0xd0, tFuncRef)
	for sentence, c := range map[string]struct {
		code   []byte
		beyond bool
	}{
		"memory alone":                 {cat(i32(0), i32(1), ops(0x36, 0, 0)), false},
		"a table that is read":         {cat(i32(0), ops(0x25, 0, drop)), false},
		"an entry of a table":          {cat(i32(0), null, ops(0x26, 0)), true},
		"a table that grows":           {cat(null, i32(1), ops(0xfc, 15, 0, drop)), true},
		"a table that is filled":       {cat(i32(0), null, i32(1), ops(0xfc, 17, 0)), true},
		"a table that is copied":       {cat(i32(0), i32(1), i32(1), ops(0xfc, 14, 0, 0)), true},
		"a segment for a table":        {cat(i32(0), i32(0), i32(0), ops(0xfc, 12, 0, 0)), true},
		"a dropped segment of a table": {ops(0xfc, 13, 0), true},
		"a dropped segment":            {ops(0xfc, 9, 0), true},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			g := guest{pages: 1, tables: []int{4}, elements: []int{0}, passive: []int{1}, funcs: []fn{{code: c.code}}}
			out, err := meter.Rewrite(g.bytes(), meter.Limits{})
			require.NoError(t, err)
			assert.Equal(t, c.beyond, out.State.Beyond)
			assert.Equal(t, []string{"headgate.global.0"}, out.State.Globals)
		})
	}
	for sentence, global := range map[string][]byte{
		"a vector": cat(ops(tV128, 1, 0xfd, 12), make([]byte, 16), ops(end)), "a reference": cat(ops(tFuncRef, 1), null, ops(end)),
	} {
		out, err := meter.Rewrite(cat([]byte("\x00asm\x01\x00\x00\x00"), section(6, vec(global))), meter.Limits{})
		require.NoError(t, err, sentence)
		assert.Equal(t, meter.State{Beyond: true}, out.State, sentence)
	}
}

func TestRewrite_ShowsTheDepthOfAGuestThatWentTooDeepAndOfNoOther(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct {
		code []byte
		deep bool
	}{
		"recursion without end":               {cat(work(1), call0(0)), true},
		"a trap":                              {ops(unreachable), false},
		"recursion that ends in a trap":       {cat(work(1), globalGet(0), i32(50), ops(0x46, opIf, void, unreachable, end), call0(0)), false},
		"recursion that ends in another trap": {cat(work(1), globalGet(0), i32(100), ops(0x46, opIf, void), i32(0), i32(0), ops(i32DivU, drop, end), call0(0)), false},
		"recursion of one frame too many":     {cat(work(1), globalGet(0), i32(101), ops(0x47, opIf, void), call0(0), ops(end)), true},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			out, err := meter.Rewrite(guest{pages: 1, funcs: []fn{{code: c.code}}}.bytes(), meter.Limits{Depth: 100})
			require.NoError(t, err)
			r := newRuntime(t)
			(&host{slice: 1000, budget: 1000}).link(t, r)
			m, err := start(t, r, out.Bytes)
			require.NoError(t, err)
			_, err = m.ExportedFunction("run").Call(t.Context())
			require.Error(t, err)
			assert.Equal(t, c.deep, m.ExportedGlobal(meter.ExportDepth).Get() > 100)
		})
	}
}
