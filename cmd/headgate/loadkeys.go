package main

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/store"
)

// loadKeys reads the keys that authenticate. About those of the file the file
// decides: whether they are in force, and what they may do.
func loadKeys(ctx context.Context, db *store.DB, cfg *config.Config) (auth.Keys, error) {
	tenants, err := db.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	suspended := make(map[string]bool, len(tenants))
	known := make(map[string]*store.Tenant, len(tenants))
	for i := range tenants {
		suspended[tenants[i].ID] = tenants[i].Status == string(config.TenantSuspended)
		known[tenants[i].ID] = &tenants[i]
	}
	list, err := db.Keys(ctx)
	if err != nil {
		return nil, err
	}
	keys := make(auth.Keys, len(list))
	for _, k := range list {
		t := known[k.TenantID]
		if k.Status != store.KeyActive || t == nil {
			continue
		}
		if k.Source == store.SourceFile || k.Source == sourceFirstStart {
			f := inFile(cfg, &k)
			if f == nil {
				continue
			}
			k.Name, k.Scopes, k.Tier, k.ExpiresAt = f.Name, f.Scopes, string(f.Tier), f.ExpiresAt
			k.Tags, k.Metadata = f.Tags, numbers(f.Metadata)
		}
		p := &core.Principal{
			Tenant: k.TenantID, KeyID: k.ID, KeyPrefix: k.Prefix, KeyName: k.Name, Lineage: k.Lineage,
			Scopes: k.Scopes, Tier: k.Tier, Region: t.Region, Suspended: suspended[k.TenantID],
			Tags: k.Tags, Metadata: k.Metadata, ExpiresAt: k.ExpiresAt, TenantTags: t.Tags, TenantMetadata: t.Metadata,
		}
		if p.Lineage == "" {
			p.Lineage = k.ID
		}
		if p.Tier == "" {
			p.Tier = t.Tier
		}
		keys[k.Hash] = auth.Entry{Principal: p, ExpiresAt: k.ExpiresAt}
	}
	return keys, nil
}

// numbers are metadata as the store gives them: the configuration keeps the
// spelling of a number.
func numbers(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = number(v)
	}
	return out
}

func number(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = number(v[i])
		}
		return out
	case map[string]any:
		return numbers(v)
	}
	return v
}
