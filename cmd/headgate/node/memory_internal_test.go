package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheCollectorsPaceFollowsTheLiveHeap(t *testing.T) {
	for _, c := range []struct {
		name string
		live uint64
		want int
	}{
		{"an empty heap has the most room", 0, maxPercent},
		{"a small one too", 2 << 20, maxPercent},
		{"then the room stays the same in bytes", 6 << 20, 200},
		{"in steps", 7 << 20, 150},
		{"a large heap keeps the least", 100 << 20, minPercent},
		{"a huge one too", 1 << 40, minPercent},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, computeGCPercent(c.live)) })
	}
}
