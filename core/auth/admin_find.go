package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// findPAT finds the actor of a personal access token. What it may do is what its user was when it was made and still is.
func (a *Admin) findPAT(ctx context.Context, sum [sha256.Size]byte, now time.Time) (*Actor, error) {
	p, u, err := a.Store.PATs().GetByHash(ctx, sum)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &Refusal{Reason: "unknown token"}
	}
	if err != nil {
		return nil, storeUnavailable(err)
	}
	id := "pat:" + p.ID
	switch {
	case subtle.ConstantTimeCompare(p.Hash[:], sum[:]) != 1:
		return nil, &Refusal{Reason: "unknown token"}
	case !p.RevokedAt.IsZero():
		return nil, &Refusal{"revoked token", id}
	case !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt):
		return nil, &Refusal{"expired token", id}
	case u.Status != store.UserActive:
		return nil, &Refusal{"token of a disabled user", id}
	case p.TenantID != u.TenantID:
		return nil, &Refusal{"token of a user who has left the tenant", id}
	}
	if now.Sub(p.UsedAt) >= usedEvery && a.used.add(p.ID, now) {
		ctx := context.WithoutCancel(ctx)
		a.writing.Go(func() {
			if err := a.Store.PATs().RecordUse(ctx, p.ID, now); err != nil {
				a.Report(err)
			}
		})
	}
	roles := slices.DeleteFunc(KnownRoles(p.Roles), func(r Role) bool { return !slices.Contains(u.Roles, string(r)) })
	return &Actor{ID: id, UserID: u.ID, Name: u.Name, Roles: roles, Tenant: u.TenantID, Subject: u.Subject, Via: ViaPAT, Unchecked: a.Unchecked}, nil
}

// findUser gives the actor of a JWT the user whom the identity provider's subject stands for, when there is one: somebody
// who has made personal access tokens, or was disabled here. What these tokens may do follows what the provider says.
func (a *Admin) findUser(ctx context.Context, of *Actor) (*Actor, error) {
	who := *of
	who.Unchecked = a.Unchecked
	u, err := a.Store.Users().GetBySubject(ctx, who.Subject)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &who, nil
	case err != nil:
		return nil, storeUnavailable(err)
	case u.Status != store.UserActive:
		return nil, &Refusal{"JWT of a disabled user", who.ID}
	}
	who.UserID = u.ID
	if a.Unchecked {
		return &who, nil
	}
	return a.assignRoles(ctx, &who, &u)
}

// assignRoles settles which roles somebody of the identity provider has: those of the newest of their tokens. One that was
// issued before it brings nothing back.
func (a *Admin) assignRoles(ctx context.Context, who *Actor, u *store.User) (*Actor, error) {
	if !who.IssuedAt.IsZero() && who.IssuedAt.Before(u.RolesAt) {
		who.Roles, who.Tenant = KnownRoles(u.Roles), u.TenantID
		return who, nil
	}
	roles, newer := RoleNames(who.Roles), who.IssuedAt.After(u.RolesAt)
	if slices.Equal(roles, u.Roles) && who.Tenant == u.TenantID {
		if newer {
			if err := a.Store.Users().ConfirmRoles(ctx, u.ID, who.IssuedAt); err != nil {
				return nil, storeUnavailable(err)
			}
		}
		return who, nil
	}
	if !newer && !u.RolesAt.IsZero() {
		return who, nil // two of one second, or one that does not say when: neither goes before the other
	}
	_, err := a.Store.Users().Change(ctx, u.ID, func(u *store.User) error {
		if u.RolesAt.IsZero() || who.IssuedAt.After(u.RolesAt) {
			u.Roles, u.TenantID, u.RolesAt = roles, who.Tenant, who.IssuedAt
		}
		return nil
	})
	if errors.Is(err, store.ErrLastOwner) || errors.Is(err, store.ErrNotFound) {
		a.Report(err) // what the token itself says is in force all the same
		err = nil
	}
	if err != nil {
		return nil, storeUnavailable(err)
	}
	a.told.drop(who.ID) // their roles are others now, and the audit chain is told
	return who, nil
}

func storeUnavailable(err error) error {
	return &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the records of users cannot be read or written now; try again", Err: err}
}
