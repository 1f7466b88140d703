package auth

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// bucket is a token bucket that refills over time.
type bucket struct {
	left float64
	at   time.Time
}

func (b *bucket) take(now time.Time, burst, perSecond float64) (ok bool, wait time.Duration) {
	if b.at.IsZero() {
		b.left = burst
	} else if d := now.Sub(b.at).Seconds(); d > 0 { // a clock that steps back refills nothing
		b.left = min(burst, b.left+d*perSecond)
	}
	b.at = now
	if b.left < 1 {
		return false, time.Duration((1 - b.left) / perSecond * float64(time.Second))
	}
	b.left--
	return true, 0
}

// The limits of failures per address and of reported failures in total. Guesses are limited; other failures, without a
// credential or with one that its issuer signed, are only reported less often.
const (
	failBurst, failPerSecond   = 20, 20.0 / 60
	eventBurst, eventPerSecond = 100, 2
	mostAddresses              = 4096
)

// failures are the failed attempts of one address.
type failures struct{ guesses, others bucket }

// throttle counts failed attempts by address, so that guessing is slow and cannot fill the audit log.
type throttle struct {
	mu         sync.Mutex
	addresses  map[string]*failures
	events     bucket
	unreported int // failures since the last reported one
}

func newThrottle() *throttle { return &throttle{addresses: map[string]*failures{}} }

// waitFor returns how long an address must wait, 0 if it need not, and counts the attempt.
func (t *throttle) waitFor(address string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.addresses[address]
	if !ok {
		return 0
	}
	probe := f.guesses
	_, wait := probe.take(now, failBurst, failPerSecond)
	if wait > 0 {
		t.unreported++
	}
	return wait
}

// recordFailure counts a failure. guess means that a credential was shown that may be an attempt to find one. It reports
// whether to write an audit event and the number of earlier failures without one.
func (t *throttle) recordFailure(address string, guess bool, now time.Time) (tell bool, unreported int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.addresses[address]
	if f == nil {
		if len(t.addresses) >= mostAddresses {
			t.forget(now)
		}
		f = new(failures)
		t.addresses[address] = f
	}
	b := &f.others
	if guess {
		b = &f.guesses
	}
	own, _ := b.take(now, failBurst, failPerSecond)
	if !own {
		t.unreported++
		return false, 0
	}
	if all, _ := t.events.take(now, eventBurst, eventPerSecond); !all {
		t.unreported++
		return false, 0
	}
	unreported, t.unreported = t.unreported, 0
	return true, unreported
}

// allowGuess counts a guess before the result is known, so that concurrent guesses are no faster than sequential ones. It
// returns how long to wait if none is left. refund returns the guess.
func (t *throttle) allowGuess(of string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.addresses[of]
	if f == nil {
		if len(t.addresses) >= mostAddresses {
			t.forget(now)
		}
		f = new(failures)
		t.addresses[of] = f
	}
	ok, wait := f.guesses.take(now, failBurst, failPerSecond)
	if !ok {
		t.unreported++
	}
	return wait
}

// refund returns a guess that was right.
func (t *throttle) refund(of string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.addresses[of]; f != nil {
		f.guesses.left = min(failBurst, f.guesses.left+1)
	}
}

// allowReport reports whether to write an audit event for a counted guess, and the number of earlier ones without one.
func (t *throttle) allowReport(now time.Time) (tell bool, unreported int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if all, _ := t.events.take(now, eventBurst, eventPerSecond); !all {
		t.unreported++
		return false, 0
	}
	unreported, t.unreported = t.unreported, 0
	return true, unreported
}

// forget makes room: it removes addresses without recent failures and, if that is not enough, all.
func (t *throttle) forget(now time.Time) {
	for a, f := range t.addresses {
		last := f.guesses.at
		if f.others.at.After(last) {
			last = f.others.at
		}
		if now.Sub(last).Seconds()*failPerSecond >= failBurst {
			delete(t.addresses, a)
		}
	}
	if len(t.addresses) >= mostAddresses {
		clear(t.addresses)
	}
}

// addressOf returns the key under which a remote address, host:port, is counted: an IPv4 address, or the /64 network of an
// IPv6 address, because one customer has all of its 2^64 addresses.
func addressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, err := a.Prefix(64)
		if err == nil {
			return p.String()
		}
	}
	return a.String()
}
