package store

import (
	"context"
	"errors"
	"fmt"
)

// CopySetting is the setting that makes a database the replica of a node: what came with its records, sealed.
const CopySetting = "fleet.copy"

// ErrReplica means that a record was to be changed in a node's copy.
var ErrReplica = errors.New("this database is a node's copy of its control plane's; make the change there")

// refuseReplica keeps administrative changes out of a replica: they would be lost, and its version would no longer be
// that of the control plane.
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

// AdvanceBeyond makes the configuration version higher than a version, when it is not, and forgets what changed: who
// has an older one takes the whole configuration. It is for a control plane that was put back to an older copy of its
// database while nodes have gone on from a later one.
func (c Config) AdvanceBeyond(ctx context.Context, version int64) error {
	err := c.db.mutate(ctx, func(tx *Tx) (bool, error) {
		if _, err := tx.ExecContext(ctx, "UPDATE config_version SET version = ? WHERE version <= ?", version+1, version); err != nil {
			return false, err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM config_change") // nothing is noted of this one either
		return true, err
	})
	if err != nil {
		return fmt.Errorf("advance configuration version: %w", err)
	}
	return nil
}
