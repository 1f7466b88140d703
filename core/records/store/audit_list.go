package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// AuditFilter selects audit records. A zero field matches all.
type AuditFilter struct {
	Node         *string // only the chain of this node
	Tenant, Type string
	Exchange     string     // id of an exchange or of its trace
	From, To     time.Time  // From is inclusive, To exclusive
	Behind       AuditPlace // last record of the previous page
	Limit        int        // maximum number of records
}

// AuditPlace is a place in a list of records, newest first: by time, node and number, all descending.
type AuditPlace struct {
	At   int64
	Node string
	Seq  int64
}

// precedes reports whether p precedes q in the list.
func (p AuditPlace) precedes(q AuditPlace) bool {
	switch {
	case p.At != q.At:
		return p.At > q.At
	case p.Node != q.Node:
		return p.Node > q.Node
	}
	return p.Seq > q.Seq
}

func (f *AuditFilter) chooses(r *AuditRecord) bool {
	return (f.Tenant == "" || r.Tenant == f.Tenant) && (f.Type == "" || r.Type == f.Type) &&
		(f.From.IsZero() || r.At >= f.From.UnixMicro()) && (f.To.IsZero() || r.At < f.To.UnixMicro()) &&
		(f.Behind.Seq == 0 || f.Behind.precedes(r.Place())) && f.bears(r)
}

// bears reports whether a record belongs to the exchange. Payloads are written without spaces.
func (f *AuditFilter) bears(r *AuditRecord) bool {
	return f.Exchange == "" || strings.Contains(r.Payload, f.Exchange) &&
		(strings.Contains(r.Payload, `"request_id":"`+f.Exchange+`"`) || strings.Contains(r.Payload, `"trace_id":"`+f.Exchange+`"`))
}

// Visit calls each with the records that match f, newest first, merged by time over all nodes. The record is valid
// only during the call, but its strings may be retained. Visit holds a few segments of each chain at a time, and no
// transaction.
func (al Audit) Visit(ctx context.Context, f AuditFilter, each func(*AuditRecord) error) error {
	nodes, err := al.ListNodes(ctx)
	if err != nil {
		return err
	}
	var chains []*auditCursor
	for _, node := range nodes {
		if f.Node != nil && *f.Node != node {
			continue
		}
		c, err := al.openCursor(ctx, node, f)
		if err != nil {
			return err
		}
		chains = append(chains, c)
	}
	for n := 0; f.Limit == 0 || n < f.Limit; n++ {
		var newest *auditCursor
		for _, c := range chains {
			if err := c.fill(ctx); err != nil {
				return err
			}
			if c.has() && (newest == nil || c.record().Place().precedes(newest.record().Place())) {
				newest = c
			}
		}
		if newest == nil {
			return nil
		}
		if err := each(newest.record()); err != nil {
			return err
		}
		newest.pop()
	}
	return nil
}

// ListNodes returns the nodes that have a chain, sorted.
func (al Audit) ListNodes(ctx context.Context) ([]string, error) {
	var nodes []string
	if err := al.db.read.SelectContext(ctx, &nodes, "SELECT node FROM audit_head WHERE seq > 0"); err != nil {
		return nil, fmt.Errorf("list audit chains: %w", err)
	}
	var loose []string // chains whose head was removed by tampering
	if err := al.db.read.SelectContext(ctx, &loose, "SELECT DISTINCT node FROM audit_segment"); err != nil {
		return nil, fmt.Errorf("list audit chains: %w", err)
	}
	nodes = append(nodes, loose...)
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}

// openCursor prepares to read a node's chain backwards.
func (al Audit) openCursor(ctx context.Context, node string, f AuditFilter) (*auditCursor, error) {
	c := &auditCursor{db: al.db, node: node, filter: f, next: math.MaxInt64}
	if f.Tenant != "" || f.Type != "" {
		c.mark, c.marked = ComputeAuditMark(f.Tenant, f.Type), true
	}
	until := f.To
	if f.Behind.Seq > 0 {
		if at := time.UnixMicro(f.Behind.At + 1); until.IsZero() || at.Before(until) {
			until = at
		}
	}
	if !until.IsZero() { // the segment of the first record that is too late may hold earlier ones
		seq, err := al.findSegment(ctx, node, until.UnixMicro())
		if err != nil {
			return nil, err
		}
		c.next = seq
	}
	return c, nil
}

// findSegment returns the first sequence number of the segment with the first record at or after an instant. If there
// is none, the result is larger than the numbers of all segments. Times rise with sequence numbers, so bisection finds
// it without an index on the time.
func (al Audit) findSegment(ctx context.Context, node string, at int64) (int64, error) {
	var ends struct{ Low, High *int64 }
	err := al.db.read.GetContext(ctx, &ends, "SELECT min(first_seq) AS low, max(first_seq) AS high FROM audit_segment WHERE node = ?", node)
	if err != nil {
		return 0, fmt.Errorf("find audit events by time: %w", err)
	}
	if ends.Low == nil || ends.High == nil {
		return 0, nil
	}
	lo, hi := *ends.Low, *ends.High+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		var seg struct {
			Seq  int64 `db:"first_seq"`
			Last int64 `db:"last_at"`
		}
		err := al.db.read.GetContext(ctx, &seg,
			"SELECT first_seq, last_at FROM audit_segment WHERE node = ? AND first_seq >= ? ORDER BY first_seq LIMIT 1", node, mid)
		if err != nil {
			return 0, fmt.Errorf("find audit events by time: %w", err)
		}
		if seg.Last < at {
			lo = seg.Seq + 1
		} else {
			hi = mid
		}
	}
	// lo may fall into the gap before its segment.
	var seq *int64
	if err := al.db.read.GetContext(
		ctx,
		&seq,
		"SELECT min(first_seq) FROM audit_segment WHERE node = ? AND first_seq >= ?",
		node,
		lo,
	); err != nil {
		return 0, fmt.Errorf("find audit events by time: %w", err)
	}
	if seq == nil {
		return lo, nil
	}
	return *seq, nil
}
