package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Reply is the stored answer to an idempotent administrative request.
type Reply struct {
	Scope, Key  string   // the sender and its idempotency key
	Request     [32]byte // digest of the request
	Sealed      []byte   // nil while the request runs
	At, Expires time.Time
}

type replyRow struct {
	Request []byte        `db:"request"`
	Sealed  []byte        `db:"sealed"`
	Expires sql.NullInt64 `db:"expires_at"`
}

// ClaimReply records that a request runs and returns nil, or returns the unexpired reply with the same key.
func (rs Replies) ClaimReply(ctx context.Context, r Reply) (*Reply, error) {
	var old *Reply
	err := rs.db.transact(ctx, func(tx *Tx) error {
		old = nil
		now := convertToMicros(r.At)
		if _, err := tx.ExecContext(ctx, "DELETE FROM admin_reply WHERE expires_at <= ?", now); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO admin_reply (scope, reply_key, request, sealed, created_at, expires_at)
			VALUES (?, ?, ?, NULL, ?, ?) ON CONFLICT DO NOTHING`, r.Scope, r.Key, r.Request[:], now, convertToMicros(r.Expires))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		var row replyRow
		if err := tx.GetContext(
			ctx,
			&row,
			"SELECT request, sealed, expires_at FROM admin_reply WHERE scope = ? AND reply_key = ?",
			r.Scope,
			r.Key,
		); err != nil {
			return err
		}
		old = &Reply{Scope: r.Scope, Key: r.Key, Sealed: row.Sealed, Expires: convertToInstant(row.Expires)}
		if copy(old.Request[:], row.Request) != len(old.Request) {
			return errors.New("the digest is damaged")
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claim reply: %w", err)
	}
	return old, nil
}

// Save stores the answer to a claimed request. It returns ErrNotFound if the claim is gone.
func (rs Replies) Save(ctx context.Context, scope, key string, sealed []byte, expires time.Time) error {
	return rs.db.execOne(ctx, "store reply", "UPDATE admin_reply SET sealed = ?, expires_at = ? WHERE scope = ? AND reply_key = ?",
		sealed, convertToMicros(expires), scope, key)
}

// Delete releases a claim.
func (rs Replies) Delete(ctx context.Context, scope, key string) error {
	return rs.db.exec(ctx, "delete reply", "DELETE FROM admin_reply WHERE scope = ? AND reply_key = ?", scope, key)
}
