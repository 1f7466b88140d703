package store

import (
	"context"
	"errors"
	"fmt"
)

// segmentsAtOnce is how many segments of a chain one query reads, each up to 256 KiB.
const segmentsAtOnce = 8

// blocksAtOnce is how many entries of the checkpoint index one query reads.
const blocksAtOnce = 128

// auditCursor walks a node's chain backwards and stops at the records that match its filter.
type auditCursor struct {
	db     *DB
	node   string
	filter AuditFilter
	mark   uint32 // a run between two checkpoints is read only if it has this mark
	marked bool   // mark is set
	next   int64  // segments with a larger first number have been read
	ended  bool

	blocks   []auditBlock // of the index, newest first
	noBlocks bool         // no older ones remain
	segments []AuditSegment
	found    []AuditRecord // matches, oldest first; the list takes the last one next
}

// auditBlock is an entry of the checkpoint index.
type auditBlock struct {
	First int64  `db:"first_seq"`
	Last  int64  `db:"seq"`
	Marks []byte `db:"marks"`
}

func (c *auditCursor) has() bool            { return len(c.found) > 0 }
func (c *auditCursor) record() *AuditRecord { return &c.found[len(c.found)-1] }
func (c *auditCursor) pop()                 { c.found = c.found[:len(c.found)-1] }

// fill reads until it finds a match or the chain ends.
func (c *auditCursor) fill(ctx context.Context) error {
	for !c.has() && !c.ended {
		if len(c.segments) == 0 {
			if err := c.read(ctx); err != nil {
				return err
			}
			continue
		}
		s := &c.segments[0]
		c.segments = c.segments[1:]
		if !c.filter.From.IsZero() && s.LastAt < c.filter.From.UnixMicro() {
			c.ended = true
			return nil
		}
		err := s.VisitRecords(func(r *AuditRecord) error {
			if c.filter.chooses(r) {
				c.found = append(c.found, *r) // the strings alias the segment's own buffer
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list audit events: %w", err)
		}
	}
	return nil
}

// read fetches the next segments that may contain a match.
func (c *auditCursor) read(ctx context.Context) error {
	low, err := c.skip(ctx)
	if err != nil {
		return err
	}
	rows, err := c.db.read.QueryxContext(ctx, auditSegmentSQL+" WHERE node = ? AND first_seq BETWEEN ? AND ? ORDER BY first_seq DESC LIMIT ?",
		c.node, low, c.next, segmentsAtOnce)
	if err != nil {
		return fmt.Errorf("list audit events: %w", err)
	}
	c.segments = c.segments[:0]
	err = scanSegments(rows, func(s *AuditSegment) error {
		own := *s
		own.Data = append([]byte(nil), s.Data...)
		c.segments = append(c.segments, own)
		return nil
	})
	if err != nil {
		return err
	}
	c.next = low - 1
	if n := len(c.segments); n == segmentsAtOnce {
		c.next = c.segments[n-1].First - 1
	}
	c.ended = len(c.segments) == 0 && c.next < 1
	return nil
}

// skip moves next past runs without a match, and returns the number down to which everything must be read.
func (c *auditCursor) skip(ctx context.Context) (low int64, err error) {
	if !c.marked {
		return 1, nil
	}
	for {
		if len(c.blocks) == 0 && !c.noBlocks {
			if err := c.readBlocks(ctx); err != nil {
				return 0, err
			}
		}
		if len(c.blocks) == 0 {
			return 1, nil
		}
		switch b := &c.blocks[0]; {
		case b.First > c.next:
		case b.Last < c.next: // after the last checkpoint, or not indexed
			return b.Last + 1, nil
		case b.Marks == nil || hasMark(b.Marks, c.mark):
			return b.First, nil
		default:
			c.next = b.First - 1
		}
		c.blocks = c.blocks[1:]
	}
}

// readBlocks reads the next index entries. The first contains next.
func (c *auditCursor) readBlocks(ctx context.Context) error {
	var top *int64
	err := c.db.read.GetContext(ctx, &top, "SELECT min(seq) FROM audit_checkpoint WHERE node = ? AND seq >= ?", c.node, c.next)
	if err != nil {
		return fmt.Errorf("read audit checkpoints: %w", err)
	}
	upto := c.next
	if top != nil {
		upto = *top
	}
	c.blocks = nil
	err = c.db.read.SelectContext(ctx, &c.blocks,
		"SELECT first_seq, seq, marks FROM audit_checkpoint WHERE node = ? AND seq <= ? ORDER BY seq DESC LIMIT ?", c.node, upto, blocksAtOnce)
	if err != nil {
		return errors.Join(errors.New("read audit checkpoints"), err)
	}
	c.noBlocks = len(c.blocks) < blocksAtOnce
	return nil
}
