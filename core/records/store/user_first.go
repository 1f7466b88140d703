package store

import (
	"context"
	"fmt"
	"time"
)

// withPassword counts those who can sign in with a password.
const withPassword = "SELECT count(*) FROM admin_user WHERE password <> ''"

// CountWithPassword is how many users have a password.
func (us Users) CountWithPassword(ctx context.Context) (n int64, err error) {
	if err = us.db.read.GetContext(ctx, &n, withPassword); err != nil {
		return 0, fmt.Errorf("count users: %w", err)
	}
	return n, nil
}

// InsertFirst adds a user where none has a password yet; otherwise it is ErrExists.
func (us Users) InsertFirst(ctx context.Context, u User) (User, error) {
	u.CreatedAt = us.db.now().UTC().Truncate(time.Microsecond)
	u.UpdatedAt = u.CreatedAt
	row, err := u.row()
	if err != nil {
		return User{}, fmt.Errorf("insert the first user: %w", err)
	}
	err = us.db.mutate(ctx, func(tx *Tx) (bool, error) {
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
