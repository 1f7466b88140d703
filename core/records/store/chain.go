package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ChainLayout is a layout of the chain, as JSON text.
type ChainLayout struct {
	Version   int64 // 0: none was stored
	Layout    string
	Actor     string // who stored it
	CreatedAt time.Time
}

type chainRow struct {
	Version   int64         `db:"version"`
	Layout    string        `db:"layout"`
	Actor     string        `db:"actor"`
	CreatedAt sql.NullInt64 `db:"created_at"`
}

func (r *chainRow) layout() ChainLayout {
	return ChainLayout{Version: r.Version, Layout: r.Layout, Actor: r.Actor, CreatedAt: instant(r.CreatedAt)}
}

// Get is the layout in force.
func (ls ChainLayouts) Get(ctx context.Context) (ChainLayout, error) {
	var row chainRow
	err := ls.db.read.GetContext(ctx, &row, "SELECT * FROM chain_layout ORDER BY version DESC LIMIT 1")
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return ChainLayout{}, fmt.Errorf("read layout of the chain: %w", err)
	}
	return row.layout(), nil
}

// Change stores what change makes of the layout in force, as a new version.
func (ls ChainLayouts) Change(ctx context.Context, actor string, change func(*ChainLayout) error) (ChainLayout, error) {
	var now ChainLayout
	err := ls.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row chainRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM chain_layout ORDER BY version DESC LIMIT 1"); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
		now = row.layout()
		if err := change(&now); err != nil {
			return false, err
		}
		now.Version, now.Actor, now.CreatedAt = row.Version+1, actor, ls.db.later(now.CreatedAt)
		row = chainRow{now.Version, now.Layout, now.Actor, micros(now.CreatedAt)}
		if _, err := tx.NamedExecContext(ctx, "INSERT INTO chain_layout (version, layout, actor, created_at) VALUES (:version, :layout, :actor, :created_at)", row); err != nil {
			return false, err
		}
		tx.changed("chain", "chain")
		_, err := tx.ExecContext(ctx, "DELETE FROM chain_layout WHERE version <= ?", now.Version-VersionsKept)
		return true, err
	})
	if err != nil {
		return ChainLayout{}, fmt.Errorf("store layout of the chain: %w", err)
	}
	return now, nil
}
