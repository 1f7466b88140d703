package admin

import (
	"cmp"
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// findOwner returns the owner of keys that an actor creates: a stored user, or the actor whom an identity provider knows.
func findOwner(who *auth.Actor) string { return cmp.Or(who.UserID, who.ID) }

// ownsKey reports whether an actor is the owner of a key.
func ownsKey(who *auth.Actor, owner string) bool { return owner != "" && owner == findOwner(who) }

// MayChange reports whether an actor may change, rotate and revoke a key.
func (k *Key) MayChange(who *auth.Actor) bool {
	return k.Source != store.SourceFile && (who.Can(auth.KeysManage) || who.Can(auth.KeysOwn) && ownsKey(who, k.Owner))
}

// checkSelfService refuses an actor who does not manage all keys of a tenant that has no template. Without one, developers
// create keys and administrators manage them.
func (s Keys) checkSelfService(ctx context.Context, who *auth.Actor, tenant string) error {
	if who.Can(auth.KeysManage) {
		return nil
	}
	t, err := s.svc.Store.Tenants().Get(ctx, tenant)
	if err == nil && t.KeyTemplate.IsEmpty() {
		return NewMissingRoleError(auth.KeysManage)
	}
	return mapNotFound(err, "key")
}

// maxOwnKeys limits the keys that ListOwn returns.
const maxOwnKeys = 200

// ListOwn returns the newest keys of a tenant that the actor owns, at most maxOwnKeys.
func (s Keys) ListOwn(ctx context.Context, who *auth.Actor, tenant string) ([]Key, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysRead, tenant); err != nil {
		return nil, err
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return nil, err
	}
	stored, err := s.svc.Store.Keys().ListOwned(ctx, tenant, findOwner(who), maxOwnKeys)
	out := make([]Key, len(stored))
	for i := range stored {
		out[i] = viewKey(&stored[i], tier)
	}
	return out, err
}

// checkKeyOwner checks the new owner of a key: a user of its tenant or of the platform.
func (s Keys) checkKeyOwner(ctx context.Context, who *auth.Actor, tenant string, owner *string) error {
	if owner == nil {
		return nil
	}
	if !who.Can(auth.KeysManage) {
		return NewMissingRoleError(auth.KeysManage)
	}
	if *owner == "" {
		return nil
	}
	u, err := s.svc.Store.Users().Get(ctx, *owner)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.TenantID != "" && u.TenantID != tenant {
		return newInvalidValueError("owner", "write the id of a user of this workspace or of the platform")
	}
	return err
}

// checkName refuses a name that is the id of a key. Budgets, limits and links name keys by id or by name: the key would count
// and pass for the other one.
func (s Keys) checkName(ctx context.Context, name string) error {
	_, err := s.svc.Store.Keys().Get(ctx, name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return newInvalidValueError("name", "this is the id of a key, for which a key of this name would be taken; choose another name")
}
