package store

import (
	"context"
	"fmt"
	"time"
)

// withPassword counts those who can sign in with a password.
const withPassword = "SELECT count(*) FROM admin_user WHERE password <> ''"

// UsersWithPassword is how many users have a password.
func (db *DB) UsersWithPassword(ctx context.Context) (n int64, err error) {
	if err = db.read.GetContext(ctx, &n, withPassword); err != nil {
		return 0, fmt.Errorf("count users: %w", err)
	}
	return n, nil
}

// InsertFirstUser adds a user where none has a password yet; otherwise it is ErrExists.
func (db *DB) InsertFirstUser(ctx context.Context, u User) (User, error) {
	u.CreatedAt = db.now().UTC().Truncate(time.Microsecond)
	u.UpdatedAt = u.CreatedAt
	row, err := u.row()
	if err != nil {
		return User{}, fmt.Errorf("insert the first user: %w", err)
	}
	err = db.mutate(ctx, func(tx *Tx) (bool, error) {
		var n int64
		if err := tx.GetContext(ctx, &n, withPassword); err != nil {
			return false, err
		}
		if n > 0 {
			return false, ErrExists
		}
		return true, tx.addUser(ctx, u.ID, row)
	})
	if err != nil {
		return User{}, fmt.Errorf("insert the first user: %w", err)
	}
	return u, nil
}
