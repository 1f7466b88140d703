package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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
	// RolesAt is when the identity provider issued the token that roles and tenant are of; zero: it has not said.
	RolesAt time.Time

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
	RolesAt    sql.NullInt64  `db:"roles_at"`
}

// Insert adds a user and returns them as stored. An id, an e-mail address or a subject that is there already is
// ErrExists, a tenant that is not is ErrNotFound.
func (us Users) Insert(ctx context.Context, u User) (User, error) {
	u.CreatedAt = us.db.now().UTC().Truncate(time.Microsecond)
	u.UpdatedAt = u.CreatedAt
	row, err := u.row()
	if err != nil {
		return User{}, fmt.Errorf("insert user: %w", err)
	}
	err = us.db.mutate(ctx, func(tx *Tx) (bool, error) { return true, tx.addUser(ctx, u.ID, row) })
	if err != nil {
		return User{}, fmt.Errorf("insert user: %w", err)
	}
	return u, nil
}

// addUser writes a new user.
func (tx *Tx) addUser(ctx context.Context, id string, row userRow) error {
	_, err := tx.NamedExecContext(ctx, `
		INSERT INTO admin_user (id, email, name, password, subject, roles, tenant_id, status, created_at, updated_at, signed_in_at, roles_at)
		VALUES (:id, :email, :name, :password, :subject, :roles, :tenant_id, :status, :created_at, :updated_at, :signed_in_at, :roles_at)`, row)
	tx.changed(changedUser, id)
	return err
}

// RecordSignIn notes when a user has signed in. It is no change of the configuration.
func (us Users) RecordSignIn(ctx context.Context, id string) error {
	err := us.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE admin_user SET signed_in_at = ? WHERE id = ?", us.db.now().UnixMicro(), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("note a sign-in: %w", err)
	}
	return nil
}

// Get is one user; ErrNotFound when there is none with the id.
func (us Users) Get(ctx context.Context, id string) (User, error) {
	return us.get(ctx, "SELECT * FROM admin_user WHERE id = ?", id)
}

// GetByEmail is the user with an address, which is in lower case; ErrNotFound when there is none.
func (us Users) GetByEmail(ctx context.Context, email string) (User, error) {
	return us.get(ctx, "SELECT * FROM admin_user WHERE email = ?", email)
}

// GetBySubject is the user whom the identity provider knows by subject; ErrNotFound when there is none.
func (us Users) GetBySubject(ctx context.Context, subject string) (User, error) {
	return us.get(ctx, "SELECT * FROM admin_user WHERE subject = ?", subject)
}

func (us Users) get(ctx context.Context, query string, arg string) (User, error) {
	var row userRow
	if err := us.db.read.GetContext(ctx, &row, query, arg); err != nil {
		return User{}, fmt.Errorf("read user: %w", named(err))
	}
	return row.user()
}

// Each lists the users of one tenant, or with an empty id those of all and of the platform, behind a place, in the
// order of their making; a limit of 0 is none. An error ends the list.
func (us Users) Each(ctx context.Context, tenantID string, after Cursor, limit int) iter.Seq2[User, error] {
	return eachOf(ctx, us.db, "admin_user", "tenant_id", tenantID, after, limit, func(r *userRow) (User, Cursor, error) {
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
		CreatedAt: micros(u.CreatedAt), UpdatedAt: micros(u.UpdatedAt), SignedInAt: micros(u.SignedInAt), RolesAt: micros(u.RolesAt),
	}, err
}

func (r *userRow) user() (User, error) {
	u := User{
		ID: r.ID, Email: r.Email, Name: r.Name, Password: r.Password, Subject: r.Subject.String, TenantID: r.TenantID.String,
		Status: r.Status, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt), SignedInAt: instant(r.SignedInAt),
		RolesAt: instant(r.RolesAt),
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
