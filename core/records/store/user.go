package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The states of a user.
const (
	UserActive   = "active"
	UserDisabled = "disabled" // cannot sign in, and none of their tokens work
)

// The kinds of users and tokens in the log of changes. Both concern only the administrative API.
const (
	changedUser = "user"
	changedPAT  = "access_token"
)

// ErrLastOwner means that the change would leave no owner who can sign in.
var ErrLastOwner = errors.New("the last owner must stay")

// User is an administrator.
type User struct {
	ID       string
	Email    string // in lower case and unique
	Name     string
	Password string   // Argon2id hash in PHC format; "" for no password
	Subject  string   // issuer and subject at the identity provider, unique; "" if unknown there
	Roles    []string // valid on the platform or in the tenant
	TenantID string   // "" for a user of the platform
	Status   string
	// RolesAt is when the identity provider issued the token that roles and tenant come from; zero: unknown.
	RolesAt time.Time
	// MustChange is true while somebody else has chosen the password.
	MustChange bool
	// Invitation is the SHA-256, in hex, of the code with which the user may set a password until InvitedUntil; "" for none.
	Invitation   string
	InvitedUntil time.Time

	CreatedAt, UpdatedAt time.Time // set by the store
	SignedInAt           time.Time // zero means never
}

var userTable = newTable(table[User]{
	name: "admin_user", noun: "user", kind: changedUser, owner: "tenant_id", idle: true,
	head: func(u *User) head { return head{id: &u.ID, created: &u.CreatedAt, updated: &u.UpdatedAt} },
	prepare: func(u *User) error {
		switch {
		case u.ID == "":
			return errors.New("a user needs an id")
		case u.Email == "":
			return errors.New("a user needs an e-mail address")
		}
		return nil
	},
	fields: func(u *User) []field {
		return []field{
			newFixedField("id", &u.ID),
			{column: "email", at: &u.Email},
			{column: "name", at: &u.Name},
			{column: "password", at: &u.Password},
			{column: "subject", at: newNullTextCodec(&u.Subject)},
			{column: "roles", at: newListCodec(&u.Roles)},
			{column: "tenant_id", at: newNullTextCodec(&u.TenantID)},
			{column: "status", at: &u.Status},
			newFixedField("created_at", newInstantCodec(&u.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&u.UpdatedAt)},
			newFixedField("signed_in_at", newInstantCodec(&u.SignedInAt)),
			{column: "roles_at", at: newInstantCodec(&u.RolesAt)},
			{column: "must_change", at: &u.MustChange},
			{column: "invitation", at: newNullTextCodec(&u.Invitation)},
			{column: "invited_until", at: newInstantCodec(&u.InvitedUntil)},
		}
	},
})

// Users reads and writes the administrators.
type Users struct{ Records[User] }

// Users returns the administrators.
func (db *DB) Users() Users { return Users{Records[User]{db, userTable}} }

// Cursor is the place of the user in a list.
func (u *User) Cursor() Cursor { return Cursor{u.CreatedAt, u.ID} }

// GetByEmail returns the user with an e-mail address, which is in lower case.
func (us Users) GetByEmail(ctx context.Context, email string) (User, error) {
	return us.find(ctx, "email = ?", email)
}

// GetBySubject returns the user whom the identity provider knows by subject.
func (us Users) GetBySubject(ctx context.Context, subject string) (User, error) {
	return us.find(ctx, "subject = ?", subject)
}

// GetByInvitation returns the user with an invitation, by the SHA-256 of its code in hex.
func (us Users) GetByInvitation(ctx context.Context, hash string) (User, error) {
	return us.find(ctx, "invitation = ?", hash)
}

// withPassword counts the users who can sign in with a password.
const withPassword = "SELECT count(*) FROM admin_user WHERE password <> ''"

// CountWithPassword returns the number of users who have a password.
func (us Users) CountWithPassword(ctx context.Context) (n int64, err error) {
	if err = us.db.read.GetContext(ctx, &n, withPassword); err != nil {
		return 0, fmt.Errorf("count users: %w", err)
	}
	return n, nil
}

// InsertFirst adds a user if no user has a password yet; otherwise it returns ErrExists.
func (us Users) InsertFirst(ctx context.Context, u User) (User, error) {
	err := userTable.stamp(&u, us.db.readClock())
	if err == nil {
		err = us.db.mutate(ctx, func(tx *Tx) (bool, error) {
			var n int64
			if err := tx.GetContext(ctx, &n, withPassword); err != nil {
				return false, err
			}
			if n > 0 {
				return false, ErrExists
			}
			return true, userTable.insert(ctx, tx, u)
		})
	}
	if err != nil {
		return User{}, fmt.Errorf("insert the first user: %w", err)
	}
	return u, nil
}

// Change lets change edit a user as they are stored, and stores and returns the result. An unchanged user keeps their
// UpdatedAt. It returns ErrLastOwner if no owner would remain.
func (us Users) Change(ctx context.Context, id string, change func(u *User) error) (User, error) {
	return us.change(ctx, id, change, func(tx *Tx, before, now *User) error {
		if before.isOwner() && !now.isOwner() {
			return us.requireOwner(ctx, tx)
		}
		return nil
	})
}

// Delete removes a user with their tokens and sessions, unless check returns an error. It returns ErrLastOwner for the
// last owner.
func (us Users) Delete(ctx context.Context, id string, check func(u *User) error) error {
	return us.delete(ctx, id, func(u User) error { return check(&u) }, func(tx *Tx, was *User) error {
		if was.isOwner() {
			return us.requireOwner(ctx, tx)
		}
		return nil
	})
}

// RecordSignIn stores that a user has signed in now. It does not advance the configuration version.
func (us Users) RecordSignIn(ctx context.Context, id string) error {
	return us.db.exec(ctx, "record a sign-in", "UPDATE admin_user SET signed_in_at = ? WHERE id = ?", us.db.now().UnixMicro(), id)
}

// ConfirmRoles stores that a token issued at an instant confirms the roles. It does not advance the configuration version.
func (us Users) ConfirmRoles(ctx context.Context, id string, at time.Time) error {
	return us.db.exec(ctx, "confirm roles", "UPDATE admin_user SET roles_at = ? WHERE id = ? AND (roles_at IS NULL OR roles_at < ?)",
		convertToMicros(at), id, convertToMicros(at))
}

// isOwner reports whether the user is an active owner.
func (u *User) isOwner() bool {
	return u.Status == UserActive && slices.Contains(u.Roles, ownerRole)
}

// ownerRole is the name of the role that permits everything.
const ownerRole = "owner"

// requireOwner returns ErrLastOwner if no active owner is left who has a credential: a password, a subject at the identity
// provider, or a valid token.
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
