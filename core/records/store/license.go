package store

import (
	"context"
	"fmt"
	"time"
)

// License is the licence file that an owner has set.
type License struct {
	File        []byte
	InstalledAt time.Time
	InstalledBy string // id of the actor
}

// Get returns the stored licence, or ErrNotFound.
func (ls Licenses) Get(ctx context.Context) (License, error) {
	var row struct {
		File []byte
		At   int64  `db:"installed_at"`
		By   string `db:"installed_by"`
	}
	if err := ls.db.read.GetContext(ctx, &row, "SELECT file, installed_at, installed_by FROM license WHERE one = 1"); err != nil {
		return License{}, fmt.Errorf("read licence: %w", mapDriverError(err))
	}
	return License{File: row.File, InstalledAt: time.UnixMicro(row.At).UTC(), InstalledBy: row.By}, nil
}

// Change sets the licence, or removes it if change returns nil. change gets the stored licence, or nil, in the same
// transaction.
func (ls Licenses) Change(ctx context.Context, change func(old *License) (*License, error)) error {
	err := ls.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var rows []struct {
			File []byte
			At   int64  `db:"installed_at"`
			By   string `db:"installed_by"`
		}
		if err := tx.SelectContext(ctx, &rows, "SELECT file, installed_at, installed_by FROM license WHERE one = 1"+tx.buildLockClause()); err != nil {
			return false, err
		}
		var old *License
		if len(rows) > 0 {
			old = &License{File: rows[0].File, InstalledAt: time.UnixMicro(rows[0].At).UTC(), InstalledBy: rows[0].By}
		}
		now, err := change(old)
		if err != nil || now == nil && old == nil {
			return false, err
		}
		tx.noteChange("license", "license")
		if now == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM license WHERE one = 1")
			return true, err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO license (one, file, installed_at, installed_by) VALUES (1, ?, ?, ?)
			ON CONFLICT (one) DO UPDATE SET file = excluded.file, installed_at = excluded.installed_at, installed_by = excluded.installed_by`,
			now.File, now.InstalledAt.UnixMicro(), now.InstalledBy)
		if err != nil {
			return false, err
		}
		// Forget the times seen under the previous licence: a clock that ran ahead must not expire the new one.
		_, err = tx.ExecContext(ctx, "UPDATE license_state SET seen_at = ?", now.InstalledAt.UnixMicro())
		return true, err
	})
	if err != nil {
		return fmt.Errorf("set licence: %w", err)
	}
	return nil
}

// LicenseState is the last known state of the installation's licence.
type LicenseState struct {
	Before, State string
	Digest        string // of the licence file, or ""
	ChangedAt     time.Time
	Told          bool      // the state is recorded in the audit chain
	SeenAt        time.Time // latest time that any node has seen
}

type licenseStateRow struct {
	Before, State, Digest string
	ChangedAt             int64 `db:"changed_at"`
	Told                  int64
	SeenAt                int64 `db:"seen_at"`
}

// GetState returns the last known state, or ErrNotFound before the first check.
func (ls Licenses) GetState(ctx context.Context) (LicenseState, error) {
	var row licenseStateRow
	if err := ls.db.read.GetContext(
		ctx,
		&row,
		"SELECT before, state, digest, changed_at, told, seen_at FROM license_state WHERE one = 1",
	); err != nil {
		return LicenseState{}, fmt.Errorf("read licence state: %w", mapDriverError(err))
	}
	return row.convertState(), nil
}

func (r *licenseStateRow) convertState() LicenseState {
	return LicenseState{
		Before: r.Before, State: r.State, Digest: r.Digest, ChangedAt: time.UnixMicro(r.ChangedAt).UTC(), Told: r.Told != 0,
		SeenAt: time.UnixMicro(r.SeenAt).UTC(),
	}
}

// ChangeState lets change edit the state and stores it if change returns true. Nodes take turns, so only one of them
// reports a transition. The first state is the zero one.
func (ls Licenses) ChangeState(ctx context.Context, change func(*LicenseState) bool) error {
	err := ls.db.transact(ctx, func(tx *Tx) error {
		var row licenseStateRow
		err := tx.GetContext(
			ctx,
			&row,
			`INSERT INTO license_state (one, before, state, digest, changed_at, told, seen_at) VALUES (1, '', '', '', 0, 1, 0)
			ON CONFLICT (one) DO UPDATE SET seen_at = license_state.seen_at RETURNING before, state, digest, changed_at, told, seen_at`,
		)
		if err != nil {
			return err
		}
		s := row.convertState()
		if !change(&s) {
			return nil
		}
		_, err = tx.ExecContext(
			ctx,
			"UPDATE license_state SET before = ?, state = ?, digest = ?, changed_at = ?, told = ?, seen_at = ? WHERE one = 1",
			s.Before,
			s.State,
			s.Digest,
			s.ChangedAt.UnixMicro(),
			s.Told,
			s.SeenAt.UnixMicro(),
		)
		return err
	})
	if err != nil {
		return fmt.Errorf("record licence state: %w", err)
	}
	return nil
}
