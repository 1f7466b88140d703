package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// SourceEnv is the source of a token that an environment variable sets.
const SourceEnv = "environment"

// PAT is a personal access token as stored. Only its user knows the plaintext.
type PAT struct {
	ID, UserID string
	Name       string
	Prefix     string   // first characters of the plaintext, for display
	Hash       [32]byte // SHA-256 of the plaintext
	Roles      []string // the user's roles at creation
	TenantID   string   // the user's tenant at creation; "": the platform
	Source     string

	CreatedAt time.Time // set by the store
	UsedAt    time.Time // zero means never; at most a minute behind
	ExpiresAt time.Time // zero means never
	RevokedAt time.Time // zero: valid
}

var patTable = newTable(table[PAT]{
	name: "access_token", noun: "token", kind: changedPAT, owner: "user_id",
	head: func(p *PAT) head { return head{id: &p.ID, created: &p.CreatedAt} },
	prepare: func(p *PAT) error {
		switch {
		case p.ID == "":
			return errors.New("a token needs an id")
		case p.Hash == [32]byte{}:
			return errors.New("a token needs the hash of its plaintext")
		}
		return nil
	},
	fields: func(p *PAT) []field {
		return []field{
			newFixedField("id", &p.ID),
			newFixedField("user_id", &p.UserID),
			newFixedField("name", &p.Name),
			newFixedField("prefix", &p.Prefix),
			newFixedField("hash", newDigestCodec(&p.Hash)),
			newFixedField("roles", newListCodec(&p.Roles)),
			newFixedField("tenant_id", &p.TenantID),
			newFixedField("source", &p.Source),
			newFixedField("created_at", newInstantCodec(&p.CreatedAt)),
			{column: "used_at", at: newInstantCodec(&p.UsedAt)},
			{column: "expires_at", at: newInstantCodec(&p.ExpiresAt)},
			{column: "revoked_at", at: newInstantCodec(&p.RevokedAt)},
		}
	},
})

// PATs reads and writes the personal access tokens.
type PATs struct{ db *DB }

// PATs returns the personal access tokens.
func (db *DB) PATs() PATs { return PATs{db} }

func (ps PATs) records() Records[PAT] { return Records[PAT]{ps.db, patTable} }

// Cursor is the place of the token in a list.
func (p *PAT) Cursor() Cursor { return Cursor{p.CreatedAt, p.ID} }

// Insert adds a token and returns it as stored.
func (ps PATs) Insert(ctx context.Context, p PAT) (PAT, error) { return ps.records().Insert(ctx, p) }

// Get returns the token with an id.
func (ps PATs) Get(ctx context.Context, id string) (PAT, error) { return ps.records().Get(ctx, id) }

// ListByUser lists the tokens of one user, or with "" all, as Records does.
func (ps PATs) ListByUser(ctx context.Context, userID string, after Cursor, limit int) iter.Seq2[PAT, error] {
	return ps.records().ListByOwner(ctx, userID, after, limit)
}

// Upsert ensures that the environment's token and its user exist, and returns the token as stored. A revoked token
// stays revoked. A new token revokes the previous ones of the same user and source.
func (ps PATs) Upsert(ctx context.Context, u User, p PAT) (kept PAT, added bool, err error) {
	now := ps.db.readClock()
	if err = userTable.stamp(&u, now); err != nil {
		return PAT{}, false, fmt.Errorf("keep token: %w", err)
	}
	err = ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		added = false
		if kept, err = patTable.find(ctx, tx.bound, "hash = ?", p.Hash[:]); !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
		if err := patTable.stamp(&p, now); err != nil {
			return false, err
		}
		args, err := userTable.listValues(&u)
		if err != nil {
			return false, err
		}
		if _, err = tx.ExecContext(ctx, userTable.insertSQL+" ON CONFLICT (id) DO NOTHING", args...); err != nil {
			return false, err
		}
		_, err = tx.ExecContext(ctx, "UPDATE access_token SET revoked_at = ? WHERE user_id = ? AND source = ? AND revoked_at IS NULL",
			now.UnixMicro(), p.UserID, p.Source)
		if err != nil {
			return false, err
		}
		kept, added = p, true
		tx.noteChange(changedUser, u.ID)
		return true, patTable.insert(ctx, tx, p)
	})
	if err != nil {
		return PAT{}, false, fmt.Errorf("keep token: %w", err)
	}
	return kept, added, nil
}

// Revoke revokes a token immediately, unless check returns an error, and returns it. changed is false if it was already
// revoked.
func (ps PATs) Revoke(ctx context.Context, id string, check func(p *PAT) error) (p PAT, changed bool, err error) {
	now := ps.db.readClock()
	err = ps.db.mutate(ctx, func(tx *Tx) (bool, error) {
		changed = false
		if p, err = patTable.lock(ctx, tx, id); err != nil {
			return false, err
		}
		if err := check(&p); err != nil || !p.RevokedAt.IsZero() {
			return false, err
		}
		p.RevokedAt, changed = now, true
		_, err := tx.ExecContext(ctx, "UPDATE access_token SET revoked_at = ? WHERE id = ?", now.UnixMicro(), id)
		tx.noteChange(changedPAT, id)
		return true, err
	})
	if err != nil {
		return PAT{}, false, fmt.Errorf("revoke token: %w", err)
	}
	return p, changed, nil
}

// RecordUse stores when a token was used. It does not advance the configuration version.
func (ps PATs) RecordUse(ctx context.Context, id string, at time.Time) error {
	return ps.db.exec(ctx, "record the use of a token", "UPDATE access_token SET used_at = ? WHERE id = ?", at.UnixMicro(), id)
}

// GetByHash returns the token with the hash of its plaintext, and its user. It sees all commits, whichever node made
// them.
func (ps PATs) GetByHash(ctx context.Context, hash [32]byte) (p PAT, u User, err error) {
	var names []string
	var into []any
	for _, f := range patTable.fields(&p) {
		names, into = append(names, "t."+f.column), append(into, f.at)
	}
	for _, f := range userTable.fields(&u) {
		names, into = append(names, "u."+f.column), append(into, f.at)
	}
	err = ps.db.read.QueryRowContext(ctx, "SELECT "+strings.Join(names, ", ")+
		" FROM access_token AS t JOIN admin_user AS u ON u.id = t.user_id WHERE t.hash = ?", hash[:]).Scan(into...)
	if err != nil {
		return PAT{}, User{}, fmt.Errorf("read token: %w", mapDriverError(err))
	}
	return p, u, nil
}
