package extism

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMemoryGivesBlocksWithinItsLimitOnly(t *testing.T) {
	m := NewMemory(1 << 10)
	assert.Zero(t, m.AllocateBytes(0))
	assert.Zero(t, m.AllocateBytes(math.MaxUint64))
	assert.Zero(t, m.AllocateBytes(1<<10))
	at := m.AllocateBytes(5)
	assert.Equal(t, uint64(8), at)
	copy(m.Block(at), "hello")
	assert.Equal(t, "hello", string(m.Block(at)))
	for _, c := range [][2]uint64{{16, 1}, {0, 17}, {math.MaxUint64, 1}, {8, math.MaxUint64}} {
		_, ok := m.ReadSlice(c[0], c[1])
		assert.False(t, ok, "%v", c)
	}
	assert.Empty(t, m.Block(3))
	assert.Empty(t, m.Block(math.MaxUint64))
	n := 0
	for m.AllocateBytes(1) != 0 {
		n++
	}
	assert.Less(t, n, 200)
}

func TestALargeMemoryIsNotKeptBetweenCalls(t *testing.T) {
	m := NewMemory(16 << 20)
	require.NotZero(t, m.AllocateBytes(8<<20))
	m.Reset()
	assert.LessOrEqual(t, cap(m.bytes), maxKept)
	at := m.AllocateBytes(100)
	require.NotZero(t, at)
	m.Reset()
	assert.Positive(t, cap(m.bytes), "a small memory is kept")
}

func TestAMemoryReservesNoMoreThanItsLimit(t *testing.T) {
	m := NewMemory(1 << 20)
	for m.AllocateBytes(10<<10) != 0 {
	}
	assert.LessOrEqual(t, uint64(cap(m.bytes)), uint64(1<<20+8))
}

func TestAResetLeavesNoByteOfATextBehind(t *testing.T) {
	m := NewMemory(1 << 20)
	for range 10 {
		require.NotZero(t, m.Put("the text of a call"))
	}
	m.Reset()
	for _, c := range m.bytes[:cap(m.bytes)] {
		require.Zero(t, c)
	}
}

func TestVariablesTakeNoMoreThanTheirRoom(t *testing.T) {
	var v Vars
	assert.False(t, v.Set("a", []byte("b")), "without room")
	v.Reset(10)
	assert.True(t, v.Set("key", []byte("1234567")))
	assert.Equal(t, "1234567", v.Get("key"))
	assert.True(t, v.Set("key", []byte("7654321")), "a new value reuses the room of the old one")
	v.Reset(10)
	assert.Empty(t, v.Get("key"))
	assert.False(t, v.Set("key", []byte("12345678")))
}
