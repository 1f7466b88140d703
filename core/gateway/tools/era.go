package tools

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// probe is the known eras of a server.
type probe struct {
	mu   sync.Mutex
	busy chan struct{} // closed when the probe under way has ended; nil: none is
	era  mcp.Era       // all that it speaks
	err  error
	at   time.Time
}

const (
	// probeFor is how long the result of a probe is valid: a server may be updated.
	probeFor = 5 * time.Minute
	// failureFor is the time before a failed probe is repeated.
	failureFor = time.Second
	// probeTime limits a probe.
	probeTime = 10 * time.Second
	// maxUserProbes limits the users of whom a server's era is kept.
	maxUserProbes = 1024
)

// DetectModern reports whether the server speaks the modern era. Unless the configuration says so, it probes the server; concurrent
// callers share one probe, unless the server is called on behalf of users. If a probe fails, the era that was known before stays.
func (s *Server) DetectModern(ctx context.Context) (bool, error) {
	era, err := s.detectEra(ctx)
	return era&mcp.Modern != 0, err
}

// detectEra returns the eras that the server speaks towards the caller.
func (s *Server) detectEra(ctx context.Context) (mcp.Era, error) {
	switch {
	case s.PerUser && FindUser(ctx).Token == "":
		return 0, NewMissingUserError()
	case s.Era != 0:
		return s.Era, nil
	case s.PerUser:
		return s.detectEraForUser(ctx)
	}
	p := &s.probed
	p.mu.Lock()
	age := time.Since(p.at)
	if p.era != 0 && p.err == nil && age < probeFor || p.err != nil && age < failureFor {
		defer p.mu.Unlock()
		return p.read()
	}
	if p.busy == nil {
		p.busy = make(chan struct{})
		go s.runProbe(context.WithoutCancel(ctx), p.busy)
	}
	busy := p.busy
	p.mu.Unlock()
	select {
	case <-busy:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read()
}

// read returns the known eras, or else why there are none. The caller holds the lock.
func (p *probe) read() (mcp.Era, error) {
	if p.era != 0 {
		return p.era, nil
	}
	return 0, p.err
}

// runProbe asks the server which era it speaks. A client's hang-up does not end it.
func (s *Server) runProbe(ctx context.Context, done chan struct{}) {
	era, err := s.probe(ctx)
	p := &s.probed
	p.mu.Lock()
	if err == nil {
		p.era = era
	}
	p.err, p.at, p.busy = err, time.Now(), nil
	p.mu.Unlock()
	close(done)
}

// probe asks the server. A panic over its answer becomes an error, because it would end the process.
func (s *Server) probe(ctx context.Context) (era mcp.Era, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			era, err = 0, fmt.Errorf("panic while detecting the era of the MCP server %s: %v", s.Name, r)
		}
	}()
	return s.Upstream.Probe(ctx)
}

// userProbes are the eras in which a server has answered single users. It is safe for concurrent use.
type userProbes struct {
	mu    sync.Mutex
	known map[User]userEra
}

// userEra is what a server has answered one user.
type userEra struct {
	era mcp.Era
	at  time.Time
}

// detectEraForUser returns the eras that the server speaks towards a user. Other users share only that it speaks the modern era: a
// failure, and an answer that a server of the legacy era would give, may be about this user alone.
func (s *Server) detectEraForUser(ctx context.Context) (mcp.Era, error) {
	p := &s.probed
	p.mu.Lock()
	shared, isFresh := p.era, time.Since(p.at) < probeFor
	p.mu.Unlock()
	if shared != 0 && isFresh {
		return shared, nil
	}
	user := FindUser(ctx).digest()
	before := s.byUser.find(user)
	if before.era != 0 && time.Since(before.at) < probeFor {
		return before.era, nil
	}
	era, err := s.probe(ctx)
	switch {
	case err != nil && before.era != 0:
		return before.era, nil
	case err != nil && shared != 0:
		return shared, nil
	case err != nil:
		return 0, err
	case era&mcp.Modern == 0:
		s.byUser.keep(user, userEra{era, time.Now()})
		return era, nil
	}
	p.mu.Lock()
	p.era, p.at = era, time.Now()
	p.mu.Unlock()
	return era, nil
}

func (u *userProbes) find(user User) userEra {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[user]
}

// keep keeps what a user was answered, if need be instead of the oldest answer.
func (u *userProbes) keep(user User, is userEra) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known == nil {
		u.known = map[User]userEra{}
	}
	if _, known := u.known[user]; !known && len(u.known) >= maxUserProbes {
		var oldest User
		var at time.Time
		for other, e := range u.known {
			if at.IsZero() || e.at.Before(at) {
				oldest, at = other, e.at
			}
		}
		delete(u.known, oldest)
	}
	u.known[user] = is
}
