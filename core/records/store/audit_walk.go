package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

const auditSegmentSQL = `SELECT node, first_seq, last_seq, first_at, last_at, hash, sig, data FROM audit_segment`

// Walk reads a node's chain in one snapshot: ends gets its expected start and end, then each gets every segment in
// order. It stops at the first error of ends or each. The segment is valid only during the call.
func (al Audit) Walk(ctx context.Context, node string, ends func(*AuditBase, *AuditHead) error, each func(*AuditSegment) error) error {
	return al.db.read.readSnapshot(ctx, func(tx *Tx) error {
		head, err := readHead(ctx, tx, node)
		if err != nil {
			return err
		}
		base, err := readBase(ctx, tx, node)
		if err != nil {
			return err
		}
		if err := ends(base, head); err != nil {
			return err
		}
		rows, err := tx.QueryxContext(ctx, auditSegmentSQL+" WHERE node = ? ORDER BY first_seq", node)
		if err != nil {
			return fmt.Errorf("read audit segments: %w", err)
		}
		return scanSegments(rows, each)
	})
}

// getter reads one row. A pool and a transaction both implement it.
type getter interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
}

// GetHead returns the stored head of the node's chain, or nil. It does not check the signature.
func (al Audit) GetHead(ctx context.Context, node string) (*AuditHead, error) {
	return readHead(ctx, al.db.read, node)
}

func readHead(ctx context.Context, from getter, node string) (*AuditHead, error) {
	var row struct {
		Seq, At   int64
		Hash, Sig []byte
	}
	err := from.GetContext(ctx, &row, "SELECT seq, at, hash, sig FROM audit_head WHERE node = ? AND seq > 0", node)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // a missing head is not an error: the chain has no records yet
	}
	if err != nil {
		return nil, fmt.Errorf("read audit head: %w", err)
	}
	return &AuditHead{Seq: row.Seq, At: row.At, Hash: convertHash(row.Hash), Sig: convertHash(row.Sig)}, nil
}

// scanSegments calls each with the segments of rows, and closes rows.
func scanSegments(rows *sqlx.Rows, each func(*AuditSegment) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	var hash, sig, data sql.RawBytes
	var s AuditSegment
	for rows.Next() {
		if err := rows.Scan(&s.Node, &s.First, &s.Last, &s.FirstAt, &s.LastAt, &hash, &sig, &data); err != nil {
			return fmt.Errorf("read audit segment: %w", err)
		}
		s.Hash, s.Sig, s.Data = convertHash(hash), convertHash(sig), decompressSegment(data)
		if err := each(&s); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read audit segments: %w", err)
	}
	return nil
}

// ListHeads returns the heads of all chains by node. It does not check their signatures.
func (al Audit) ListHeads(ctx context.Context) (map[string]AuditHead, error) {
	var rows []struct {
		Node      string
		Seq, At   int64
		Hash, Sig []byte
	}
	if err := al.db.read.SelectContext(ctx, &rows, "SELECT node, seq, at, hash, sig FROM audit_head WHERE seq > 0"); err != nil {
		return nil, fmt.Errorf("read audit heads: %w", err)
	}
	heads := make(map[string]AuditHead, len(rows))
	for _, r := range rows {
		heads[r.Node] = AuditHead{Seq: r.Seq, At: r.At, Hash: convertHash(r.Hash), Sig: convertHash(r.Sig)}
	}
	return heads, nil
}

// GetHash returns the chain hash after a record that ends a segment, or ErrNotFound.
func (al Audit) GetHash(ctx context.Context, node string, seq int64) ([32]byte, error) {
	var hash []byte
	err := al.db.read.GetContext(
		ctx,
		&hash,
		"SELECT hash FROM audit_segment WHERE node = ? AND first_seq <= ? AND last_seq = ? ORDER BY first_seq DESC LIMIT 1",
		node,
		seq,
		seq,
	)
	if err != nil {
		return [32]byte{}, fmt.Errorf("read audit segment: %w", mapDriverError(err))
	}
	return convertHash(hash), nil
}
