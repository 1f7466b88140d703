// Package token obtains access tokens from the identity services of clouds and keeps them: one refresh for all calls
// that wait for it, before the token expires, and never in a caller's time while the current one is valid.
package token

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Token is an access token. Value is a secret.
type Token struct {
	Value   string
	Expires time.Time // zero: it does not expire
}

// Fetch asks an identity service for a token. Its errors do not contain credentials.
type Fetch func(ctx context.Context) (Token, error)

const (
	// early is how long before its expiry a token is refreshed. Google's metadata server hands out the same token until
	// five minutes before its expiry, so an earlier refresh would be in vain.
	early = 4 * time.Minute
	// fetchTime limits one fetch. It belongs to all calls that wait, so no caller's context ends it.
	fetchTime = 30 * time.Second
	// pause is the time between refreshes of a token that is still valid.
	pause = 10 * time.Second
	// grudge is how long a failure answers further calls, so that a broken identity service is not asked by each of them.
	grudge = time.Second
	// youth is the age below which a token that a provider refused is not replaced: a new token would be refused too.
	youth = time.Minute
)

// Cache keeps the token of one credential. Its methods are safe for concurrent use.
type Cache struct {
	fetch   Fetch
	now     func() time.Time
	current atomic.Pointer[issuedToken]

	mu     sync.Mutex
	flight *flight
	last   time.Time // when the last fetch ended
	failed error     // what it ended with
}

// issuedToken is a token with the time at which it was received, and the time from which it is refreshed.
type issuedToken struct {
	Token
	at, refresh time.Time
}

// flight is a fetch that calls wait for.
type flight struct {
	done  chan struct{}
	token *issuedToken
	err   error
}

// NewCache returns a cache that is filled by fetch when a token is first needed.
func NewCache(fetch Fetch) *Cache { return &Cache{fetch: fetch, now: time.Now} }

// Get returns a valid token. It waits for a fetch only if the cache has none, and no longer than ctx.
func (c *Cache) Get(ctx context.Context) (string, error) {
	now := c.now()
	t := c.current.Load()
	if t != nil && (t.Expires.IsZero() || now.Before(t.refresh)) {
		return t.Value, nil
	}
	if t != nil && now.Before(t.Expires) {
		c.begin(now, pause)
		return t.Value, nil
	}
	f := c.begin(now, grudge)
	select {
	case <-f.done:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if f.err != nil {
		return "", f.err
	}
	return f.token.Value, nil
}

// Drop forgets a token that a provider has refused, unless it is new.
func (c *Cache) Drop(value string) {
	if t := c.current.Load(); t != nil && t.Value == value && c.now().Sub(t.at) > youth {
		c.current.CompareAndSwap(t, nil)
	}
}

// begin returns the fetch in progress, or starts one. Within wait of the last one it returns what that ended with.
func (c *Cache) begin(now time.Time, wait time.Duration) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flight != nil {
		return c.flight
	}
	// The last flight may have ended since the caller looked.
	if t := c.current.Load(); t != nil && (t.Expires.IsZero() || now.Before(t.refresh)) {
		return newLandedFlight(t, nil)
	}
	if !c.last.IsZero() && now.Sub(c.last) < wait && (c.failed != nil || c.current.Load() != nil) {
		return newLandedFlight(c.current.Load(), c.failed)
	}
	f := &flight{done: make(chan struct{})}
	c.flight = f
	go c.run(f)
	return f
}

// newLandedFlight returns a fetch that is over.
func newLandedFlight(t *issuedToken, err error) *flight {
	f := &flight{done: make(chan struct{}), token: t, err: err}
	close(f.done)
	return f
}

// run fetches a token for all that wait for f.
func (c *Cache) run(f *flight) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	t, err := c.fetch(ctx)
	now := c.now()
	if err == nil && (t.Value == "" || !t.Expires.IsZero() && !now.Before(t.Expires)) {
		err = &Error{Reason: "the identity service returned no valid token"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flight, c.last, c.failed = nil, now, err
	if f.err = err; err == nil {
		f.token = &issuedToken{Token: t, at: now, refresh: t.Expires.Add(-min(early, t.Expires.Sub(now)/4))}
		c.current.Store(f.token)
	}
	close(f.done)
}
