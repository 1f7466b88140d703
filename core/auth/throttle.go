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
	// wide multiplies the limit of a user at one address for all users of an address and for all addresses of a user.
	wide = 5
	// maxAddresses bounds the table of failures to some 3 MiB.
	maxAddresses = 16_384
)

// failures are the failed attempts of one address.
type failures struct{ guesses, others bucket }

// throttle counts failed attempts by address, so that guessing is slow and cannot fill the audit log.
type throttle struct {
	mu         sync.Mutex
	addresses  *oldest[string, *failures]
	events     bucket
	unreported int // failures since the last reported one
}

func newThrottle() *throttle {
	return &throttle{addresses: newOldest[string, *failures](maxAddresses)}
}

// countAttempt returns how long an address must wait, 0 if it need not, and counts the attempt. times multiplies the
// limit.
func (t *throttle) countAttempt(address string, times float64, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.addresses.get(address)
	if !ok {
		return 0
	}
	probe := f.guesses
	_, wait := probe.take(now, times*failBurst, times*failPerSecond)
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
	f := t.touchFailures(address)
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
// returns how long to wait if none is left. times multiplies the limit. refund returns the guess.
func (t *throttle) allowGuess(of string, times float64, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.touchFailures(of)
	ok, wait := f.guesses.take(now, times*failBurst, times*failPerSecond)
	if !ok {
		t.unreported++
	}
	return wait
}

// refund returns a guess that was right.
func (t *throttle) refund(of string, times float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, ok := t.addresses.get(of); ok {
		f.guesses.left = min(times*failBurst, f.guesses.left+1)
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

// touchFailures returns the failures counted under a name, which is the newest from now on. In a full table it replaces
// the one that was used longest ago: whoever fills the table with names loses their own first.
func (t *throttle) touchFailures(name string) *failures {
	f, ok := t.addresses.get(name)
	if !ok {
		f = new(failures)
	}
	t.addresses.put(name, f)
	return f
}

// cutAddress returns the key under which a remote address, host:port, is counted: an IPv4 address, or the /64 network of an
// IPv6 address, because one customer has all of its 2^64 addresses.
func cutAddress(remote string) string {
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
