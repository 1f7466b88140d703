package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// inForceSQL selects the keys that authenticate: the active ones, and rotated ones until they expire. It reads few
// columns, because the columns are small and their number determines the cost.
const inForceSQL = `SELECT id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, models, source, expires_at
	FROM api_key WHERE (status = 'active' OR status = 'rotated' AND expires_at IS NOT NULL)`

// maxArgs is the maximum number of parameters of one statement.
const maxArgs = 500

// VisitInForce calls each with all keys that may authenticate, in no order. It omits revoked keys but not expired
// ones. each may retain the key; equal scopes and tags share memory.
func (ks Keys) VisitInForce(ctx context.Context, each func(*Key) error) error {
	return ks.scan(ctx, inForceSQL, nil, each)
}

// VisitInForceByID is VisitInForce for the keys with these ids.
func (ks Keys) VisitInForceByID(ctx context.Context, ids []string, each func(*Key) error) error {
	return ks.scanChunks(ctx, inForceSQL+" AND id IN (", ids, each)
}

// VisitInForceByTenant is VisitInForce for the keys of these tenants.
func (ks Keys) VisitInForceByTenant(ctx context.Context, tenants []string, each func(*Key) error) error {
	return ks.scanChunks(ctx, inForceSQL+" AND tenant_id IN (", tenants, each)
}

func (ks Keys) scanChunks(ctx context.Context, query string, values []string, each func(*Key) error) error {
	for len(values) > 0 {
		n := min(len(values), maxArgs)
		args := make([]any, n)
		for i := range args {
			args[i] = values[i]
		}
		if err := ks.scan(ctx, query+"?"+strings.Repeat(", ?", n-1)+")", args, each); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

func (ks Keys) scan(ctx context.Context, query string, args []any, each func(*Key) error) (err error) {
	rows, err := ks.db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var hash sql.RawBytes
	var scopes, tags, models, metadata string
	var ends sql.NullInt64
	lists := map[string][]string{}
	texts := map[string]string{}
	shared := func(s string) string {
		if own, ok := texts[s]; ok {
			return own
		}
		texts[s] = s
		return s
	}
	for rows.Next() {
		k := &Key{}
		if err := rows.Scan(
			&k.ID,
			&k.Lineage,
			&k.TenantID,
			&k.Name,
			&k.Prefix,
			&hash,
			&scopes,
			&k.Tier,
			&metadata,
			&tags,
			&models,
			&k.Source,
			&ends,
		); err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		if copy(k.Hash[:], hash) != len(k.Hash) {
			return fmt.Errorf("read key %q: its hash is damaged", k.ID)
		}
		k.TenantID, k.Tier, k.Source, k.ExpiresAt = shared(k.TenantID), shared(k.Tier), shared(k.Source), convertToInstant(ends)
		if k.Scopes, err = decodeList(lists, scopes); err != nil {
			return fmt.Errorf("read key %q: scopes: %w", k.ID, err)
		}
		if k.Tags, err = decodeList(lists, tags); err != nil {
			return fmt.Errorf("read key %q: tags: %w", k.ID, err)
		}
		if k.Models, err = decodeList(lists, models); err != nil {
			return fmt.Errorf("read key %q: models: %w", k.ID, err)
		}
		if metadata != "{}" {
			if err := json.Unmarshal([]byte(metadata), &k.Metadata); err != nil {
				return fmt.Errorf("read key %q: metadata: %w", k.ID, err)
			}
		}
		if err := each(k); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	return nil
}

// decodeList decodes a list of strings, and decodes each distinct list once.
func decodeList(known map[string][]string, text string) ([]string, error) {
	if text == "[]" {
		return nil, nil
	}
	list, ok := known[text]
	if !ok {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, err
		}
		known[text] = list
	}
	return list, nil
}
