package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// AuditRun is a run of segments of a node's chain for the control plane, with their index entries and the monthly
// counts.
type AuditRun struct {
	Segments    []RunSegment     `json:"segments"`
	Checkpoints []RunCheckpoint  `json:"checkpoints,omitempty"`
	Calls       map[string]int64 `json:"calls,omitempty"` // governed calls by month, all of them
}

// RunSegment is an AuditSegment.
type RunSegment struct {
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	FirstAt int64  `json:"first_at"`
	LastAt  int64  `json:"last_at"`
	Hash    []byte `json:"hash"`
	Sig     []byte `json:"sig"`
	Data    []byte `json:"data"`
}

// RunCheckpoint is an AuditCheckpoint with packed marks.
type RunCheckpoint struct {
	Seq   int64  `db:"seq" json:"seq"`
	First int64  `db:"first_seq" json:"first"`
	At    int64  `db:"at" json:"at"`
	Marks []byte `db:"marks" json:"marks,omitempty"`
}

// NewSegment returns the segment as part of the node's chain.
func (s *RunSegment) NewSegment(node string) AuditSegment {
	return AuditSegment{
		Node: node, First: s.First, Last: s.Last, FirstAt: s.FirstAt, LastAt: s.LastAt, Hash: convertHash(s.Hash), Sig: convertHash(s.Sig),
		Data: s.Data,
	}
}

// maxRun is the maximum size of a run's records in bytes. A larger first segment is sent alone.
const maxRun = 1 << 20

// errEnough ends the reading of segments.
var errEnough = errors.New("enough")

// ReadAfter returns the segments of the node's chain after a record, up to maxRun, or nil at its end.
func (al Audit) ReadAfter(ctx context.Context, node string, seq int64) (*AuditRun, error) {
	run := &AuditRun{Calls: map[string]int64{}}
	rows, err := al.db.read.QueryxContext(ctx, auditSegmentSQL+" WHERE node = ? AND first_seq > ? ORDER BY first_seq LIMIT 64", node, seq)
	if err != nil {
		return nil, fmt.Errorf("read audit segments: %w", err)
	}
	size := 0
	err = scanSegments(rows, func(s *AuditSegment) error {
		if size += len(s.Data); size > maxRun && len(run.Segments) > 0 {
			return errEnough
		}
		hash, sig := s.Hash, s.Sig
		run.Segments = append(run.Segments, RunSegment{
			First: s.First, Last: s.Last, FirstAt: s.FirstAt, LastAt: s.LastAt, Hash: hash[:], Sig: sig[:], Data: append([]byte(nil), s.Data...),
		})
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	if len(run.Segments) == 0 {
		return nil, nil // an empty result is not an error
	}
	last := run.Segments[len(run.Segments)-1].Last
	if err := al.db.read.SelectContext(
		ctx,
		&run.Checkpoints,
		"SELECT seq, first_seq, at, marks FROM audit_checkpoint WHERE node = ? AND seq > ? AND seq <= ? ORDER BY seq",
		node,
		seq,
		last,
	); err != nil {
		return nil, fmt.Errorf("read audit checkpoints: %w", err)
	}
	var calls []struct {
		Month string `db:"month"`
		Calls int64  `db:"calls"`
	}
	if err := al.db.read.SelectContext(ctx, &calls, "SELECT month, calls FROM governed_call WHERE node = ?", node); err != nil {
		return nil, fmt.Errorf("read governed calls: %w", err)
	}
	for _, c := range calls {
		run.Calls[c.Month] = c.Calls
	}
	return run, nil
}

// Import appends a run to the copy of the node's chain, which must end at the head from and then ends at the head to.
// The caller has verified that the run leads from one to the other. It returns ErrBehind if the chain ends elsewhere.
func (al Audit) Import(ctx context.Context, node string, from, to AuditHead, run *AuditRun) error {
	err := al.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO audit_head (node, seq, at, hash, sig) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (node) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, sig = excluded.sig
			WHERE audit_head.seq = ?`, node, to.Seq, to.At, to.Hash[:], to.Sig[:], from.Seq)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrBehind)
		}
		for i := range run.Segments {
			s := &run.Segments[i]
			if _, err := tx.ExecContext(ctx, `INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, node, s.First, s.Last, s.FirstAt, s.LastAt, s.Hash, s.Sig, s.Data); err != nil {
				return err
			}
		}
		for _, c := range run.Checkpoints {
			if c.Seq <= from.Seq || c.Seq > to.Seq {
				continue
			}
			if _, err := tx.ExecContext(
				ctx,
				"INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				node,
				c.Seq,
				c.First,
				c.At,
				c.Marks,
			); err != nil {
				return err
			}
		}
		for month, n := range run.Calls {
			if len(month) != len(monthForm) || strings.Trim(month, "0123456789-") != "" {
				continue
			}
			// The node's count is cumulative, so the higher number is the later one.
			if _, err := tx.ExecContext(ctx, `INSERT INTO governed_call (month, node, calls) VALUES (?, ?, ?)
				ON CONFLICT (month, node) DO UPDATE SET calls = excluded.calls WHERE governed_call.calls < excluded.calls`, month, node, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take over the audit chain of node %q: %w", node, err)
	}
	return nil
}
