package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// The kinds of records that have a cursor per node.
const (
	spoolUsage  = "usage"
	spoolShadow = "shadow"
)

// ErrBehind means that a batch does not continue the stored records: some are missing in between, or the batch is
// already stored.
var ErrBehind = errors.New("the batch does not follow what is stored")

// GetCursors returns the numbers up to which a node's usage records and shadow events are stored here.
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

// moveCursorSQL moves a cursor from an expected position. No row means that it is elsewhere.
const moveCursorSQL = `INSERT INTO fleet_cursor (node, kind, upto) VALUES (?, ?, ?)
	ON CONFLICT (node, kind) DO UPDATE SET upto = excluded.upto WHERE fleet_cursor.upto < excluded.upto AND fleet_cursor.upto = ?`

// ImportShadowEvents stores a node's events behind the number from, up to upto. It returns ErrBehind if they were
// stored before.
func (f Fleet) ImportShadowEvents(ctx context.Context, node string, from, upto int64, events []policydoc.ShadowEvent) error {
	rows := buildShadowRows(events)
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
