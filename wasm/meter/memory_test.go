package meter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// borrower returns a module that imports its memory and a function, exports a function that reads a byte and, if exportsMemory is set,
// the memory too.
func borrower(exportsMemory bool) []byte {
	exports := [][]byte{cat(name("peek"), ops(0, 1))}
	if exportsMemory {
		exports = append(exports, cat(name("memory"), ops(2, 0)))
	}
	return cat([]byte(magic),
		section(1, vec(ops(0x60, 0, 0), ops(0x60, 1, tI32, 1, tI32))),
		section(2, vec(cat(name("env"), name("memory"), ops(2, 0, 1)), cat(name("env"), name("f"), ops(0, 0)))),
		section(3, vec(ops(1))),
		section(7, vec(exports...)),
		section(10, vec(ops(7, 0, 0x20, 0, 0x2d, 0, 0, 0x0b))),
		section(11, vec(cat(ops(0, 0x41, 5, 0x0b), name("x")))),
	)
}

func TestAnImportedMemoryBecomesTheModulesOwn(t *testing.T) {
	for _, exports := range []bool{false, true} {
		_, err := meter.Rewrite(borrower(exports), meter.Limits{})
		require.ErrorContains(t, err, "a memory is imported", "only OwnMemory allows an imported memory")
		m, err := meter.Rewrite(borrower(exports), meter.Limits{OwnMemory: true, MemoryPages: 3})
		require.NoError(t, err)
		assert.True(t, m.OwnMemory)
		assert.Equal(t, []uint32{1, 3}, []uint32{m.MemoryMin, m.MemoryMax})

		ctx := context.Background()
		r := wazero.NewRuntime(ctx)
		defer func() { assert.NoError(t, r.Close(ctx)) }()
		_, err = r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func() {}).Export("f").Instantiate(ctx)
		require.NoError(t, err)
		_, err = r.NewHostModuleBuilder(
			meter.TickModule,
		).NewFunctionBuilder().WithFunc(
			func() int32 { return meter.MaxSlice },
		).Export(
			meter.TickName,
		).Instantiate(
			ctx,
		)
		require.NoError(t, err)
		mod, err := r.Instantiate(ctx, m.Bytes)
		require.NoError(t, err)
		got, err := mod.ExportedFunction("peek").Call(ctx, 5)
		require.NoError(t, err)
		assert.Equal(t, []uint64{'x'}, got)
		b, ok := mod.ExportedMemory("memory").ReadByte(5)
		assert.True(t, ok)
		assert.Equal(t, byte('x'), b)
	}
}

func TestAModuleHasOneMemory(t *testing.T) {
	both := cat([]byte(magic), section(2, vec(cat(name("env"), name("memory"), ops(2, 0, 1)))), section(5, vec(ops(0, 1))))
	two := cat([]byte(magic), section(2, vec(cat(name("env"), name("a"), ops(2, 0, 1)), cat(name("env"), name("b"), ops(2, 0, 1)))))
	for _, src := range [][]byte{both, two} {
		_, err := meter.Rewrite(src, meter.Limits{OwnMemory: true})
		require.ErrorContains(t, err, "2 memories")
	}
}
