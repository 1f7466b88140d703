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

// findPAT returns the actor of a personal access token. Its roles are those that its user had at creation and still has.
func (a *Admin) findPAT(ctx context.Context, sum [sha256.Size]byte, now time.Time) (*Actor, error) {
	p, u, err := a.Store.PATs().GetByHash(ctx, sum)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &Refusal{Reason: "unknown token"}
	}
	if err != nil {
		return nil, newStoreUnavailableError(err)
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
	roles := slices.DeleteFunc(FilterKnownRoles(p.Roles), func(r Role) bool { return !slices.Contains(u.Roles, string(r)) })
	return &Actor{
		ID:        id,
		UserID:    u.ID,
		Name:      u.Name,
		Roles:     roles,
		Tenant:    u.TenantID,
		Subject:   u.Subject,
		Via:       ViaPAT,
		Unchecked: a.Unchecked,
	}, nil
}

// attachUser adds the stored user of a JWT's subject, if there is one: a user who created personal access tokens or was
// disabled here. The roles of those tokens follow the identity provider.
func (a *Admin) attachUser(ctx context.Context, of *Actor) (*Actor, error) {
	who := *of
	who.Unchecked = a.Unchecked
	u, err := a.Store.Users().GetBySubject(ctx, who.Subject)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &who, nil
	case err != nil:
		return nil, newStoreUnavailableError(err)
	case u.Status != store.UserActive:
		return nil, &Refusal{"JWT of a disabled user", who.ID}
	}
	who.UserID = u.ID
	if a.Unchecked {
		return &who, nil
	}
	return a.assignRoles(ctx, &who, &u)
}

// assignRoles sets the roles of an actor of the identity provider: those of the newest token. An older token does not
// restore roles.
func (a *Admin) assignRoles(ctx context.Context, who *Actor, u *store.User) (*Actor, error) {
	if !who.IssuedAt.IsZero() && who.IssuedAt.Before(u.RolesAt) {
		who.Roles, who.Tenant = FilterKnownRoles(u.Roles), u.TenantID
		return who, nil
	}
	roles, newer := ListRoleNames(who.Roles), who.IssuedAt.After(u.RolesAt)
	if slices.Equal(roles, u.Roles) && who.Tenant == u.TenantID {
		if newer {
			if err := a.Store.Users().ConfirmRoles(ctx, u.ID, who.IssuedAt); err != nil {
				return nil, newStoreUnavailableError(err)
			}
		}
		return who, nil
	}
	if !newer && !u.RolesAt.IsZero() {
		return who, nil // issued in the same second, or at an unknown time: neither is newer
	}
	_, err := a.Store.Users().Change(ctx, u.ID, func(u *store.User) error {
		if u.RolesAt.IsZero() || who.IssuedAt.After(u.RolesAt) {
			u.Roles, u.TenantID, u.RolesAt = roles, who.Tenant, who.IssuedAt
		}
		return nil
	})
	if errors.Is(err, store.ErrLastOwner) || errors.Is(err, store.ErrNotFound) {
		a.Report(err) // the roles in the token apply in any case
		err = nil
	}
	if err != nil {
		return nil, newStoreUnavailableError(err)
	}
	a.told.drop(who.ID) // the roles have changed: report it
	return who, nil
}

func newStoreUnavailableError(err error) error {
	return &core.Error{
		Kind:   core.Unavailable,
		Code:   core.CodeOverloaded,
		Public: "the records of users cannot be read or written now; try again",
		Err:    err,
	}
}
