package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The life of a session: unused, and at most.
const (
	SessionIdle = 12 * time.Hour
	SessionLife = 7 * 24 * time.Hour
	// EntryLife is the maximum life of sessions of an identity provider's users, who may have been removed there.
	EntryLife = 12 * time.Hour
)

// sessionLength is the length of a session id from newSecret.
const sessionLength = 43

// touchEvery is how often the last use of a session is stored.
const touchEvery = time.Minute

// Session is a session at the console.
type Session struct {
	ID        string // the secret in the browser's cookie
	Actor     *Actor
	CreatedAt time.Time
	ExpiresAt time.Time // when it ends without further use
	// MustChange is true while the user has a password that somebody else chose.
	MustChange bool
}

// maxSigningIn limits the sign-ins that wait for password hashing.
const maxSigningIn = 32

// SignIn checks an e-mail address and a password and starts a session. All refusals are the same 401; too many for one
// address or one user get 429.
func (a *Admin) SignIn(ctx context.Context, email, password string) (*Session, error) {
	u, err := a.checkLogin(ctx, strings.ToLower(strings.TrimSpace(email)), password)
	if err != nil {
		return nil, err
	}
	return a.StartSession(ctx, u)
}

// CheckOwnPassword returns nil if the password is that of the signed-in user, else an error for the user.
func (a *Admin) CheckOwnPassword(ctx context.Context, who *Actor, password string) error {
	_, err := a.checkLogin(ctx, who.Email, password)
	return err
}

// checkLogin returns the user with an e-mail address and a password.
func (a *Admin) checkLogin(ctx context.Context, email, password string) (*store.User, error) {
	remote, _ := ctx.Value(addressKey{}).(string)
	address, now := cutAddress(remote), a.Now()
	limits := a.listSignInLimits(email, address, now)
	for i, l := range limits {
		if wait := a.throttle.allowGuess(l.name, l.times, now); wait > 0 {
			a.refund(limits[:i])
			return nil, newSignInLimitError(wait)
		}
	}
	select {
	case a.signing <- struct{}{}:
		defer func() { <-a.signing }()
	default:
		return nil, newSignInLimitError(time.Second)
	}
	u, err := a.Store.Users().GetByEmail(ctx, email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, newStoreUnavailableError(err)
	}
	if wrong := CheckPassword(password, u.Password); err != nil || wrong != nil || u.Status != store.UserActive {
		return nil, a.refuseSignIn(ctx, &u, wrong == nil, address, now)
	}
	a.refund(limits)
	a.homes.drop(email + "\x00" + address) // add starts its time again
	a.homes.add(email+"\x00"+address, now)
	return &u, nil
}

// signInLimit is a name under which attempts to sign in are counted, and the multiple of the limit that it may reach.
type signInLimit struct {
	name  string
	times float64
}

// listSignInLimits returns the limits of a user at an address. Whoever guesses locks out that user at their own
// address, and no other user there before the wider limit of the address. Guessing from many addresses is limited by
// user, except for the addresses from which the user has signed in: strangers cannot lock the user out of them.
func (a *Admin) listSignInLimits(email, address string, now time.Time) []signInLimit {
	limits := []signInLimit{{"user " + email + " at " + address, 1}, {"sign-in at " + address, wide}}
	if !a.homes.has(email+"\x00"+address, now) {
		limits = append(limits, signInLimit{"user " + email, wide})
	}
	return limits
}

func (a *Admin) refund(limits []signInLimit) {
	for _, l := range limits {
		a.throttle.refund(l.name, l.times)
	}
}

func newSignInLimitError(wait time.Duration) *core.Error {
	return &core.Error{
		Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: wait,
		Public: "too many attempts to sign in have failed; wait a minute, then try again",
	}
}

// refuseSignIn reports a failure.
func (a *Admin) refuseSignIn(ctx context.Context, u *store.User, right bool, address string, now time.Time) error {
	f := Failure{Reason: "a wrong e-mail address or password", Address: address}
	if u.ID != "" {
		f.Actor = "user:" + u.ID
	}
	if right {
		f.Reason = "a user who is disabled"
	}
	tell, unreported := a.throttle.allowReport(now)
	if tell {
		f.Unreported = unreported
		if err := a.Recorder.RecordFailure(ctx, f); err != nil {
			a.Report(err) // the attempt is refused in any case
		}
	}
	return &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "The e-mail address or the password is wrong."}
}

// StartSession starts a session of an authenticated user.
func (a *Admin) StartSession(ctx context.Context, u *store.User) (*Session, error) {
	remote, _ := ctx.Value(addressKey{}).(string)
	now := a.Now()
	s := &Session{
		ID: newSecret(), Actor: a.newActor(u), CreatedAt: now, ExpiresAt: now.Add(min(SessionIdle, a.Life)), MustChange: u.MustChange,
	}
	if err := a.Recorder.RecordSuccess(ctx, s.Actor, cutAddress(remote)); err != nil {
		return nil, &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, Err: err,
			Public: "the audit log cannot take the record of this sign-in now; try again",
		}
	}
	err := a.Store.Sessions().Insert(
		ctx,
		store.Session{Hash: a.hashSession(s.ID), UserID: u.ID, CreatedAt: now, SeenAt: now, ExpiresAt: s.ExpiresAt},
	)
	if err == nil {
		err = a.Store.Users().RecordSignIn(ctx, u.ID)
	}
	if err != nil {
		return nil, newStoreUnavailableError(err)
	}
	return s, nil
}

// OpenSession returns the active session of a browser's id, or nil. The roles are the user's current ones. The last use is
// stored once a minute, which keeps the session alive.
func (a *Admin) OpenSession(ctx context.Context, id string) (*Session, error) {
	if len(id) != sessionLength {
		return nil, nil
	}
	now, hash := a.Now(), a.hashSession(id)
	kept, u, err := a.Store.Sessions().Get(ctx, hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, newStoreUnavailableError(err)
	case now.Sub(kept.CreatedAt) >= a.Life:
		return nil, nil
	}
	s := &Session{ID: id, Actor: a.newActor(&u), CreatedAt: kept.CreatedAt, ExpiresAt: kept.ExpiresAt, MustChange: u.MustChange}
	if now.Sub(kept.SeenAt) >= touchEvery {
		s.ExpiresAt = now.Add(SessionIdle)
		if last := kept.CreatedAt.Add(a.Life); s.ExpiresAt.After(last) {
			s.ExpiresAt = last
		}
		if err := a.Store.Sessions().Touch(ctx, hash, now, s.ExpiresAt); err != nil {
			a.Report(err) // the session ends earlier
		}
	}
	return s, nil
}

// SignOut ends a session.
func (a *Admin) SignOut(ctx context.Context, id string) error {
	return a.Store.Sessions().Delete(ctx, a.hashSession(id))
}

// SignOutElsewhere ends all sessions of a user except one; "" ends all.
func (a *Admin) SignOutElsewhere(ctx context.Context, userID, but string) error {
	var spare [sha256.Size]byte
	if but != "" {
		spare = a.hashSession(but)
	}
	return a.Store.Sessions().DeleteByUser(ctx, userID, spare)
}

// newActor returns the actor for a user at the console.
func (a *Admin) newActor(u *store.User) *Actor {
	return &Actor{
		ID: "user:" + u.ID, UserID: u.ID, Name: u.Name, Roles: FilterKnownRoles(u.Roles), Tenant: u.TenantID, Subject: u.Subject, Email: u.Email,
		Via: ViaSession, Unchecked: a.Unchecked,
	}
}

// hashSession returns the stored hash of a session id. It differs by method of signing in.
func (a *Admin) hashSession(id string) [sha256.Size]byte {
	return sha256.Sum256([]byte("headgate session\x00" + a.Entry + "\x00" + id))
}

// CheckCode compares typed text with a code. It returns 0 if they match, else how long to wait before the next attempt,
// at least 1 ns. The empty code matches everything.
func (a *Admin) CheckCode(remote, code, typed string) time.Duration {
	if code == "" {
		return 0
	}
	address, now := cutAddress(remote), a.Now()
	if wait := a.throttle.countAttempt(address, 1, now); wait > 0 {
		return max(wait, 2*time.Second)
	}
	x, y := sha256.Sum256([]byte(code)), sha256.Sum256([]byte(typed))
	if subtle.ConstantTimeCompare(x[:], y[:]) == 1 {
		return 0
	}
	a.throttle.recordFailure(address, true, now)
	return time.Nanosecond
}
