package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ChainLayout is a version of the chain's layout, as JSON text.
type ChainLayout struct {
	Version   int64 // 0 if none was stored
	Layout    string
	Actor     string // the actor that stored it
	CreatedAt time.Time
}

var chainLayoutTable = newTable(table[ChainLayout]{
	name: "chain_layout", noun: "layout of the chain",
	head: func(c *ChainLayout) head {
		id := strconv.FormatInt(c.Version, 10)
		return head{id: &id, created: &c.CreatedAt}
	},
	fields: func(c *ChainLayout) []field {
		return []field{
			newFixedField("version", &c.Version),
			newFixedField("layout", &c.Layout),
			newFixedField("actor", &c.Actor),
			newFixedField("created_at", newInstantCodec(&c.CreatedAt)),
		}
	},
})

// currentLayout selects the layout that applies.
const currentLayout = "1 = 1 ORDER BY version DESC LIMIT 1"

// ChainLayouts reads and writes the layout of the chain. Every change creates a version; the last VersionsKept are
// kept.
type ChainLayouts struct{ db *DB }

// ChainLayouts returns the layout of the chain.
func (db *DB) ChainLayouts() ChainLayouts { return ChainLayouts{db} }

// Get returns the layout that applies.
func (ls ChainLayouts) Get(ctx context.Context) (ChainLayout, error) {
	c, err := chainLayoutTable.find(ctx, ls.db.read.bound, currentLayout)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return ChainLayout{}, fmt.Errorf("read layout of the chain: %w", err)
	}
	return c, nil
}

// Change lets change edit the layout that applies, and stores the result as a new version.
func (ls ChainLayouts) Change(ctx context.Context, actor string, change func(*ChainLayout) error) (ChainLayout, error) {
	var now ChainLayout
	err := ls.db.mutate(ctx, func(tx *Tx) (bool, error) {
		before, err := chainLayoutTable.find(ctx, tx.bound, currentLayout)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
		now = before
		if err := change(&now); err != nil {
			return false, err
		}
		now.Version, now.Actor, now.CreatedAt = before.Version+1, actor, ls.db.chooseLaterTime(now.CreatedAt)
		if err := chainLayoutTable.insert(ctx, tx, now); err != nil {
			return false, err
		}
		tx.noteChange("chain", "chain")
		_, err = tx.ExecContext(ctx, "DELETE FROM chain_layout WHERE version <= ?", now.Version-VersionsKept)
		return true, err
	})
	if err != nil {
		return ChainLayout{}, fmt.Errorf("store layout of the chain: %w", err)
	}
	return now, nil
}
