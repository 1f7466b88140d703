package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// VaultToken is a sealed value with the bindings of those who may restore it. The store can read neither.
type VaultToken struct {
	Tenant, Token, Kind string
	Digest              []byte // distinguishes values with the same token
	Sealed              []byte
	Bindings            []byte // a run of digests of BindingSize bytes
	Seen, Expires       time.Time
}

// BindingSize is the length of one binding in bytes.
const BindingSize = 16

type tokenEntry struct {
	tenant, token, kind, digest, sealed, bindings span
	seen, expires                                 int64
}

// AppendToken queues a copy of the token. A stored token with the same digest gets the new times and gains the
// bindings, two at most; one with a different digest does not change. If the queue is full, AppendToken waits; see
// ErrBusy.
func (w *Writer) AppendToken(ctx context.Context, t *VaultToken) error {
	if len(t.Bindings)%BindingSize != 0 || len(t.Bindings) > 2*BindingSize {
		return errors.New("append token: two bindings at most are added at a time")
	}
	size := len(t.Tenant) + len(t.Token) + len(t.Kind) + len(t.Digest) + len(t.Sealed) + len(t.Bindings)
	if err := w.lockForAppend(ctx, load{1, size}); err != nil {
		return err
	}
	q := w.in
	q.tokens = append(q.tokens, tokenEntry{
		tenant: copyToArena(q, t.Tenant), token: copyToArena(q, t.Token), kind: copyToArena(q, t.Kind), digest: copyToArena(q, t.Digest),
		sealed: copyToArena(q, t.Sealed), bindings: copyToArena(q, t.Bindings), seen: t.Seen.UnixMicro(), expires: t.Expires.UnixMicro(),
	})
	w.unlockAfterAppend()
	return nil
}

// A token keeps the first 256 keys and users (4096 bytes). The search for an existing binding compares bytes at any
// offset; a false match across two random 16-byte digests is as unlikely as a collision. The substr of an empty blob, of a caller that has
// neither, is NULL.
const tokenUpsertSQL = `INSERT INTO vault_token
	(tenant_id, token, kind, digest, sealed, bindings, created_at, last_seen_at, expires_at)
	VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
	ON CONFLICT (tenant_id, token) DO UPDATE SET
		last_seen_at = max(last_seen_at, excluded.last_seen_at), expires_at = max(expires_at, excluded.expires_at),
		bindings = CASE WHEN length(bindings) >= 4096 THEN bindings ELSE CAST(bindings
			|| CASE WHEN instr(bindings, substr(?6, 1, 16)) > 0 THEN x'' ELSE ifnull(substr(?6, 1, 16), x'') END
			|| CASE WHEN instr(bindings, substr(?6, 17)) > 0 THEN x'' ELSE ifnull(substr(?6, 17), x'') END AS BLOB) END
	WHERE digest = excluded.digest`

type tokenUpsert struct {
	upsert driver.StmtExecContext
	args   [8]driver.NamedValue
}

func (t *tokenUpsert) run(q *queue) error {
	for i := range q.tokens {
		e := &q.tokens[i]
		for j, v := range [...]driver.Value{
			q.readText(e.tenant), q.readText(e.token), q.readText(e.kind), q.readBytes(e.digest), q.readBytes(e.sealed), q.readBytes(e.bindings),
			e.seen, e.expires,
		} {
			t.args[j] = driver.NamedValue{Ordinal: j + 1, Value: v}
		}
		if _, err := t.upsert.ExecContext(direct, t.args[:]); err != nil {
			return err
		}
	}
	return nil
}

// GetToken reads one token that has not expired at now, or ErrNotFound.
func (v Vault) GetToken(ctx context.Context, tenantID, token string, now time.Time) (VaultToken, error) {
	t := VaultToken{Tenant: tenantID, Token: token}
	var seen, expires int64
	err := v.db.read.QueryRowContext(ctx, `SELECT kind, digest, sealed, bindings, last_seen_at, expires_at FROM vault_token
		WHERE tenant_id = ? AND token = ? AND expires_at > ?`, tenantID, token, now.UnixMicro()).
		Scan(&t.Kind, &t.Digest, &t.Sealed, &t.Bindings, &seen, &expires)
	if err != nil {
		return VaultToken{}, fmt.Errorf("read token: %w", mapDriverError(err))
	}
	t.Seen, t.Expires = time.UnixMicro(seen).UTC(), time.UnixMicro(expires).UTC()
	return t, nil
}

// CountTokens returns the number of stored tokens of the tenant, including expired ones.
func (v Vault) CountTokens(ctx context.Context, tenantID string) (int, error) {
	var n int
	err := v.db.read.GetContext(ctx, &n, "SELECT count(*) FROM vault_token WHERE tenant_id = ?", tenantID)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return n, nil
}

// DeleteExpired removes up to limit tokens that have expired at now, and returns their number. It searches without
// blocking the writer and holds it only to delete. A token that is used meanwhile stays.
func (v Vault) DeleteExpired(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	var found []struct {
		Tenant string `db:"tenant_id"`
		Token  string `db:"token"`
	}
	err = v.db.read.SelectContext(ctx, &found,
		"SELECT tenant_id, token FROM vault_token WHERE expires_at <= ? LIMIT ?", now.UnixMicro(), limit)
	if err != nil {
		return 0, fmt.Errorf("find expired tokens: %w", err)
	}
	if len(found) == 0 {
		return 0, nil
	}
	err = v.db.transact(ctx, func(tx *Tx) error {
		for _, f := range found {
			res, err := tx.ExecContext(ctx, "DELETE FROM vault_token WHERE tenant_id = ? AND token = ? AND expires_at <= ?",
				f.Tenant, f.Token, now.UnixMicro())
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			removed += int(n)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("delete expired tokens: %w", err)
	}
	return removed, nil
}
