package store

import (
	"context"
	"errors"
	"fmt"
)

// GetSegment returns the segment that contains a record and the chain hash before it, or a nil hash if the chain begins
// there. It returns ErrNotFound if the record was never written or retention removed it.
func (al Audit) GetSegment(ctx context.Context, node string, seq int64) (s AuditSegment, before *[32]byte, err error) {
	rows, err := al.db.read.QueryxContext(ctx, auditSegmentSQL+" WHERE node = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1", node, seq)
	if err != nil {
		return s, nil, fmt.Errorf("find an audit record: %w", err)
	}
	err = scanSegments(rows, func(found *AuditSegment) error {
		s = *found
		s.Data = append([]byte(nil), found.Data...)
		return nil
	})
	if err != nil {
		return s, nil, err
	}
	if s.Data == nil || seq > s.Last {
		return s, nil, ErrNotFound
	}
	hash, err := al.GetHash(ctx, node, s.First-1)
	if err == nil {
		return s, &hash, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return s, nil, err
	}
	base, err := readBase(ctx, al.db.read, node)
	if err != nil || base == nil || base.Seq != s.First-1 {
		return s, nil, err
	}
	return s, &base.Hash, nil
}
