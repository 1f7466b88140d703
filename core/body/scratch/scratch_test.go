package scratch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrowGivesRoom(t *testing.T) {
	for _, n := range []int{0, 1, 2 << 10, Small - 1, Small, Small + 1, 2 * Small, 2*Small + 1, 100 << 10, most - 1, most, most + 1} {
		b := Grow(nil, n)
		require.Empty(t, b)
		require.GreaterOrEqual(t, cap(b), n, "%d", n)
		Release(b)
		again := Grow(nil, n)
		require.GreaterOrEqual(t, cap(again), n, "from the shelf: %d", n)
	}
}

func TestWhatIsOnAShelfIsLargeEnoughForIt(t *testing.T) {
	for _, n := range []int{Small + 1, Small + 5000, 2*Small - 1, 2 * Small, 3 * Small, 7*Small + 3, most - 1, most} {
		Release(make([]byte, 0, n))
		for ask := Small + 1; ask <= most; ask = ask*3/2 + 1 {
			b := Grow(nil, ask)
			require.GreaterOrEqual(t, cap(b), ask)
		}
	}
}

func TestGrowKeepsABufferThatFits(t *testing.T) {
	b := make([]byte, 3, 100)
	assert.Equal(t, 100, cap(Grow(b, 100)))
	assert.Empty(t, Grow(b, 100))
}

func TestKeepLetsLargeBuffersGo(t *testing.T) {
	assert.Nil(t, Reset(make([]byte, Small+1)))
	assert.NotNil(t, Reset(make([]byte, Small)))
	assert.Empty(t, Reset(make([]byte, 10)))
}
