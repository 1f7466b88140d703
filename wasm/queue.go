package wasm

import "slices"

// waiter is a caller in line. It receives an instance, or nil if it may create one.
type waiter struct{ ch chan *instance }

// queue holds waiting callers. Tenants take turns; the callers of one tenant are served in the order of arrival. A tenant that sends many
// requests at once therefore delays its own requests, and those of another tenant by one call at most.
type queue struct {
	turns []*line // tenants with waiting callers, in order of service
	lines map[string]*line
	n     int
}

// line holds the waiting callers of one tenant.
type line struct {
	tenant  string
	waiters []*waiter
}

// add appends a caller to its tenant's line.
func (q *queue) add(tenant string, w *waiter) {
	l := q.lines[tenant]
	if l == nil {
		l = &line{tenant: tenant}
		if q.lines == nil {
			q.lines = make(map[string]*line)
		}
		q.lines[tenant] = l
		q.turns = append(q.turns, l)
	}
	l.waiters = append(l.waiters, w)
	q.n++
}

// dequeue removes and returns the caller whose turn it is. The queue must not be empty.
func (q *queue) dequeue() *waiter {
	l := q.turns[0]
	q.turns = slices.Delete(q.turns, 0, 1)
	w := l.waiters[0]
	l.waiters = slices.Delete(l.waiters, 0, 1)
	q.n--
	if len(l.waiters) > 0 {
		q.turns = append(q.turns, l)
	} else {
		delete(q.lines, l.tenant)
	}
	return w
}

// remove removes a caller that no longer waits. It returns false if the caller has been served.
func (q *queue) remove(tenant string, w *waiter) bool {
	l := q.lines[tenant]
	if l == nil {
		return false
	}
	k := slices.Index(l.waiters, w)
	if k < 0 {
		return false
	}
	q.n--
	if l.waiters = slices.Delete(l.waiters, k, k+1); len(l.waiters) == 0 {
		delete(q.lines, tenant)
		at := slices.Index(q.turns, l)
		q.turns = slices.Delete(q.turns, at, at+1)
	}
	return true
}

// clear removes all callers and calls each with every one of them.
func (q *queue) clear(each func(*waiter)) {
	for q.n > 0 {
		each(q.dequeue())
	}
}
