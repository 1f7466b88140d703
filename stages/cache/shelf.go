package cache

import (
	"sync"
	"sync/atomic"
	"time"
)

// shelves store the answers of all tenants within one limit, and know which requests are in progress. There is one lock
// per tenant.
type shelves struct {
	max, most int64        // maximum bytes of all tenants, and of one
	total     atomic.Int64 // bytes of all tenants
	tenants   sync.Map     // string -> *shelf
}

// shelf contains one tenant's answers in the order of their last use.
type shelf struct {
	all *shelves

	mu      sync.Mutex
	items   map[key]*item
	flights map[key]*flight
	bytes   int64
	ends    item // the ring's anchor: next is the most recently used item
}

type item struct {
	key        key
	entry      *entry
	until      time.Time
	prev, next *item
}

func newShelves(max, most int64) *shelves { return &shelves{max: max, most: most} }

// loadShelf returns a tenant's shelf.
func (s *shelves) loadShelf(tenant string) *shelf {
	if v, ok := s.tenants.Load(tenant); ok {
		return v.(*shelf)
	}
	sh := &shelf{all: s, items: map[key]*item{}, flights: map[key]*flight{}}
	sh.ends.prev, sh.ends.next = &sh.ends, &sh.ends
	v, _ := s.tenants.LoadOrStore(tenant, sh)
	return v.(*shelf)
}

// find returns the stored answer if it is usable. Otherwise it returns the flight of an equal request in progress. Without
// such a flight it creates one, and mine is true: the caller must land it.
func (s *shelf) find(k key, stream bool, age time.Duration, now time.Time) (e *entry, f *flight, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it := s.items[k]; it != nil {
		if !now.Before(it.until) {
			s.drop(it)
		} else {
			s.moveToFront(it)
			if it.entry.canAnswer(stream, age, now) {
				return it.entry, nil, false
			}
		}
	}
	if f = s.flights[k]; f != nil {
		return nil, f, false
	}
	f = newFlight(k, s)
	s.flights[k] = f
	return nil, f, true
}

// put stores an answer and makes room for it. It drops the least recently used answers: the tenant's own until its
// limit and the total limit hold, then those of the largest tenants.
func (s *shelf) put(k key, e *entry, ttl time.Duration, now time.Time) {
	size := e.measureSize()
	if size > s.all.most {
		return
	}
	s.mu.Lock()
	if it := s.items[k]; it != nil {
		s.drop(it)
	}
	for last := s.ends.prev; last != &s.ends && (!now.Before(last.until) ||
		s.bytes+size > s.all.most || s.all.total.Load()+size > s.all.max); last = s.ends.prev {
		s.drop(last)
	}
	it := &item{key: k, entry: e, until: now.Add(ttl)}
	s.items[k] = it
	s.linkItem(it)
	s.bytes += size
	s.all.total.Add(size)
	s.mu.Unlock()
	s.all.trim(s)
}

// trim drops answers of the largest tenants until all fit. The tenant that has just stored an answer has already made
// as much room as it could.
func (s *shelves) trim(own *shelf) {
	for s.total.Load() > s.max {
		var largest *shelf
		var most int64
		s.tenants.Range(func(_, v any) bool {
			sh := v.(*shelf)
			sh.mu.Lock()
			if sh != own && sh.bytes > most {
				largest, most = sh, sh.bytes
			}
			sh.mu.Unlock()
			return true
		})
		if largest == nil {
			return
		}
		largest.mu.Lock()
		if last := largest.ends.prev; last != &largest.ends {
			largest.drop(last)
		}
		largest.mu.Unlock()
	}
}

func (s *shelf) drop(it *item) {
	it.prev.next, it.next.prev = it.next, it.prev
	delete(s.items, it.key)
	s.bytes -= it.entry.measureSize()
	s.all.total.Add(-it.entry.measureSize())
}

func (s *shelf) moveToFront(it *item) {
	it.prev.next, it.next.prev = it.next, it.prev
	s.linkItem(it)
}

func (s *shelf) linkItem(it *item) {
	it.prev, it.next = &s.ends, s.ends.next
	it.prev.next, it.next.prev = it, it
}
