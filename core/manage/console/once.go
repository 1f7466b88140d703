package console

import (
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// sentForms remembers the nonces of forms, so that reloading a page or pressing a button twice does not create a second
// secret. The zero value is ready for use.
type sentForms struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

const (
	sentFormLife = time.Hour
	maxSentForms = 10_000
)

// markSent records the nonce of a form, and reports whether it is new.
func (u *sentForms) markSent(session, nonce string, now time.Time) bool {
	if nonce == "" || len(nonce) > 64 {
		return true // not a form of the console
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen == nil {
		u.seen = map[string]time.Time{}
	}
	key := session + " " + nonce
	if at, ok := u.seen[key]; ok && now.Sub(at) < sentFormLife {
		return false
	}
	if len(u.seen) >= maxSentForms {
		for k, at := range u.seen {
			if now.Sub(at) >= sentFormLife {
				delete(u.seen, k)
			}
		}
		if len(u.seen) >= maxSentForms {
			clear(u.seen)
		}
	}
	u.seen[key] = now
	return true
}

// claimForm refuses a form that was already sent.
func (r *request) claimForm(f *Form) error {
	if r.c.forms.markSent(r.session.Actor.ID, f.Values.Get("once"), r.c.Now()) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Status: 409,
		Public: "This form was already sent, and its result was shown once. Reload the page to create another one.",
	}
}
