package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// SignInActor starts a session for an actor of an identity provider and stores its roles and tenant. newcomer creates a
// user for actors without one and returns its id. Refusals are reported to the audit log.
func (a *Admin) SignInActor(
	ctx context.Context, who *Actor, newcomer func(context.Context, *Actor) (id string, err error),
) (*Session, error) {
	s, err := a.startActorSession(ctx, who, newcomer)
	if err != nil {
		return nil, a.Refuse(ctx, err)
	}
	return s, nil
}

func (a *Admin) startActorSession(
	ctx context.Context, who *Actor, newcomer func(context.Context, *Actor) (string, error),
) (*Session, error) {
	u, err := a.Store.Users().GetBySubject(ctx, who.Subject)
	if errors.Is(err, store.ErrNotFound) {
		id, err := newcomer(ctx, who)
		if err != nil {
			return nil, err
		}
		if u, err = a.Store.Users().Get(ctx, id); err != nil {
			return nil, newStoreUnavailableError(err)
		}
		return a.StartSession(ctx, &u)
	}
	if err != nil {
		return nil, newStoreUnavailableError(err)
	}
	if u.Status != store.UserActive {
		return nil, &Refusal{"a user who is disabled", "user:" + u.ID}
	}
	roles := ListRoleNames(who.Roles)
	newer := who.IssuedAt.After(u.RolesAt)
	switch {
	case !slices.Equal(roles, u.Roles) || who.Tenant != u.TenantID:
		u, err = a.Store.Users().Change(ctx, u.ID, func(u *store.User) error {
			u.Roles, u.TenantID = roles, who.Tenant
			if newer { // a token that was issued before must not restore the roles
				u.RolesAt = who.IssuedAt
			}
			return nil
		})
	case newer:
		err = a.Store.Users().ConfirmRoles(ctx, u.ID, who.IssuedAt)
	}
	switch {
	case errors.Is(err, store.ErrLastOwner):
		return nil, newEntryDeniedError(
			"you are the last owner here, and your identity provider does not say so any more; give the role to somebody else there, or make another owner with headgate users create",
		)
	case errors.Is(err, store.ErrNotFound):
		return nil, newEntryDeniedError("your identity provider names a tenant that does not exist here")
	case err != nil:
		return nil, newStoreUnavailableError(err)
	}
	return a.StartSession(ctx, &u)
}

func newEntryDeniedError(public string) error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: public}
}

// Refuse reports a refused answer of an identity provider to the audit log and returns the error for the browser, which does
// not learn the reason. Internal errors are returned as such.
func (a *Admin) Refuse(ctx context.Context, err error) error {
	var public *core.Error
	if errors.As(err, &public) && public.HTTPStatus() >= http.StatusInternalServerError {
		return public
	}
	remote, _ := ctx.Value(addressKey{}).(string)
	address := cutAddress(remote)
	if tell, unreported := a.throttle.recordFailure(address, false, a.Now()); tell {
		f := Failure{Reason: "an answer of the identity provider that is not valid", Address: address, Unreported: unreported}
		var r *Refusal
		switch {
		case errors.As(err, &r):
			f.Reason, f.Actor = r.Reason, r.Actor
		case public != nil:
			f.Reason = public.Public
		}
		if err := a.Recorder.RecordFailure(ctx, f); err != nil {
			a.Report(err) // the attempt is refused in any case
		}
	}
	if public != nil {
		return public
	}
	return &core.Error{
		Kind:   core.Unauthenticated,
		Code:   core.CodeUnauthorized,
		Err:    err,
		Public: "The answer of the identity provider was not accepted. Start again; if that does not help, ask an owner: the audit log contains the reason.",
	}
}

// MarkUsed marks a one-time value, such as the id of an assertion, as used. It returns a Refusal if it was used before.
func (a *Admin) MarkUsed(ctx context.Context, what string, until time.Time) error {
	err := a.Store.Sessions().ConsumeToken(ctx, sha256.Sum256([]byte("headgate spent\x00"+what)), until)
	if errors.Is(err, store.ErrExists) {
		return &Refusal{Reason: "an answer of the identity provider that was used before"}
	}
	if err != nil {
		return newStoreUnavailableError(err)
	}
	return nil
}
