package store

import (
	"context"
	"fmt"
	"time"
)

// Session is a console sign-in. Sessions do not advance the configuration version.
type Session struct {
	Hash                         [32]byte // SHA-256 of the id in the browser's cookie
	UserID                       string
	CreatedAt, SeenAt, ExpiresAt time.Time
}

// Insert adds a session. It returns ErrExists if the hash exists, and ErrNotFound if the user does not.
func (ss Sessions) Insert(ctx context.Context, s Session) error {
	return ss.db.exec(ctx, "add session", `INSERT INTO session (hash, user_id, created_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
		s.Hash[:], s.UserID, s.CreatedAt.UnixMicro(), s.SeenAt.UnixMicro(), s.ExpiresAt.UnixMicro())
}

// Get returns an unexpired session and its active user; otherwise ErrNotFound.
func (ss Sessions) Get(ctx context.Context, hash [32]byte) (Session, User, error) {
	s := Session{Hash: hash}
	err := ss.db.read.QueryRowContext(ctx, "SELECT user_id, created_at, seen_at, expires_at FROM session WHERE hash = ? AND expires_at > ?",
		hash[:], ss.db.now().UnixMicro()).Scan(&s.UserID, newInstantCodec(&s.CreatedAt), newInstantCodec(&s.SeenAt),
		newInstantCodec(&s.ExpiresAt))
	if err != nil {
		return Session{}, User{}, fmt.Errorf("read session: %w", mapDriverError(err))
	}
	u, err := ss.db.Users().Get(ctx, s.UserID)
	if err == nil && u.Status != UserActive {
		return Session{}, User{}, fmt.Errorf("read session: %w", ErrNotFound)
	}
	return s, u, err
}

// Touch records the use of a session and extends it.
func (ss Sessions) Touch(ctx context.Context, hash [32]byte, seen, expires time.Time) error {
	return ss.db.exec(ctx, "touch session", "UPDATE session SET seen_at = ?, expires_at = ? WHERE hash = ?",
		seen.UnixMicro(), expires.UnixMicro(), hash[:])
}

// Delete ends a session. A missing session is not an error.
func (ss Sessions) Delete(ctx context.Context, hash [32]byte) error {
	return ss.db.exec(ctx, "end session", "DELETE FROM session WHERE hash = ?", hash[:])
}

// DeleteByUser ends all sessions of a user except one. The zero hash spares none.
func (ss Sessions) DeleteByUser(ctx context.Context, userID string, but [32]byte) error {
	return ss.db.exec(ctx, "end sessions", "DELETE FROM session WHERE user_id = ? AND hash <> ?", userID, but[:])
}

// Sweep removes expired sessions and one-time tokens, and returns the number of sessions.
func (ss Sessions) Sweep(ctx context.Context) (removed int64, err error) {
	removed, err = ss.db.execCount(ctx, "sweep sessions", "DELETE FROM session WHERE expires_at <= ?", ss.db.now().UnixMicro())
	if err != nil {
		return 0, err
	}
	return removed, ss.sweepTokens(ctx)
}
