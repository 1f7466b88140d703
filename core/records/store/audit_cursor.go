package store

import (
	"context"
	"errors"
	"fmt"
)

// segmentsAtOnce is how many segments of a chain are read by one query, 256 KiB of each at most.
const segmentsAtOnce = 8

// blocksAtOnce is how many entries of the index of checkpoints are read by one query.
const blocksAtOnce = 128

// auditCursor walks a node's chain backwards and stops at the records that its filter chooses.
type auditCursor struct {
	db     *DB
	node   string
	filter AuditFilter
	mark   uint32 // what a run of records between two checkpoints must hold to be read
	marked bool   // there is such a thing
	next   int64  // segments whose first number is larger were read
	ended  bool

	blocks   []auditBlock // of the index, newest first
	noBlocks bool         // there are no older ones
	segments []AuditSegment
	found    []AuditRecord // chosen, oldest first; the last one is the next of the list
}

// auditBlock is an entry of the index of checkpoints.
type auditBlock struct {
	First int64  `db:"first_seq"`
	Last  int64  `db:"seq"`
	Marks []byte `db:"marks"`
}

func (c *auditCursor) has() bool            { return len(c.found) > 0 }
func (c *auditCursor) record() *AuditRecord { return &c.found[len(c.found)-1] }
func (c *auditCursor) take()                { c.found = c.found[:len(c.found)-1] }

// fill reads on until there is a chosen record, or none is left.
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
		err := s.Records(func(r *AuditRecord) error {
			if c.filter.chooses(r) {
				c.found = append(c.found, *r) // views of bytes that are the segment's own
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list audit events: %w", err)
		}
	}
	return nil
}

// read fetches the next segments that may hold something.
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

// skip moves next over runs that hold nothing of interest, and answers down to which number all is to be read.
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
		case b.Last < c.next: // behind the last checkpoint, or nobody's
			return b.Last + 1, nil
		case b.Marks == nil || hasMark(b.Marks, c.mark):
			return b.First, nil
		default:
			c.next = b.First - 1
		}
		c.blocks = c.blocks[1:]
	}
}

// readBlocks reads the next entries of the index, from the one on that next lies in.
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
