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

// SourceEnv is the source of a token that a variable of the environment names.
const SourceEnv = "environment"

// PAT is a personal access token as stored: its plaintext is known to its user only.
type PAT struct {
	ID, UserID string
	Name       string
	Prefix     string   // leading characters of the plaintext, for people to tell tokens apart
	Hash       [32]byte // SHA-256 of the plaintext
	Roles      []string // what its user was when it was made
	TenantID   string   // whose tenant that was; "": the platform
	Source     string

	CreatedAt time.Time // set by the store
	UsedAt    time.Time // zero means never; behind by a minute at most
	ExpiresAt time.Time // zero means never
	RevokedAt time.Time // zero: it is not
}

type patRow struct {
	ID        string        `db:"id"`
	UserID    string        `db:"user_id"`
	Name      string        `db:"name"`
	Prefix    string        `db:"prefix"`
	Hash      []byte        `db:"hash"`
	Roles     string        `db:"roles"`
	TenantID  string        `db:"tenant_id"`
	Source    string        `db:"source"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	UsedAt    sql.NullInt64 `db:"used_at"`
	ExpiresAt sql.NullInt64 `db:"expires_at"`
	RevokedAt sql.NullInt64 `db:"revoked_at"`
}

// Insert adds a token and returns it as stored. An id or a hash that is there already is ErrExists, a user that is
// not is ErrNotFound.
func (ps PATs) Insert(ctx context.Context, p PAT) (PAT, error) {
	p.CreatedAt = ps.db.now().UTC().Truncate(time.Microsecond)
	err := ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		tx.changed(changedPAT, p.ID)
		return true, insertPAT(ctx, tx, &p)
	})
	if err != nil {
		return PAT{}, fmt.Errorf("insert token: %w", err)
	}
	return p, nil
}

func insertPAT(ctx context.Context, tx *Tx, p *PAT) error {
	switch {
	case p.ID == "":
		return errors.New("a token needs an id")
	case p.Hash == [32]byte{}:
		return errors.New("a token needs the hash of its plaintext")
	}
	roles, err := encodeRoles(p.Roles)
	if err != nil {
		return err
	}
	_, err = tx.NamedExecContext(ctx, `
		INSERT INTO access_token (id, user_id, name, prefix, hash, roles, tenant_id, source, created_at, used_at, expires_at, revoked_at)
		VALUES (:id, :user_id, :name, :prefix, :hash, :roles, :tenant_id, :source, :created_at, :used_at, :expires_at, :revoked_at)`,
		patRow{
			ID: p.ID, UserID: p.UserID, Name: p.Name, Prefix: p.Prefix, Hash: p.Hash[:], Roles: roles, TenantID: p.TenantID, Source: p.Source,
			CreatedAt: micros(p.CreatedAt), UsedAt: micros(p.UsedAt), ExpiresAt: micros(p.ExpiresAt), RevokedAt: micros(p.RevokedAt),
		})
	return err
}

// Upsert makes sure that the token of the environment is there with its user, whom it adds when they are not, and
// answers it as stored: a token that was revoked stays so. When it is a new one, those that were there before it for the
// same user from the same source end with it.
func (ps PATs) Upsert(ctx context.Context, u User, p PAT) (kept PAT, added bool, err error) {
	now := ps.db.now().UTC().Truncate(time.Microsecond)
	u.CreatedAt, u.UpdatedAt, p.CreatedAt = now, now, now
	row, err := u.row()
	if err != nil {
		return PAT{}, false, fmt.Errorf("keep token: %w", err)
	}
	err = ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		added = false
		var old patRow
		err := tx.GetContext(ctx, &old, "SELECT * FROM access_token WHERE hash = ?", p.Hash[:])
		if err == nil {
			kept, err = old.pat()
			return false, err
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
		_, err = tx.NamedExecContext(ctx, `
			INSERT INTO admin_user (id, email, name, password, subject, roles, tenant_id, status, created_at, updated_at, signed_in_at)
			VALUES (:id, :email, :name, :password, :subject, :roles, :tenant_id, :status, :created_at, :updated_at, :signed_in_at)
			ON CONFLICT (id) DO NOTHING`, row)
		if err != nil {
			return false, err
		}
		_, err = tx.ExecContext(ctx, "UPDATE access_token SET revoked_at = ? WHERE user_id = ? AND source = ? AND revoked_at IS NULL",
			now.UnixMicro(), p.UserID, p.Source)
		if err != nil {
			return false, err
		}
		kept, added = p, true
		tx.changed(changedUser, u.ID)
		tx.changed(changedPAT, p.ID)
		return true, insertPAT(ctx, tx, &p)
	})
	if err != nil {
		return PAT{}, false, fmt.Errorf("keep token: %w", err)
	}
	return kept, added, nil
}

// Revoke ends a token at once and for good, unless check objects, and returns it. ErrNotFound when there is none
// with the id. Revoking twice changes nothing: changed is false then.
func (ps PATs) Revoke(ctx context.Context, id string, check func(p *PAT) error) (p PAT, changed bool, err error) {
	now := ps.db.now().UTC().Truncate(time.Microsecond)
	err = ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		changed = false
		var row patRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM access_token WHERE id = ?", id); err != nil {
			return false, err
		}
		if p, err = row.pat(); err != nil {
			return false, err
		}
		if err := check(&p); err != nil || !p.RevokedAt.IsZero() {
			return false, err
		}
		p.RevokedAt, changed = now, true
		_, err := tx.ExecContext(ctx, "UPDATE access_token SET revoked_at = ? WHERE id = ?", now.UnixMicro(), id)
		tx.changed(changedPAT, id)
		return true, err
	})
	if err != nil {
		return PAT{}, false, fmt.Errorf("revoke token: %w", err)
	}
	return p, changed, nil
}

// RecordUse notes when a token was used. It is no change of the configuration.
func (ps PATs) RecordUse(ctx context.Context, id string, at time.Time) error {
	err := ps.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE access_token SET used_at = ? WHERE id = ?", at.UnixMicro(), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("note the use of a token: %w", err)
	}
	return nil
}

// GetByHash finds a token by the hash of its plaintext, and the user whose it is; ErrNotFound when there is none. It
// reads what is committed at this moment, on whichever node that was.
func (ps PATs) GetByHash(ctx context.Context, hash [32]byte) (PAT, User, error) {
	var row struct {
		Token patRow  `db:"t"`
		User  userRow `db:"u"`
	}
	err := ps.db.read.GetContext(ctx, &row, `
		SELECT t.id AS "t.id", t.user_id AS "t.user_id", t.name AS "t.name", t.prefix AS "t.prefix", t.hash AS "t.hash",
			t.roles AS "t.roles", t.tenant_id AS "t.tenant_id", t.source AS "t.source", t.created_at AS "t.created_at",
			t.used_at AS "t.used_at", t.expires_at AS "t.expires_at", t.revoked_at AS "t.revoked_at",
			u.id AS "u.id", u.email AS "u.email", u.name AS "u.name", u.password AS "u.password", u.subject AS "u.subject",
			u.roles AS "u.roles", u.tenant_id AS "u.tenant_id", u.status AS "u.status", u.created_at AS "u.created_at",
			u.updated_at AS "u.updated_at", u.signed_in_at AS "u.signed_in_at"
		FROM access_token AS t JOIN admin_user AS u ON u.id = t.user_id WHERE t.hash = ?`, hash[:])
	if err != nil {
		return PAT{}, User{}, fmt.Errorf("read token: %w", named(err))
	}
	p, err := row.Token.pat()
	if err != nil {
		return PAT{}, User{}, err
	}
	u, err := row.User.user()
	return p, u, err
}

// Get is one token; ErrNotFound when there is none with the id.
func (ps PATs) Get(ctx context.Context, id string) (PAT, error) {
	var row patRow
	if err := ps.db.read.GetContext(ctx, &row, "SELECT * FROM access_token WHERE id = ?", id); err != nil {
		return PAT{}, fmt.Errorf("read token: %w", named(err))
	}
	return row.pat()
}

// Each lists the tokens of one user, or with an empty id those of all, behind a place, in the order of their making;
// a limit of 0 is none. An error ends the list.
func (ps PATs) Each(ctx context.Context, userID string, after Cursor, limit int) iter.Seq2[PAT, error] {
	return eachOf(ctx, ps.db, "access_token", "user_id", userID, after, limit, func(r *patRow) (PAT, Cursor, error) {
		p, err := r.pat()
		return p, p.Cursor(), err
	})
}

// Cursor is the place behind the token.
func (p *PAT) Cursor() Cursor { return Cursor{p.CreatedAt, p.ID} }

func (r *patRow) pat() (PAT, error) {
	p := PAT{
		ID: r.ID, UserID: r.UserID, Name: r.Name, Prefix: r.Prefix, TenantID: r.TenantID, Source: r.Source,
		CreatedAt: instant(r.CreatedAt), UsedAt: instant(r.UsedAt), ExpiresAt: instant(r.ExpiresAt), RevokedAt: instant(r.RevokedAt),
	}
	if len(r.Hash) != len(p.Hash) {
		return PAT{}, fmt.Errorf("read token %q: its hash is damaged", r.ID)
	}
	copy(p.Hash[:], r.Hash)
	if err := json.Unmarshal([]byte(r.Roles), &p.Roles); err != nil {
		return PAT{}, fmt.Errorf("read token %q: roles: %w", r.ID, err)
	}
	return p, nil
}
