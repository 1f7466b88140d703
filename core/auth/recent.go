package auth

import (
	"sync"
	"time"
)

// recent remembers a bounded number of keys for a time. When it is full it forgets all, and what it prevents may happen once
// more.
type recent[K comparable] struct {
	mu   sync.Mutex
	ttl  time.Duration
	most int
	end  map[K]time.Time
}

func newRecent[K comparable](ttl time.Duration, most int) *recent[K] {
	return &recent[K]{ttl: ttl, most: most, end: map[K]time.Time{}}
}

// has reports whether the key was added within the time.
func (r *recent[K]) has(k K, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	end, ok := r.end[k]
	return ok && now.Before(end)
}

// add remembers a key. It returns false if the key was remembered already.
func (r *recent[K]) add(k K, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end, ok := r.end[k]; ok && now.Before(end) {
		return false
	}
	if len(r.end) >= r.most {
		for old, end := range r.end {
			if !now.Before(end) {
				delete(r.end, old)
			}
		}
		if len(r.end) >= r.most {
			clear(r.end)
		}
	}
	r.end[k] = now.Add(r.ttl)
	return true
}

// drop removes a key.
func (r *recent[K]) drop(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.end, k)
}
