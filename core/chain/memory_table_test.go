package chain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/recall"
)

// mapShard is the plain twin of a shard: two maps.
type mapShard struct{ young, old map[recall.Key]string }

func (s *mapShard) bytes() (n int) {
	for _, v := range s.young {
		n += entryCost + len(v)
	}
	return n
}

func (s *mapShard) keep(k recall.Key, value string, limit int) {
	if _, ok := s.young[k]; ok {
		return
	}
	if v, ok := s.old[k]; ok {
		value = v
	}
	if delete(s.old, k); s.bytes()+entryCost+len(value) > limit {
		s.young, s.old = map[recall.Key]string{}, s.young
	}
	s.young[k] = value
}

func (s *mapShard) recall(k recall.Key, limit int) (string, bool) {
	v, ok := s.young[k]
	if !ok {
		if v, ok = s.old[k]; ok {
			s.keep(k, v, limit)
		}
	}
	return v, ok
}

func TestAShardRemembersAsTwoMapsDo(t *testing.T) {
	const limit = 6000
	m, plain := NewMemory(limit*memoryShards*2), &mapShard{map[recall.Key]string{}, map[recall.Key]string{}}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200_000 {
		// Few keys, of one shard, many of them with one tag, in one group, or with bits that are 0.
		k := recall.Key{Hi: uint64(r.IntN(40)) << 55, Lo: uint64(r.IntN(4)) << 20, Place: uint32(r.IntN(2))}
		if r.IntN(3) == 0 {
			value := fmt.Sprint(n)[:r.IntN(5)%len(fmt.Sprint(n))]
			m.Store(k, []byte(value))
			plain.keep(k, value, limit)
			continue
		}
		got, ok := m.Recall(nil, k, 1)
		want, known := plain.recall(k, limit)
		require.Equal(t, known, ok, "step %d, key %v", n, k)
		require.Equal(t, want, string(got), "step %d, key %v", n, k)
		young, old := m.shards[0].countBytes()
		require.Equal(t, plain.bytes(), int(young))
		require.LessOrEqual(t, old, int64(limit))
	}
}

// BenchmarkForgotten looks up what a full memory does not have: texts of a request are new to each link that asks.
func BenchmarkForgotten(b *testing.B) {
	m := NewMemory(32 << 20)
	r := rand.New(rand.NewPCG(1, 2))
	random := func() recall.Key { return recall.Key{Hi: r.Uint64(), Lo: r.Uint64()} }
	for range 700_000 {
		m.Store(random(), nil)
	}
	asked := make([]recall.Key, 1<<16)
	for k := range asked {
		asked[k] = random()
	}
	n := 0
	for b.Loop() {
		if _, ok := m.Recall(nil, asked[n&(len(asked)-1)], 1); ok {
			b.Fatal("it was never kept")
		}
		n++
	}
}
