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

// Verifier checks tokens of the identity provider.
type Verifier interface {
	// Verify gives who a token is about. A refusal that its holder should read is a core.Error, one that only the audit
	// chain is told is a Refusal.
	Verify(ctx context.Context, token string) (*Actor, error)
}

// Witness hears of attempts to administer, for the audit chain.
type Witness interface {
	// Succeeded hears of a credential that works: of each one once an hour, so that automation does not fill the chain.
	// On an error the attempt is refused: nothing may go unrecorded.
	Succeeded(ctx context.Context, a *Actor, address string) error
	// Failed hears of a refused attempt, and how many before it were not told, since there were too many.
	Failed(ctx context.Context, f Failure) error
}

// Failure is a refused attempt. It holds nothing of the credential but what may be shown.
type Failure struct {
	Reason     string // what was wrong: for the audit chain, never for the client
	Prefix     string // the leading characters of a personal access token; "": it was none
	Actor      string // whose credential it was, where that is known
	Address    string // where it came from, as it is counted
	Unreported int
}

// AdminOptions are what Admin works with. Store and Witness are needed.
type AdminOptions struct {
	Store   *store.DB
	JWT     Verifier // nil: there is no identity provider, and its tokens are refused
	Witness Witness
	// Unchecked lifts the table of permissions: any valid credential will do.
	Unchecked bool
	// Entry says by what people sign in to the console: a session that began by another one has ended.
	Entry string
	// Life is how long a session lasts at most; 0: SessionLife.
	Life time.Duration
	// Report hears of what failed beside a request. May be nil.
	Report func(error)
	// Now is the clock; nil: the system's.
	Now func() time.Time
}

const (
	// usedEvery is how often the last use of a token is written.
	usedEvery = time.Minute
	// successEvery is how often a credential that works is told.
	successEvery = time.Hour
	mostKnown    = 10_000
	// maxCredential is the longest credential that is looked at, in bytes. Real JWTs have 1 to 4 KiB.
	maxCredential = 16 << 10
)

// Admin authenticates those who administer. Personal access tokens are looked up in the store each time, so that what
// is revoked, expired or disabled ends with the next request, on every node.
type Admin struct {
	AdminOptions
	throttle *throttle
	known    *recent[[sha256.Size]byte] // credentials that worked: no flood of failures from the same address locks them out
	told     *recent[string]            // actors whose success is in the audit chain
	used     *recent[string]            // tokens whose use is written
	writing  sync.WaitGroup
	signing  chan struct{} // one for each password that is looked at
}

// NewAdmin makes the authenticator. Close it before the store.
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
		AdminOptions: o, throttle: newThrottle(), signing: make(chan struct{}, mostSigningIn),
		known: newRecent[[sha256.Size]byte](successEvery, mostKnown), told: newRecent[string](successEvery, mostKnown),
		used: newRecent[string](usedEvery, mostKnown),
	}
}

// Close waits for what is being written.
func (a *Admin) Close() { a.writing.Wait() }

type addressKey struct{}

// WithAddress notes where a request came from, host:port, for Authenticate.
func WithAddress(ctx context.Context, remote string) context.Context {
	return context.WithValue(ctx, addressKey{}, remote)
}

// Refusal is why a credential is not valid. It goes into the audit chain; clients read the same sentence each time. The
// reason holds nothing that came with the credential.
type Refusal struct {
	Reason string
	Actor  string // whose credential it was, where that is known
}

func (r *Refusal) Error() string { return r.Reason }

// unauthorized is every refusal of a credential that is not valid: it must not tell which exist.
func unauthorized(cause error) *core.Error {
	return &core.Error{
		Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Err: cause,
		Public: "send a valid personal access token (" + PATPrefix + "…), or where an identity provider is set up its JWT, as a bearer token in the Authorization header",
	}
}

// Authenticate finds who administers by a request's header. Refusals are 401 and all alike; too many from one address
// are 429. It takes personal access tokens always, and JWTs where there is an identity provider.
func (a *Admin) Authenticate(ctx context.Context, h http.Header) (*Actor, error) {
	remote, _ := ctx.Value(addressKey{}).(string)
	address, now := addressOf(remote), a.Now()
	token := bearerToken(h)
	sum := sha256.Sum256([]byte(token))
	if !a.known.has(sum, now) {
		if wait := a.throttle.waitFor(address, now); wait > 0 {
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
		if err := a.Witness.Succeeded(ctx, who, address); err != nil {
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
	return a.findUser(ctx, who)
}

// refuse counts a failure, has it told, and gives what the client reads. A fault of ours is none of the client's.
func (a *Admin) refuse(ctx context.Context, err error, token string, sum [sha256.Size]byte, address string, now time.Time) error {
	var public *core.Error
	if errors.As(err, &public) && public.HTTPStatus() >= http.StatusInternalServerError {
		return public
	}
	a.known.drop(sum)
	// Who shows nothing guesses nothing, and a refusal that its holder reads is about a credential that is in order.
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
			f.Prefix = VisiblePATPrefix(token)
		}
		if err := a.Witness.Failed(ctx, f); err != nil {
			a.Report(err) // the attempt is refused anyway
		}
	}
	if public != nil {
		return public
	}
	return unauthorized(err)
}

// bearerToken is the bearer token of a request: one Authorization header, or none counts. Unlike a gateway key it is read
// from no other header.
func bearerToken(h http.Header) string {
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
