package upstream

import (
	"net/url"
	"sync"
	"time"
)

// pool keeps idle connections by peer, and hands out the one used most recently, which is the least likely to have been closed.
type pool struct {
	perPeer int
	limit   time.Duration
	mu      sync.Mutex
	peers   map[peerKey]*peer
	sweeper *time.Timer // set while a connection is idle
	closed  bool
}

// findPeer returns the entry of the URL's host, which it creates if necessary, and its most recently used idle connection, if any.
func (l *Lean) findPeer(u *url.URL) (*peer, *conn, error) {
	key := peerKey{u.Scheme, u.Host}
	l.pool.mu.Lock()
	p, closed := l.pool.peers[key], l.pool.closed
	var c *conn
	if p != nil {
		c = p.pop()
	}
	l.pool.mu.Unlock()
	if closed {
		return nil, nil, ErrClosed
	}
	if p != nil {
		return p, c, nil
	}
	fresh, err := newPeer(u, l.tls)
	if err != nil {
		return nil, nil, err
	}
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if p = l.pool.peers[key]; p == nil {
		p = fresh
		l.pool.peers[key] = p
	}
	return p, nil, nil
}

// pop removes and returns the most recently used connection, or returns nil. The caller holds the pool's lock.
func (p *peer) pop() *conn {
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	return c
}

// findUsable returns c, an idle connection that was taken, if it is still usable, otherwise the next usable one, or nil.
func (o *pool) findUsable(p *peer, c *conn, now time.Time) *conn {
	for c != nil {
		if now.Sub(c.idleAt) < c.idleFor && c.isSilent() {
			return c
		}
		c.drop()
		o.mu.Lock()
		c = p.pop()
		o.mu.Unlock()
	}
	return nil
}

// put keeps a connection whose answer has been read to its end, or closes it if it cannot be kept.
func (o *pool) put(c *conn) {
	if c.ctl == nil {
		c.drop()
		return
	}
	if len(c.buf) > readSize {
		c.buf = make([]byte, readSize)
		c.r, c.w = 0, 0
	}
	c.used = true
	c.idleAt = readClock()
	o.mu.Lock()
	p := c.peer
	if o.closed || p.gone || len(p.idle) >= o.perPeer {
		o.mu.Unlock()
		c.drop()
		return
	}
	p.idle = append(p.idle, c)
	if o.sweeper == nil {
		o.sweeper = time.AfterFunc(o.limit, o.sweep)
	}
	o.mu.Unlock()
}

// sweep closes connections that have been idle for too long and forgets peers without connections. It runs from a timer
// that exists only while the pool holds a connection.
func (o *pool) sweep() {
	now := readClock()
	var old []*conn
	o.mu.Lock()
	held := false
	for key, p := range o.peers {
		kept := p.idle[:0]
		for _, c := range p.idle {
			if now.Sub(c.idleAt) < c.idleFor {
				kept = append(kept, c)
			} else {
				old = append(old, c)
			}
		}
		clear(p.idle[len(kept):])
		p.idle = kept
		if len(kept) > 0 {
			held = true
			continue
		}
		// A call that still holds the entry closes its connection at its end and finds the new entry next time.
		p.gone = true
		delete(o.peers, key)
	}
	switch {
	case o.closed:
	case held:
		o.sweeper.Reset(max(o.limit/2, time.Millisecond))
	default:
		o.sweeper = nil
	}
	o.mu.Unlock()
	for _, c := range old {
		c.drop()
	}
}

// close closes all idle connections and keeps none from now on.
func (o *pool) close() {
	o.mu.Lock()
	var idle []*conn
	for _, p := range o.peers {
		idle = append(idle, p.idle...)
		p.idle = nil
	}
	clear(o.peers)
	o.closed = true
	if o.sweeper != nil {
		o.sweeper.Stop()
	}
	o.mu.Unlock()
	for _, c := range idle {
		c.drop()
	}
}
