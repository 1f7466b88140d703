package auth

import (
	"sync"
	"time"
)

// recent remembers a bounded number of keys for a time. When it is full it forgets the key that was added longest ago, and
// what that prevents may happen once more.
type recent[K comparable] struct {
	mu  sync.Mutex
	ttl time.Duration
	end *oldest[K, time.Time]
}

func newRecent[K comparable](ttl time.Duration, most int) *recent[K] {
	return &recent[K]{ttl: ttl, end: newOldest[K, time.Time](most)}
}

// has reports whether the key was added within the time.
func (r *recent[K]) has(k K, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	end, ok := r.end.get(k)
	return ok && now.Before(end)
}

// add remembers a key. It returns false if the key was remembered already.
func (r *recent[K]) add(k K, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end, ok := r.end.get(k); ok && now.Before(end) {
		return false
	}
	r.end.put(k, now.Add(r.ttl))
	return true
}

// drop removes a key.
func (r *recent[K]) drop(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end.drop(k)
}
