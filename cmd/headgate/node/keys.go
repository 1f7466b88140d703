package node

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
)

// loadKeys reads the keys that authenticate. For keys of the configuration file, the file decides whether they are in
// force and what they permit.
func loadKeys(ctx context.Context, db *store.DB, cfg *config.Config) (*auth.Keys, error) {
	tenants, err := db.Tenants().List(ctx)
	if err != nil {
		return nil, err
	}
	var c auth.KeysChange
	for i := range tenants {
		c.Tenants = append(c.Tenants, convertTenant(&tenants[i]))
	}
	err = db.Keys().VisitInForce(ctx, func(k *store.Key) error {
		if own, ok := convertKey(cfg, k); ok {
			c.Keys = append(c.Keys, own)
		}
		return nil
	})
	return new(auth.Keys).Change(c), err
}

// changeKeys updates single tenants and keys by id.
func changeKeys(ctx context.Context, db *store.DB, cfg *config.Config, now *auth.Keys, tenants, keys []string) (*auth.Keys, error) {
	var c auth.KeysChange
	stored, err := db.Tenants().ListByID(ctx, tenants)
	if err != nil {
		return nil, err
	}
	there, fresh := map[string]bool{}, []string(nil)
	for i := range stored {
		t := convertTenant(&stored[i])
		there[t.ID] = true
		if old := now.FindTenant(t.ID); old == nil || !old.Made.Equal(t.Made) {
			fresh = append(fresh, t.ID) // its keys may have been read before it existed
		}
		c.Tenants = append(c.Tenants, t)
	}
	for _, id := range tenants {
		if !there[id] {
			c.GoneTenants = append(c.GoneTenants, id)
		}
	}
	found := map[string]bool{}
	take := func(k *store.Key) error {
		if own, ok := convertKey(cfg, k); ok && !found[k.ID] {
			found[k.ID] = true
			c.Keys = append(c.Keys, own)
		}
		return nil
	}
	if err := db.Keys().VisitInForceByID(ctx, keys, take); err != nil {
		return nil, err
	}
	if err := db.Keys().VisitInForceByTenant(ctx, fresh, take); err != nil {
		return nil, err
	}
	for _, id := range keys {
		if !found[id] {
			c.GoneKeys = append(c.GoneKeys, id)
		}
	}
	return now.Change(c), nil
}

func convertTenant(t *store.Tenant) auth.Tenant {
	return auth.Tenant{
		ID: t.ID, Region: t.Region, Tier: t.Tier, Suspended: t.Status == string(config.TenantSuspended), Tags: t.Tags, Metadata: t.Metadata,
		Made: t.CreatedAt,
	}
}

// convertKey converts a stored key. It returns false if the key has been removed from the file.
func convertKey(cfg *config.Config, k *store.Key) (auth.Key, bool) {
	own := auth.Key{
		Hash: k.Hash, Tenant: k.TenantID, ID: k.ID, Lineage: k.Lineage, Prefix: k.Prefix, Name: k.Name, Scopes: k.Scopes, Tier: k.Tier,
		Tags: k.Tags, Models: k.Models, Metadata: k.Metadata, ExpiresAt: k.ExpiresAt,
	}
	if k.Source == store.SourceFile || k.Source == sourceFirstStart {
		f := findFileKey(cfg, k)
		if f == nil {
			return own, false
		}
		own.Name, own.Scopes, own.Tier, own.ExpiresAt = f.Name, f.Scopes, string(f.Tier), f.ExpiresAt
		own.Tags, own.Models, own.Metadata = f.Tags, f.Models, normalizeNumbers(f.Metadata)
	}
	return own, true
}

// normalizeNumbers converts metadata to the form of the configuration, which preserves the spelling of numbers.
func normalizeNumbers(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = normalizeNumber(v)
	}
	return out
}

func normalizeNumber(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = normalizeNumber(v[i])
		}
		return out
	case map[string]any:
		return normalizeNumbers(v)
	}
	return v
}
