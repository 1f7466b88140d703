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

// AuditCheckpoint is where a checkpoint stands in its chain, and what the records from First on to it are about: an
// index, which lets a list pass over what it does not look for.
type AuditCheckpoint struct {
	First, Seq int64
	At         int64           // set when it is read
	Known      bool            // Marks are complete
	Marks      map[uint32]bool // of the tenants and types of the records, see AuditMark
}

// AuditMark is the digest of a tenant, of a type, or of both together; "" is any.
func AuditMark(tenant, kind string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(tenant)) // a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(kind))
	return h.Sum32()
}

// packMarks are the marks in order, 4 bytes each.
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

// hasMark says whether packed marks hold the mark.
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

// LastCheckpoint is the latest checkpoint of the node's chain that was written before the instant (microseconds;
// 0: any), without its marks; nil when there is none.
func (al Audit) LastCheckpoint(ctx context.Context, node string, before int64) (*AuditCheckpoint, error) {
	query, args := "SELECT first_seq, seq, at FROM audit_checkpoint WHERE node = ?", []any{node}
	if before > 0 {
		query, args = query+" AND at < ?", append(args, before)
	}
	var c AuditCheckpoint
	err := al.db.read.QueryRowContext(ctx, query+" ORDER BY seq DESC LIMIT 1", args...).Scan(&c.First, &c.Seq, &c.At)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no checkpoint is no error
	}
	if err != nil {
		return nil, fmt.Errorf("read audit checkpoint: %w", err)
	}
	return &c, nil
}
