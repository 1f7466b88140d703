package node

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// recentCalls remembers for askedAgain the calls for which an approval was requested, so that a client that repeats a refused
// call costs no write each time. The zero value is ready for use.
type recentCalls struct {
	mu  sync.Mutex
	ids map[consent]recentCall
}

type recentCall struct {
	id string
	at time.Time
}

// find returns the approval that was requested for a call.
func (r *recentCalls) find(c consent, now time.Time) (id string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	got, ok := r.ids[c]
	return got.id, ok && now.Sub(got.at).Abs() < askedAgain
}

// add remembers a request, if there is room.
func (r *recentCalls) add(c consent, id string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ids) >= recentMost {
		maps.DeleteFunc(r.ids, func(_ consent, got recentCall) bool { return now.Sub(got.at).Abs() >= askedAgain })
	}
	if len(r.ids) >= recentMost {
		return
	}
	if r.ids == nil {
		r.ids = map[consent]recentCall{}
	}
	c.tenant, c.lineage, c.model = strings.Clone(c.tenant), strings.Clone(c.lineage), strings.Clone(c.model) // of the exchange
	r.ids[c] = recentCall{id, now}
}

// removeMatching forgets the requests that match: they were decided about, used up or changed.
func (r *recentCalls) removeMatching(matches func(id string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.ids, func(_ consent, got recentCall) bool { return matches(got.id) })
}
