package store

import (
	"context"
	"time"
)

// Spend notes that what has the hash was used to sign in, and is worth nothing after until; ErrExists when it was used
// before, on whichever node that was.
func (ss Sessions) Spend(ctx context.Context, hash [32]byte, until time.Time) error {
	return ss.db.exec(ctx, "note what is used once", "INSERT INTO spent (hash, expires_at) VALUES (?, ?)", hash[:], until.UnixMicro())
}

// sweepSpent forgets what is worth nothing any more.
func (ss Sessions) sweepSpent(ctx context.Context) error {
	return ss.db.exec(ctx, "sweep what is used once", "DELETE FROM spent WHERE expires_at <= ?", ss.db.now().UnixMicro())
}
