package auth

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// bucket holds what may still happen, and fills up with time.
type bucket struct {
	left float64
	at   time.Time
}

func (b *bucket) take(now time.Time, burst, perSecond float64) (ok bool, wait time.Duration) {
	if b.at.IsZero() {
		b.left = burst
	} else if d := now.Sub(b.at).Seconds(); d > 0 { // a clock that steps back gives nothing
		b.left = min(burst, b.left+d*perSecond)
	}
	b.at = now
	if b.left < 1 {
		return false, time.Duration((1 - b.left) / perSecond * float64(time.Second))
	}
	b.left--
	return true, 0
}

// What one address may fail at, and how many failures the audit chain takes of all. An address may guess so often; what
// is no guess, since it shows nothing or is what its issuer has signed, is only told so often.
const (
	failBurst, failPerSecond   = 20, 20.0 / 60
	eventBurst, eventPerSecond = 100, 2
	mostAddresses              = 4096
)

// failures are what one address has failed at.
type failures struct{ guesses, others bucket }

// throttle counts failed attempts by address, so that guessing is slow and cannot fill the audit chain.
type throttle struct {
	mu         sync.Mutex
	addresses  map[string]*failures
	events     bucket
	unreported int // failures since the last one that was told
}

func newThrottle() *throttle { return &throttle{addresses: map[string]*failures{}} }

// waitFor reports how long an address has to wait, and counts the attempt; 0: not at all.
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

// recordFailure counts a failure. guess: a credential was shown that may be somebody's attempt to find one. tell: it goes into the audit chain, with the number of those before it that did not.
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

// allowGuess takes one guess at what is tried slowly, before it is known whether it fits: many guesses at a time are no more
// than one after the other. It reports how long to wait when there is none left. back gives it back.
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

// refund gives a guess back that was none.
func (t *throttle) refund(of string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.addresses[of]; f != nil {
		f.guesses.left = min(failBurst, f.guesses.left+1)
	}
}

// allowReport reports whether a guess that was taken goes into the audit chain, with the number of those before it that did not.
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

// forget makes room: addresses that have nothing against them any more go, and when that is not enough, all.
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

// addressOf is what a remote address, host:port, is counted under: an IPv4 address, or the network of an IPv6 one,
// since one customer has all of its 2^64 addresses.
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
