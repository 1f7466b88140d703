package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// The kinds of a node's records that are counted by cursors.
const (
	spoolUsage  = "usage"
	spoolShadow = "shadow"
)

// ErrBehind means that a batch of records does not follow what is stored: some between are missing, or it was stored.
var ErrBehind = errors.New("the batch does not follow what is stored")

// GetCursors are the numbers up to which a node's usage records and shadow events are stored here.
func (f Fleet) GetCursors(ctx context.Context, node string) (usage, shadow int64, err error) {
	var rows []struct {
		Kind string `db:"kind"`
		Upto int64  `db:"upto"`
	}
	if err := f.db.read.SelectContext(ctx, &rows, "SELECT kind, upto FROM fleet_cursor WHERE node = ?", node); err != nil {
		return 0, 0, fmt.Errorf("read cursors of node %q: %w", node, err)
	}
	for _, r := range rows {
		switch r.Kind {
		case spoolUsage:
			usage = r.Upto
		case spoolShadow:
			shadow = r.Upto
		}
	}
	return usage, shadow, nil
}

// moveCursorSQL moves a cursor on from a place; no row means that it stands elsewhere.
const moveCursorSQL = `INSERT INTO fleet_cursor (node, kind, upto) VALUES (?, ?, ?)
	ON CONFLICT (node, kind) DO UPDATE SET upto = excluded.upto WHERE fleet_cursor.upto < excluded.upto AND fleet_cursor.upto = ?`

// ImportShadowEvents stores a node's events, those behind the number from and up to upto. A batch that was stored before
// is ErrBehind.
func (f Fleet) ImportShadowEvents(ctx context.Context, node string, from, upto int64, events []policydoc.ShadowEvent) error {
	rows := shadowRows(events)
	err := f.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, moveCursorSQL, node, spoolShadow, upto, from)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrBehind)
		}
		return tx.insertShadow(ctx, f.db.now(), rows)
	})
	if err != nil {
		return fmt.Errorf("store shadow events of node %q: %w", node, err)
	}
	return nil
}
