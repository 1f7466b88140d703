package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// AuditBase is the start of a node's chain after retention removed its beginning. Seq is the last removed record.
type AuditBase struct {
	Seq, At   int64
	Hash      [32]byte
	Counts    map[string]int64 // removed records by type since the chain began
	RemovedAt int64            // microseconds since 1970 UTC
	Sig       [32]byte
}

// errBase means that the stored base was tampered with.
var errBase = errors.New("cannot read where the chain begins after retention")

// GetBase returns the base of the node's chain, or nil if nothing was removed. It does not check the signature.
func (al Audit) GetBase(ctx context.Context, node string) (*AuditBase, error) {
	return readBase(ctx, al.db.read, node)
}

func readBase(ctx context.Context, from getter, node string) (*AuditBase, error) {
	var row struct {
		Seq, At   int64
		Hash, Sig []byte
		Counts    string
		RemovedAt int64 `db:"removed_at"`
	}
	err := from.GetContext(ctx, &row, "SELECT seq, at, hash, counts, removed_at, sig FROM audit_base WHERE node = ?", node)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // nothing was removed
	}
	if err != nil {
		return nil, fmt.Errorf("read audit base: %w", err)
	}
	b := &AuditBase{Seq: row.Seq, At: row.At, Hash: convertHash(row.Hash), RemovedAt: row.RemovedAt, Sig: convertHash(row.Sig)}
	if json.Unmarshal([]byte(row.Counts), &b.Counts) != nil {
		b.Sig = [32]byte{} // zeros match no signature
	}
	return b, nil
}

// Trim removes the node's records up to the base, and stores the base as the chain's start, in one transaction. The
// record of the base must end its segment.
func (al Audit) Trim(ctx context.Context, node string, b *AuditBase) error {
	counts, err := json.Marshal(b.Counts)
	if err != nil {
		return fmt.Errorf("trim audit chain: %w", err)
	}
	err = al.db.transact(ctx, func(tx *Tx) error {
		var ends int
		if err := tx.GetContext(ctx, &ends, "SELECT count(*) FROM audit_segment WHERE node = ? AND last_seq = ?", node, b.Seq); err != nil {
			return err
		}
		if ends == 0 {
			return fmt.Errorf("%w: record %d does not end a segment", errBase, b.Seq)
		}
		// On PostgreSQL another process may have removed more in the meantime.
		res, err := tx.ExecContext(ctx, `INSERT INTO audit_base (node, seq, at, hash, counts, removed_at, sig) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (node) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, counts = excluded.counts,
			removed_at = excluded.removed_at, sig = excluded.sig WHERE audit_base.seq < excluded.seq`,
			node, b.Seq, b.At, b.Hash[:], string(counts), b.RemovedAt, b.Sig[:])
		if err != nil {
			return err
		}
		switch n, err := res.RowsAffected(); {
		case err != nil:
			return err
		case n == 0:
			return fmt.Errorf("another process has removed the records through %d meanwhile", b.Seq)
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM audit_segment WHERE node = ? AND first_seq <= ?", node, b.Seq); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM audit_checkpoint WHERE node = ? AND seq <= ?", node, b.Seq)
		return err
	})
	if err != nil {
		return fmt.Errorf("trim audit chain: %w", err)
	}
	return nil
}
