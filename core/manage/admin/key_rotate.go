package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Revoke ends a key at once, also a rotated one. Revoking twice changes nothing.
func (s Keys) Revoke(ctx context.Context, who *auth.Actor, tenant, id string, m Match) error {
	if _, err := s.svc.authorize(ctx, who, auth.KeysOwn, tenant); err != nil {
		return err
	}
	if err := s.checkSelfService(ctx, who, tenant); err != nil {
		return err
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return mapNotFound(err, "key")
	}
	var was changedRecord
	k, err := s.svc.Store.Keys().Change(ctx, id, func(k *store.Key) error {
		was.storeView(viewKey(k, tier))
		if err := checkChangeable(who, k, tenant, tier, m); err != nil {
			return err
		}
		k.Status = store.KeyRevoked
		return nil
	})
	if err != nil {
		return mapNotFound(err, "key")
	}
	return s.svc.publishChange(ctx, who, deleted, "key", id, tenant, was.view, viewKey(&k, tier))
}

// Rotate creates a key that replaces another, which stays valid through its grace period. Values redacted for the old key
// are restored for the new one.
func (s Keys) Rotate(ctx context.Context, who *auth.Actor, tenant, id string, m Match) (Key, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysOwn, tenant); err != nil {
		return Key{}, err
	}
	if err := s.checkSelfService(ctx, who, tenant); err != nil {
		return Key{}, err
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	plain := auth.NewKey()
	var was changedRecord
	k, err := s.svc.Store.Keys().Rotate(ctx, id, func(old *store.Key) (store.Key, error) {
		was.storeView(viewKey(old, tier))
		if err := checkChangeable(who, old, tenant, tier, m); err != nil {
			return store.Key{}, err
		}
		if old.Status != store.KeyActive {
			return store.Key{}, newConflictError(CodeConflict, "the key is "+old.Status+"; only an active key can be rotated")
		}
		now := *old
		now.ID, now.Prefix, now.Hash, now.Source = s.svc.NewID(), auth.CutVisiblePrefix(plain), auth.Hash(plain), store.SourceAPI
		end := s.svc.Now().Add(s.svc.KeyGrace)
		if old.Status = store.KeyRotated; old.ExpiresAt.IsZero() || end.Before(old.ExpiresAt) {
			old.ExpiresAt = end
		}
		return now, nil
	})
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	v := viewKey(&k, tier)
	v.Key = plain
	return v, s.svc.publishChange(ctx, who, "rotate", "key", id, tenant, was.view, v)
}

// checkChangeable refuses a key of another tenant, one of somebody else to those who manage only their own, and one that
// cannot be changed.
func checkChangeable(who *auth.Actor, k *store.Key, tenant, tier string, m Match) error {
	if k.TenantID != tenant {
		return store.ErrNotFound
	}
	if !who.Can(auth.KeysManage) && !ownsKey(who, k.Owner) {
		return NewMissingRoleError(auth.KeysManage)
	}
	if err := checkSource(k.Source); err != nil {
		return err
	}
	return m.Check(viewKey(k, tier))
}
