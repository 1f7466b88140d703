package auth

import (
	"hash/maphash"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// wrongKeys multiplies the limit of failures for wrong gateway keys from one address: 300 at once, then 5 a second. Keys are
// random, so even that finds none; and many clients behind one address with a key that was just revoked must still learn that
// it is wrong, not that they should wait.
const wrongKeys = 15

// Authenticator authenticates clients of the data plane, and slows addresses that guess. Keys that have worked from an address in this
// process work on while somebody guesses there: a neighbour behind the same address must not pay for it. Safe for concurrent use.
type Authenticator struct {
	// Proxies are trusted to name the address of a client.
	Proxies Proxies
	// Refused is called for each wrong key. slowed means that its address must wait, and that the key was not looked at
	// unless it had worked from there. Optional.
	Refused func(slowed bool)

	throttle *throttle
	seed     maphash.Seed
}

// NewAuthenticator returns an authenticator without failures.
func NewAuthenticator(p Proxies, refused func(slowed bool)) *Authenticator {
	return &Authenticator{Proxies: p, Refused: refused, throttle: newThrottle(), seed: maphash.MakeSeed()}
}

// Authenticate returns the principal of a request by its key. A wrong key is a 401; too many from one address are a 429, as is
// then every key that has not worked from there before.
func (d *Authenticator) Authenticate(k *Keys, r *http.Request, now time.Time) (*core.Principal, *core.Error) {
	p, at, err := k.authenticate(r.Header, now)
	if err == nil && at.knows(d.hashHome(r)) {
		return p, nil
	}
	name := cutAddress(d.Proxies.FindClientAddress(r))
	if err == nil {
		if wait := d.throttle.countAttempt(name, wrongKeys, now); wait > 0 {
			return nil, d.slowDown(wait)
		}
		at.addHome(d.hashHome(r))
		return p, nil
	}
	if ReadCredential(r.Header) == "" { // nothing is guessed without a key
		return nil, err
	}
	if wait := d.throttle.allowGuess(name, wrongKeys, now); wait > 0 {
		return nil, d.slowDown(wait)
	}
	if d.Refused != nil {
		d.Refused(false)
	}
	return nil, err
}

func (d *Authenticator) slowDown(wait time.Duration) *core.Error {
	if d.Refused != nil {
		d.Refused(true)
	}
	return &core.Error{
		Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: wait,
		Public: "too many requests with wrong gateway keys came from this address; wait, and look at the key",
	}
}

// hashHome returns the hash of the host from which a request came, never 0.
func (d *Authenticator) hashHome(r *http.Request) uint64 {
	at := r.RemoteAddr
	if len(d.Proxies) > 0 {
		at = d.Proxies.FindClientAddress(r)
	}
	for i := len(at) - 1; i >= 0; i-- { // without the port, whose digits change with each connection
		if at[i] == ':' {
			at = at[:i]
			break
		}
	}
	return maphash.String(d.seed, at) | 1
}

// knows reports whether the key has worked from a home.
func (m *principals) knows(home uint64) bool {
	for i := range m.homes {
		if m.homes[i].Load() == home {
			return true
		}
	}
	return false
}

// addHome adds a home, replacing another if there are many: the replaced one matters only during an attack on the key
// from it.
func (m *principals) addHome(home uint64) {
	for i := range m.homes {
		if m.homes[i].CompareAndSwap(0, home) {
			return
		}
	}
	m.homes[home>>1%uint64(len(m.homes))].Store(home)
}
