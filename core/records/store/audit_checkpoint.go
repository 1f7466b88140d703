package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
)

// AuditCheckpoint is the position of a checkpoint in its chain, with an index of the records from First to it, which
// lets a list skip runs without a match.
type AuditCheckpoint struct {
	First, Seq int64
	At         int64           // set on reading
	Known      bool            // Marks are complete
	Marks      map[uint32]bool // of the records' tenants and types, see ComputeAuditMark
}

// ComputeAuditMark returns the digest of a tenant, of a type, or of both together. "" matches any.
func ComputeAuditMark(tenant, kind string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(tenant)) // Write on a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(kind))
	return h.Sum32()
}

// packMarks encodes the marks in order, 4 bytes each.
func (c *AuditCheckpoint) packMarks() []byte {
	sorted := make([]uint32, 0, len(c.Marks))
	for m := range c.Marks {
		sorted = append(sorted, m)
	}
	slices.Sort(sorted)
	out := make([]byte, 0, 4*len(sorted))
	for _, m := range sorted {
		out = binary.BigEndian.AppendUint32(out, m)
	}
	return out
}

// hasMark reports whether packed marks contain the mark.
func hasMark(packed []byte, mark uint32) bool {
	n := len(packed) / 4
	at := func(i int) uint32 { return binary.BigEndian.Uint32(packed[4*i:]) }
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi) / 2
		if at(mid) < mark {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < n && at(lo) == mark
}

// FindLastCheckpoint returns the latest checkpoint of the node's chain before an instant, without its marks, or nil. The
// instant is in microseconds; 0 means any.
func (al Audit) FindLastCheckpoint(ctx context.Context, node string, before int64) (*AuditCheckpoint, error) {
	query, args := "SELECT first_seq, seq, at FROM audit_checkpoint WHERE node = ?", []any{node}
	if before > 0 {
		query, args = query+" AND at < ?", append(args, before)
	}
	var c AuditCheckpoint
	err := al.db.read.QueryRowContext(ctx, query+" ORDER BY seq DESC LIMIT 1", args...).Scan(&c.First, &c.Seq, &c.At)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // a missing checkpoint is not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read audit checkpoint: %w", err)
	}
	return &c, nil
}

// ListIndex returns up to limit entries of the index of a node's chain behind a number, in order.
func (al Audit) ListIndex(ctx context.Context, node string, behind int64, limit int) ([]RunCheckpoint, error) {
	var list []RunCheckpoint
	err := al.db.read.SelectContext(ctx, &list,
		"SELECT seq, first_seq, at, marks FROM audit_checkpoint WHERE node = ? AND seq > ? ORDER BY seq LIMIT ?", node, behind, limit)
	if err != nil {
		return nil, fmt.Errorf("read audit checkpoints: %w", err)
	}
	return list, nil
}

// Hides reports whether lists of a tenant, of a type, or of both skip the run of the entry. One without marks hides nothing.
func (c *RunCheckpoint) Hides(tenant, kind string) bool {
	if c.Marks == nil {
		return false
	}
	for _, mark := range [...]uint32{ComputeAuditMark(tenant, ""), ComputeAuditMark("", kind), ComputeAuditMark(tenant, kind)} {
		if !hasMark(c.Marks, mark) {
			return true
		}
	}
	return false
}
