package admin

import (
	"context"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// KeyChange contains the fields of a key to change. A nil field keeps its value. The plaintext never changes: rotate the key.
type KeyChange struct {
	Name      *string         `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Scopes    *[]string       `json:"scopes,omitempty" nullable:"false" maxItems:"64" doc:"An empty list permits everything. Only an owner or admin can set an empty list, or a scope outside of the data plane."`
	ExpiresAt *string         `json:"expires_at,omitempty" maxLength:"64" doc:"RFC 3339. An empty text: never."`
	Tier      *string         `json:"tier,omitempty" enum:"premium,standard,bulk" doc:"At most the tier of the tenant, unless a role of the platform sets it."`
	Metadata  *map[string]any `json:"metadata,omitempty" doc:"Policies decide on it: only an owner or admin can set it."`
	Tags      *[]string       `json:"tags,omitempty" nullable:"false" maxItems:"64" doc:"Policies decide on them: only an owner or admin can set them."`
	Models    *[]string       `json:"models,omitempty" nullable:"false" maxItems:"64" doc:"Patterns of the models that the key may ask for. An empty list permits all."`
	Owner     *string         `json:"owner,omitempty" maxLength:"128" doc:"The id of a user of the tenant or of the platform; empty: no owner. Only an owner or admin can set it."`
}

// Update changes the given fields of an active key. They apply to the next request.
func (s Keys) Update(ctx context.Context, who *auth.Actor, tenant, id string, c KeyChange, m Match) (Key, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysOwn, tenant); err != nil {
		return Key{}, err
	}
	if err := s.checkSelfService(ctx, who, tenant); err != nil {
		return Key{}, err
	}
	limits, err := s.findLimits(ctx, who, tenant)
	if err != nil {
		return Key{}, err
	}
	if err := s.checkKeyOwner(ctx, who, tenant, c.Owner); err != nil {
		return Key{}, err
	}
	if c.Tier != nil {
		if err := s.checkTier(ctx, who, tenant, *c.Tier); err != nil {
			return Key{}, err
		}
	}
	if c.Name != nil {
		if err := s.checkName(ctx, *c.Name); err != nil {
			return Key{}, err
		}
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	var was changedRecord
	k, err := s.svc.Store.Keys().Change(ctx, id, func(k *store.Key) error {
		was.storeView(viewKey(k, tier))
		if err := checkChangeable(who, k, tenant, tier, m); err != nil {
			return err
		}
		if k.Status != store.KeyActive {
			return newConflictError(CodeConflict, "the key is "+k.Status+"; only an active key can be changed")
		}
		if err := c.apply(k, who, s.svc.Now()); err != nil {
			return err
		}
		return limits.checkChange(c, k, s.svc.Now())
	})
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	v := viewKey(&k, tier)
	return v, s.svc.publishChange(ctx, who, updated, "key", id, tenant, was.view, v)
}

// apply changes the fields of a key. It refuses what the actor must not choose and what a new key must not have.
func (c *KeyChange) apply(k *store.Key, who *auth.Actor, now time.Time) error {
	if c.decides(k) && !who.Can(auth.KeysUnlimited) {
		return NewMissingRoleError(auth.KeysUnlimited)
	}
	n := NewKey{Name: k.Name, Scopes: c.Scopes}
	if c.Name != nil {
		n.Name, k.Name = *c.Name, *c.Name
	}
	if c.Scopes != nil {
		k.Scopes = slices.Clone(*c.Scopes)
	}
	if c.ExpiresAt != nil {
		at, err := ParseTime("expires_at", *c.ExpiresAt)
		if err != nil {
			return err
		}
		if k.ExpiresAt = at; !at.IsZero() {
			n.ExpiresAt = &at
		}
	}
	if c.Tier != nil {
		k.Tier = *c.Tier
	}
	if c.Metadata != nil {
		k.Metadata = *c.Metadata
	}
	if c.Tags != nil {
		k.Tags = *c.Tags
	}
	if c.Models != nil {
		n.Models, k.Models = *c.Models, slices.Clone(*c.Models)
	}
	if c.Owner != nil {
		k.Owner = *c.Owner
	}
	return n.check(now)
}

// decides reports whether the change concerns what policies decide on: tags, metadata, labels among the scopes, and the
// permission of everything.
func (c *KeyChange) decides(k *store.Key) bool {
	if c.Metadata != nil || c.Tags != nil && !slices.Equal(*c.Tags, k.Tags) {
		return true
	}
	if c.Scopes == nil || slices.Equal(*c.Scopes, k.Scopes) {
		return false
	}
	old, now := NewKey{Scopes: &k.Scopes}, NewKey{Scopes: c.Scopes}
	return now.decides() || len(k.Scopes) > 0 && old.decides()
}
