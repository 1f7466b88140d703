package cache

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func newKey(n byte) key { return key{n} }

func newEntry(n int) *entry { return &entry{status: 200, body: make([]byte, n-overhead)} }

func has(s *shelf, n byte) bool {
	_, ok := s.items[newKey(n)]
	return ok
}

func TestWhatWasNotUsedForLongestMakesRoom(t *testing.T) {
	all := newShelves(10000, 3000)
	s, now := all.loadShelf("t"), time.Unix(1, 0)
	for n := range byte(3) {
		s.put(newKey(n), newEntry(1000), time.Hour, now)
	}
	e, _, _ := s.find(newKey(0), false, 0, now)
	assert.NotNil(t, e)
	s.put(newKey(3), newEntry(1000), time.Hour, now)
	assert.True(t, has(s, 0), "it was used since")
	assert.False(t, has(s, 1))
	assert.True(t, has(s, 3))
	s.put(newKey(4), newEntry(2500), time.Hour, now)
	assert.Len(t, s.items, 1, "a large one displaces several")
	s.put(newKey(5), newEntry(3001), time.Hour, now)
	assert.False(t, has(s, 5), "one that never fits is not stored")
	assert.True(t, has(s, 4))
	s.put(newKey(4), newEntry(300), time.Hour, now)
	assert.EqualValues(t, 300, s.bytes, "the new answer replaces the old one")
	assert.EqualValues(t, 300, all.total.Load())
}

func TestWhatIsTooOldGoesFirst(t *testing.T) {
	s, now := newShelves(10000, 10000).loadShelf("t"), time.Unix(1, 0)
	s.put(newKey(0), newEntry(1000), time.Second, now)
	s.put(newKey(1), newEntry(1000), time.Second, now)
	s.put(newKey(2), newEntry(1000), time.Hour, now.Add(time.Minute))
	assert.Len(t, s.items, 1)
	assert.EqualValues(t, 1000, s.bytes)
}

func TestTheLargestTenantMakesRoomForAnother(t *testing.T) {
	all := newShelves(5000, 4000)
	now := time.Unix(1, 0)
	for n := range byte(3) {
		all.loadShelf("large").put(newKey(n), newEntry(1000), time.Hour, now)
	}
	all.loadShelf("small").put(newKey(0), newEntry(1000), time.Hour, now)
	all.loadShelf("new").put(newKey(0), newEntry(2000), time.Hour, now)
	assert.LessOrEqual(t, all.total.Load(), int64(5000))
	assert.Len(t, all.loadShelf("large").items, 2)
	assert.True(t, has(all.loadShelf("small"), 0))
	assert.True(t, has(all.loadShelf("new"), 0))
}

func TestTheBoundsHoldUnderLoad(t *testing.T) {
	all := newShelves(100_000, 40_000)
	now := time.Unix(1, 0)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s := all.loadShelf(string(rune('a' + g%4)))
			for n := range 500 {
				k := newKey(byte(n * (g + 1)))
				if e, f, mine := s.find(k, false, 0, now); e == nil && mine {
					s.put(k, newEntry(overhead+n), time.Hour, now)
					f.finish(nil)
				}
			}
		})
	}
	wg.Wait()
	sum := int64(0)
	for _, name := range []string{"a", "b", "c", "d"} {
		s := all.loadShelf(name)
		assert.LessOrEqual(t, s.bytes, int64(40_000))
		assert.Empty(t, s.flights)
		bytes := int64(0)
		for it := s.ends.next; it != &s.ends; it = it.next {
			bytes += it.entry.measureSize()
		}
		assert.Equal(t, s.bytes, bytes)
		sum += bytes
	}
	assert.Equal(t, sum, all.total.Load())
	assert.LessOrEqual(t, sum, int64(100_000))
}
