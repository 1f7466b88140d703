package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// The states of a user.
const (
	UserActive   = "active"
	UserDisabled = "disabled" // signs in no more, and no token of theirs works
)

// What the log of changes calls users and their tokens. Both concern the administrative API alone.
const (
	changedUser = "user"
	changedPAT  = "access_token"
)

// ErrLastOwner means that nobody would be left who may do everything.
var ErrLastOwner = errors.New("the last owner must stay")

// User is somebody who administers.
type User struct {
	ID       string
	Email    string // in lower case; no two users have the same
	Name     string
	Password string   // Argon2id hash in PHC text; "": they cannot sign in with a password
	Subject  string   // issuer and subject at the identity provider; "": they are not known there
	Roles    []string // all of the platform, or all of the tenant
	TenantID string   // "" for a user of the platform
	Status   string

	CreatedAt, UpdatedAt time.Time // set by the store
	SignedInAt           time.Time // zero means never
}

type userRow struct {
	ID         string         `db:"id"`
	Email      string         `db:"email"`
	Name       string         `db:"name"`
	Password   string         `db:"password"`
	Subject    sql.NullString `db:"subject"`
	Roles      string         `db:"roles"`
	TenantID   sql.NullString `db:"tenant_id"`
	Status     string         `db:"status"`
	CreatedAt  sql.NullInt64  `db:"created_at"`
	UpdatedAt  sql.NullInt64  `db:"updated_at"`
	SignedInAt sql.NullInt64  `db:"signed_in_at"`
}

// InsertUser adds a user and returns them as stored. An id, an e-mail address or a subject that is there already is
// ErrExists, a tenant that is not is ErrNotFound.
func (db *DB) InsertUser(ctx context.Context, u User) (User, error) {
	u.CreatedAt = db.now().UTC().Truncate(time.Microsecond)
	u.UpdatedAt = u.CreatedAt
	row, err := u.row()
	if err != nil {
		return User{}, fmt.Errorf("insert user: %w", err)
	}
	err = db.mutate(ctx, func(tx *Tx) (bool, error) {
		_, err := tx.NamedExecContext(ctx, `
			INSERT INTO admin_user (id, email, name, password, subject, roles, tenant_id, status, created_at, updated_at, signed_in_at)
			VALUES (:id, :email, :name, :password, :subject, :roles, :tenant_id, :status, :created_at, :updated_at, :signed_in_at)`, row)
		tx.changed(changedUser, u.ID)
		return true, err
	})
	if err != nil {
		return User{}, fmt.Errorf("insert user: %w", err)
	}
	return u, nil
}

// ChangeUser hands a user to change and stores what that makes of them, in one transaction. It gives the user as they
// are then; one who did not change keeps their UpdatedAt. An error of change leaves them as they are; an unknown id is
// ErrNotFound, an address that another one has is ErrExists, and ErrLastOwner means that nobody would be left who may do
// everything.
func (db *DB) ChangeUser(ctx context.Context, id string, change func(u *User) error) (User, error) {
	var u User
	err := db.mutate(ctx, func(tx *Tx) (bool, error) {
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
		u.UpdatedAt = db.later(before.UpdatedAt)
		row.UpdatedAt = micros(u.UpdatedAt)
		_, err = tx.NamedExecContext(ctx, `
			UPDATE admin_user SET email = :email, name = :name, password = :password, subject = :subject, roles = :roles,
				tenant_id = :tenant_id, status = :status, updated_at = :updated_at
			WHERE id = :id`, row)
		if err != nil {
			return false, err
		}
		if before.mayAll() && !u.mayAll() {
			err = db.ownerLeft(ctx, tx)
		}
		tx.changed(changedUser, id)
		return true, err
	})
	if err != nil {
		return User{}, fmt.Errorf("change user: %w", err)
	}
	return u, nil
}

// DeleteUser deletes a user with their tokens and sessions, unless check objects. An unknown id is ErrNotFound; the
// last owner is ErrLastOwner.
func (db *DB) DeleteUser(ctx context.Context, id string, check func(u *User) error) error {
	err := db.mutate(ctx, func(tx *Tx) (bool, error) {
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
			err = db.ownerLeft(ctx, tx)
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

// ownerLeft is ErrLastOwner when no active owner is left who has anything to show: a password, a subject at the
// identity provider, or a token that works.
func (db *DB) ownerLeft(ctx context.Context, tx *Tx) error {
	var n int
	err := tx.GetContext(ctx, &n, `
		SELECT count(*) FROM admin_user AS u WHERE status = ? AND roles LIKE ? AND (password <> '' OR subject IS NOT NULL
			OR EXISTS (SELECT 1 FROM access_token AS t WHERE t.user_id = u.id AND t.revoked_at IS NULL
				AND (t.expires_at IS NULL OR t.expires_at > ?)))`,
		UserActive, `%"`+ownerRole+`"%`, db.now().UnixMicro())
	if err == nil && n == 0 {
		err = ErrLastOwner
	}
	return err
}

// SignedIn notes when a user has signed in. It is no change of the configuration.
func (db *DB) SignedIn(ctx context.Context, id string) error {
	err := db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE admin_user SET signed_in_at = ? WHERE id = ?", db.now().UnixMicro(), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("note a sign-in: %w", err)
	}
	return nil
}

// User is one user; ErrNotFound when there is none with the id.
func (db *DB) User(ctx context.Context, id string) (User, error) {
	return db.user(ctx, "SELECT * FROM admin_user WHERE id = ?", id)
}

// UserByEmail is the user with an address, which is in lower case; ErrNotFound when there is none.
func (db *DB) UserByEmail(ctx context.Context, email string) (User, error) {
	return db.user(ctx, "SELECT * FROM admin_user WHERE email = ?", email)
}

// UserBySubject is the user whom the identity provider knows by subject; ErrNotFound when there is none.
func (db *DB) UserBySubject(ctx context.Context, subject string) (User, error) {
	return db.user(ctx, "SELECT * FROM admin_user WHERE subject = ?", subject)
}

func (db *DB) user(ctx context.Context, query string, arg string) (User, error) {
	var row userRow
	if err := db.read.GetContext(ctx, &row, query, arg); err != nil {
		return User{}, fmt.Errorf("read user: %w", named(err))
	}
	return row.user()
}

// EachUser lists the users of one tenant, or with an empty id those of all and of the platform, behind a place, in the
// order of their making; a limit of 0 is none. An error ends the list.
func (db *DB) EachUser(ctx context.Context, tenantID string, after Cursor, limit int) iter.Seq2[User, error] {
	where, args := "", []any(nil)
	if tenantID != "" {
		where, args = "tenant_id = ?", []any{tenantID}
	}
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]userRow, error) {
		return page[userRow](ctx, db, "admin_user", where, args, after, n)
	}, func(r *userRow) (User, Cursor, error) {
		u, err := r.user()
		return u, u.Cursor(), err
	})
}

// Cursor is the place behind the user.
func (u *User) Cursor() Cursor { return Cursor{u.CreatedAt, u.ID} }

func (u *User) row() (userRow, error) {
	switch {
	case u.ID == "":
		return userRow{}, errors.New("a user needs an id")
	case u.Email == "":
		return userRow{}, errors.New("a user needs an e-mail address")
	}
	roles, err := encodeRoles(u.Roles)
	return userRow{
		ID: u.ID, Email: u.Email, Name: u.Name, Password: u.Password, Roles: roles, Status: u.Status,
		Subject: sql.NullString{String: u.Subject, Valid: u.Subject != ""}, TenantID: sql.NullString{String: u.TenantID, Valid: u.TenantID != ""},
		CreatedAt: micros(u.CreatedAt), UpdatedAt: micros(u.UpdatedAt), SignedInAt: micros(u.SignedInAt),
	}, err
}

func (r *userRow) user() (User, error) {
	u := User{
		ID: r.ID, Email: r.Email, Name: r.Name, Password: r.Password, Subject: r.Subject.String, TenantID: r.TenantID.String,
		Status: r.Status, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt), SignedInAt: instant(r.SignedInAt),
	}
	if err := json.Unmarshal([]byte(r.Roles), &u.Roles); err != nil {
		return User{}, fmt.Errorf("read user %q: roles: %w", r.ID, err)
	}
	return u, nil
}

func encodeRoles(roles []string) (string, error) {
	if len(roles) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(roles)
	if err != nil {
		return "", fmt.Errorf("roles: %w", err)
	}
	return string(b), nil
}
