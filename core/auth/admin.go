package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Verifier verifies tokens of the identity provider.
type Verifier interface {
	// Verify returns the actor of a token. An error for its holder is a core.Error; one only for the audit log is a Refusal.
	Verify(ctx context.Context, token string) (*Actor, error)
}

// AttemptRecorder records attempts to administer in the audit log.
type AttemptRecorder interface {
	// RecordSuccess is called at most once per hour for each credential that works, so that automation does not fill the log. If
	// it fails, the attempt is refused: nothing may go unrecorded.
	RecordSuccess(ctx context.Context, a *Actor, address string) error
	// RecordFailure is called for a refused attempt, with the number of earlier ones that were too many to report.
	RecordFailure(ctx context.Context, f Failure) error
}

// Failure is a refused attempt. It contains only the public part of the credential.
type Failure struct {
	Reason     string // the reason, for the audit log, never for the client
	Prefix     string // the first characters of a personal access token; "" for other credentials
	Actor      string // the owner of the credential, if known
	Address    string // the address as the throttle counts it
	Unreported int
}

// AdminOptions contains the dependencies of Admin. Store and Witness are required.
type AdminOptions struct {
	Store    *store.DB
	JWT      Verifier // nil without an identity provider: tokens are refused
	Recorder AttemptRecorder
	// Unchecked disables permission checks: any valid credential may do everything. Tenants remain separate.
	Unchecked bool
	// Entry names the method of signing in to the console. Sessions that began with another method end.
	Entry string
	// Life is the maximum life of a session. 0 selects SessionLife.
	Life time.Duration
	// Report is called with errors that do not affect the answer. Optional.
	Report func(error)
	// Now is the clock. The default is that of the system.
	Now func() time.Time
}

const (
	// usedEvery is how often the last use of a token is stored.
	usedEvery = time.Minute
	// successEvery is how often a working credential is reported.
	successEvery = time.Hour
	maxKnown     = 10_000
	// homeFor is how long the address of a sign-in is one that strangers cannot lock the user out of.
	homeFor = 30 * 24 * time.Hour
	// maxCredential is the maximum length of a credential in bytes. Real JWTs have 1 to 4 KiB.
	maxCredential = 16 << 10
)

// Admin authenticates administrators. It reads personal access tokens from the store each time, so that revocation, expiry
// and disabling take effect with the next request on every node.
type Admin struct {
	AdminOptions
	throttle *throttle
	known    *recent[[sha256.Size]byte] // credentials that worked; failures from the same address do not lock them out
	told     *recent[string]            // actors whose success is in the audit log
	used     *recent[string]            // tokens whose use is stored
	homes    *recent[string]            // users with addresses from which they signed in
	writing  sync.WaitGroup
	signing  chan struct{} // one slot per password check in progress
}

// NewAdmin returns an authenticator. Close it before the store.
func NewAdmin(o AdminOptions) *Admin {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Life == 0 {
		o.Life = SessionLife
	}
	return &Admin{
		AdminOptions: o, throttle: newThrottle(), signing: make(chan struct{}, maxSigningIn),
		known: newRecent[[sha256.Size]byte](successEvery, maxKnown), told: newRecent[string](successEvery, maxKnown),
		used: newRecent[string](usedEvery, maxKnown), homes: newRecent[string](homeFor, maxKnown),
	}
}

// Close waits for pending writes.
func (a *Admin) Close() { a.writing.Wait() }

type addressKey struct{}

// WithAddress stores the remote address of a request, host:port, for Authenticate.
func WithAddress(ctx context.Context, remote string) context.Context {
	return context.WithValue(ctx, addressKey{}, remote)
}

// Refusal is the reason why a credential is invalid, for the audit log. Clients always read the same sentence. The reason
// contains nothing from the credential.
type Refusal struct {
	Reason string
	Actor  string // the owner of the credential, if known
}

func (r *Refusal) Error() string { return r.Reason }

// newUnauthorized returns the error for every invalid credential. It must not reveal which credentials exist.
func newUnauthorized(cause error) *core.Error {
	return &core.Error{
		Kind:   core.Unauthenticated,
		Code:   core.CodeUnauthorized,
		Err:    cause,
		Public: "send a valid personal access token (" + PATPrefix + "…), or where an identity provider is set up its JWT, as a bearer token in the Authorization header",
	}
}

// Authenticate returns the administrator of a request from its headers. All refusals are the same 401; too many from one
// address get 429. It accepts personal access tokens, and JWTs if there is an identity provider.
func (a *Admin) Authenticate(ctx context.Context, h http.Header) (*Actor, error) {
	remote, _ := ctx.Value(addressKey{}).(string)
	address, now := cutAddress(remote), a.Now()
	token := readBearerToken(h)
	sum := sha256.Sum256([]byte(token))
	if !a.known.has(sum, now) {
		if wait := a.throttle.countAttempt(address, 1, now); wait > 0 {
			return nil, &core.Error{
				Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: wait,
				Public: "too many attempts with credentials that are not valid came from this address; wait, and look at the credential",
			}
		}
	}
	who, err := a.findActor(ctx, token, sum, now)
	if err != nil {
		return nil, a.refuse(ctx, err, token, sum, address, now)
	}
	if a.told.add(who.ID, now) {
		if err := a.Recorder.RecordSuccess(ctx, who, address); err != nil {
			a.told.drop(who.ID)
			return nil, &core.Error{
				Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err,
				Public: "the audit log cannot take the record of this sign-in now; try again",
			}
		}
	}
	a.known.add(sum, now)
	return who, nil
}

func (a *Admin) findActor(ctx context.Context, token string, sum [sha256.Size]byte, now time.Time) (*Actor, error) {
	switch {
	case token == "":
		return nil, &Refusal{Reason: "no bearer token"}
	case len(token) > maxCredential:
		return nil, &Refusal{Reason: "the token is too long"}
	case strings.HasPrefix(token, PATPrefix):
		return a.findPAT(ctx, sum, now)
	case strings.HasPrefix(token, KeyPrefix):
		return nil, &Refusal{Reason: "a gateway key"}
	case a.JWT == nil:
		return nil, &Refusal{Reason: "no personal access token, and there is no identity provider"}
	}
	who, err := a.JWT.Verify(ctx, token)
	if err != nil {
		return nil, err
	}
	return a.attachUser(ctx, who)
}

// refuse counts and reports a failure and returns the error for the client. Internal errors do not count against the client.
func (a *Admin) refuse(ctx context.Context, err error, token string, sum [sha256.Size]byte, address string, now time.Time) error {
	var public *core.Error
	if errors.As(err, &public) && public.HTTPStatus() >= http.StatusInternalServerError {
		return public
	}
	a.known.drop(sum)
	// A request without a credential guesses nothing, and an error for the holder concerns a valid credential.
	guess := token != "" && public == nil
	if tell, unreported := a.throttle.recordFailure(address, guess, now); tell {
		f := Failure{Reason: "a JWT that is not valid", Address: address, Unreported: unreported}
		var r *Refusal
		switch {
		case errors.As(err, &r):
			f.Reason, f.Actor = r.Reason, r.Actor
		case public != nil:
			f.Reason = public.Public
		}
		if strings.HasPrefix(token, PATPrefix) {
			f.Prefix = CutVisiblePATPrefix(token)
		}
		if err := a.Recorder.RecordFailure(ctx, f); err != nil {
			a.Report(err) // the attempt is refused in any case
		}
	}
	if public != nil {
		return public
	}
	return newUnauthorized(err)
}

// readBearerToken returns the bearer token of a request with exactly one Authorization header. Unlike gateway keys it is read
// from no other header.
func readBearerToken(h http.Header) string {
	v := h["Authorization"]
	if len(v) != 1 {
		return ""
	}
	scheme, token, ok := strings.Cut(v[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
