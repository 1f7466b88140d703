package store

import (
	"context"
	"time"
)

// ConsumeToken records that the one-time token with a hash, which expires at until, was used to sign in. It returns
// ErrExists if it was used before, on any node.
func (ss Sessions) ConsumeToken(ctx context.Context, hash [32]byte, until time.Time) error {
	return ss.db.exec(ctx, "note what is used once", "INSERT INTO spent (hash, expires_at) VALUES (?, ?)", hash[:], until.UnixMicro())
}

// sweepTokens removes one-time tokens that have expired.
func (ss Sessions) sweepTokens(ctx context.Context) error {
	return ss.db.exec(ctx, "sweep what is used once", "DELETE FROM spent WHERE expires_at <= ?", ss.db.now().UnixMicro())
}
