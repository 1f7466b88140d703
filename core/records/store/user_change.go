package store

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Change hands a user to change and stores what that makes of them, in one transaction. It gives the user as they
// are then; one who did not change keeps their UpdatedAt. An error of change leaves them as they are; an unknown id is
// ErrNotFound, an address that another one has is ErrExists, and ErrLastOwner means that nobody would be left who may do
// everything.
func (us Users) Change(ctx context.Context, id string, change func(u *User) error) (User, error) {
	var u User
	err := us.db.mutate(ctx, func(tx *Tx) (bool, error) {
		before, err := userIn(ctx, tx, id)
		if err != nil {
			return false, err
		}
		u = before
		u.Roles = slices.Clone(before.Roles)
		if err := change(&u); err != nil {
			return false, err
		}
		u.ID, u.CreatedAt, u.UpdatedAt, u.SignedInAt = before.ID, before.CreatedAt, before.UpdatedAt, before.SignedInAt
		row, err := u.row()
		if err != nil {
			return false, err
		}
		if was, err := before.row(); err != nil || was == row {
			return false, err
		}
		u.UpdatedAt = us.db.later(before.UpdatedAt)
		row.UpdatedAt = micros(u.UpdatedAt)
		_, err = tx.NamedExecContext(ctx, `
			UPDATE admin_user SET email = :email, name = :name, password = :password, subject = :subject, roles = :roles,
				tenant_id = :tenant_id, status = :status, roles_at = :roles_at, updated_at = :updated_at
			WHERE id = :id`, row)
		if err != nil {
			return false, err
		}
		if before.mayAll() && !u.mayAll() {
			err = us.requireOwner(ctx, tx)
		}
		tx.changed(changedUser, id)
		return true, err
	})
	if err != nil {
		return User{}, fmt.Errorf("change user: %w", err)
	}
	return u, nil
}

// ConfirmRoles notes that a token issued at an instant says what is known already. It is no change of the
// configuration.
func (us Users) ConfirmRoles(ctx context.Context, id string, at time.Time) error {
	err := us.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE admin_user SET roles_at = ? WHERE id = ? AND (roles_at IS NULL OR roles_at < ?)", micros(at), id, micros(at))
		return err
	})
	if err != nil {
		return fmt.Errorf("note the time of roles: %w", err)
	}
	return nil
}

// Delete deletes a user with their tokens and sessions, unless check objects. An unknown id is ErrNotFound; the
// last owner is ErrLastOwner.
func (us Users) Delete(ctx context.Context, id string, check func(u *User) error) error {
	err := us.db.mutate(ctx, func(tx *Tx) (bool, error) {
		u, err := userIn(ctx, tx, id)
		if err != nil {
			return false, err
		}
		if err := check(&u); err != nil {
			return false, err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM admin_user WHERE id = ?", id); err != nil {
			return false, err
		}
		if u.mayAll() {
			err = us.requireOwner(ctx, tx)
		}
		tx.changed(changedUser, id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete user: %w", err)
	}
	return nil
}

// userIn reads a user in a transaction that changes them. Administrative changes come one after the other (see mutate),
// so that of two that take away an owner each, the second one sees what the first has done.
func userIn(ctx context.Context, tx *Tx, id string) (User, error) {
	var row userRow
	if err := tx.GetContext(ctx, &row, "SELECT * FROM admin_user WHERE id = ?", id); err != nil {
		return User{}, err
	}
	return row.user()
}

// mayAll reports whether the user is an owner who is not disabled.
func (u *User) mayAll() bool {
	return u.Status == UserActive && slices.Contains(u.Roles, ownerRole)
}

// ownerRole is the name of the role that may do everything.
const ownerRole = "owner"

// requireOwner is ErrLastOwner when no active owner is left who has anything to show: a password, a subject at the
// identity provider, or a token that works.
func (us Users) requireOwner(ctx context.Context, tx *Tx) error {
	var n int
	err := tx.GetContext(ctx, &n, `
		SELECT count(*) FROM admin_user AS u WHERE status = ? AND roles LIKE ? AND (password <> '' OR subject IS NOT NULL
			OR EXISTS (SELECT 1 FROM access_token AS t WHERE t.user_id = u.id AND t.revoked_at IS NULL
				AND (t.expires_at IS NULL OR t.expires_at > ?)))`,
		UserActive, `%"`+ownerRole+`"%`, us.db.now().UnixMicro())
	if err == nil && n == 0 {
		err = ErrLastOwner
	}
	return err
}
