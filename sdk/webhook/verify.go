package webhook

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// DefaultWindow is how far the clock of a call may be from the receiver's.
const DefaultWindow = 5 * time.Minute

// maxNonces bounds the memory of a Verifier, at about 100 bytes each.
const maxNonces = 1 << 20

// Errors of Verify. None of them tells a caller how near it came.
var (
	ErrHeaders   = errors.New("the headers of a signed call are missing or malformed")
	ErrTime      = errors.New("the call is too old, or from the future")
	ErrSignature = errors.New("the signature is wrong")
	ErrReplayed  = errors.New("the call was received before")
	ErrBusy      = errors.New("the replay window is full")
)

// Verifier checks calls. It may be used by many goroutines.
type Verifier struct {
	// Secrets are those shared with the gateway: one, or while it is replaced
	// the new one and the old.
	Secrets []string
	// Window is how far the clocks may be apart. The default is DefaultWindow.
	Window time.Duration
	// Now is the clock. The default is time.Now.
	Now func() time.Time

	mu     sync.Mutex
	recent map[string]struct{} // nonces since turned
	older  map[string]struct{} // those of the time before
	turned time.Time
}

// Verified is a call that was checked.
type Verified struct {
	timestamp int64
	nonce     string
	secret    string
}

// Sign gives the signature of the reply's body.
func (v *Verified) Sign(body []byte) string {
	return Sign(v.secret, Reply, v.timestamp, v.nonce, body)
}

// Verify checks that a call was signed by the gateway, lately, and is new. The
// body must be the bytes as they were received.
func (v *Verifier) Verify(h http.Header, body []byte) (*Verified, error) {
	return v.verify(h, body, Call)
}

func (v *Verifier) verify(h http.Header, body []byte, d Direction) (*Verified, error) {
	at, err := strconv.ParseInt(h.Get(HeaderTimestamp), 10, 64)
	nonce := h.Get(HeaderNonce)
	if raw, bad := hex.DecodeString(nonce); err != nil || bad != nil || len(raw) != 16 {
		return nil, ErrHeaders
	}
	now, window := time.Now(), v.Window
	if v.Now != nil {
		now = v.Now()
	}
	if window <= 0 {
		window = DefaultWindow
	}
	if d := now.Sub(time.Unix(at, 0)); d > window || d < -window {
		return nil, ErrTime
	}
	secret, ok := v.match(h, at, nonce, body, d)
	if !ok {
		return nil, ErrSignature
	}
	if err := v.recordNonce(nonce, now, window); err != nil {
		return nil, err
	}
	return &Verified{timestamp: at, nonce: nonce, secret: secret}, nil
}

// match finds the secret that one of the signatures was made with.
func (v *Verifier) match(h http.Header, at int64, nonce string, body []byte, d Direction) (string, bool) {
	for _, header := range []string{HeaderSignature, HeaderPrevious} {
		signature := h.Get(header)
		if signature == "" {
			continue
		}
		for _, secret := range v.Secrets {
			if Matches(secret, d, at, nonce, body, signature) {
				return secret, true
			}
		}
	}
	return "", false
}

// recordNonce refuses a nonce that was seen before. A call is acceptable from one
// window before its time to one after, so nonces are kept for two.
func (v *Verifier) recordNonce(nonce string, now time.Time, window time.Duration) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if age := now.Sub(v.turned); v.recent == nil || age >= 2*window {
		v.older, v.recent, v.turned = v.recent, make(map[string]struct{}), now
		if age >= 4*window {
			v.older = nil
		}
	}
	if _, seen := v.recent[nonce]; seen {
		return ErrReplayed
	}
	if _, seen := v.older[nonce]; seen {
		return ErrReplayed
	}
	if len(v.recent)+len(v.older) >= maxNonces {
		return fmt.Errorf("%w: it holds at most %d calls", ErrBusy, maxNonces)
	}
	v.recent[nonce] = struct{}{}
	return nil
}
