package store

import (
	"context"
	"errors"
	"fmt"
)

// CopySetting is the setting that marks a database as a node's replica. It holds the sealed settings that came with its
// records.
const CopySetting = "fleet.copy"

// ErrReplica means that the record is part of a node's replica and cannot be changed there.
var ErrReplica = errors.New("the database is a node's copy of its control plane's; make the change there")

// refuseReplica refuses administrative changes to a replica: they would be lost, and its version would differ from the
// control plane's.
func (tx *Tx) refuseReplica(ctx context.Context) error {
	var n int
	if err := tx.GetContext(ctx, &n, "SELECT count(*) FROM setting WHERE name = ?", CopySetting); err != nil {
		return err
	}
	if n > 0 {
		return ErrReplica
	}
	return nil
}

// AdvanceBeyond raises the configuration version above a version, if it is not higher already, and clears the log of
// changes, so that nodes reload the whole configuration. It is for a control plane that was restored from a backup
// while nodes have seen later versions.
func (c Config) AdvanceBeyond(ctx context.Context, version int64) error {
	err := c.db.mutate(ctx, func(tx *Tx) (bool, error) {
		if _, err := tx.ExecContext(ctx, "UPDATE config_version SET version = ? WHERE version <= ?", version+1, version); err != nil {
			return false, err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM config_change") // not even this change is logged
		return true, err
	})
	if err != nil {
		return fmt.Errorf("advance configuration version: %w", err)
	}
	return nil
}
