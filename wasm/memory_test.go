package wasm

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMemoryKeepsWhatIsInItWhereverItGrows(t *testing.T) {
	const most = 16 << 20
	m := &memory{most: most}
	want := byte(0)
	for size := uint64(pageSize); size <= most; size += 5 * pageSize {
		b := m.Reallocate(size)
		require.Len(t, b, int(size))
		for at := uint64(0); at+5*pageSize < size; at += 5 * pageSize {
			require.Equal(t, byte(at/(5*pageSize)+1), b[at], "the bytes written at %d", at)
		}
		require.Zero(t, b[size-1], "new memory is zero")
		want++
		if at := size - pageSize; at%(5*pageSize) == 0 {
			b[at] = want
		}
	}
	assert.Equal(t, runtime.GOOS == "linux", m.mapped != nil)
	m.Free()
	assert.Nil(t, m.mapped)
	m.Free()
}

func TestAMemoryThatCannotBeMappedStaysOnTheHeap(t *testing.T) {
	m := &memory{most: 1 << 62}
	b := m.Reallocate(8 << 20)
	require.Len(t, b, 8<<20)
	assert.Nil(t, m.mapped)
	b[5] = 1
	assert.Equal(t, byte(1), m.Reallocate(9 << 20)[5])
	m.Free()
}
