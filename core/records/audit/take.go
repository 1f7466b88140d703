package audit

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ImportRun appends a run of records from a node to the copy of its chain. Like Verify, it first checks each record and
// segment, and also that the run continues the copy. It skips records that the copy already has, and signs the end of
// the copy with key, as the node signs its own.
func ImportRun(ctx context.Context, db *store.DB, key []byte, node string, run *store.AuditRun) error {
	if err := CheckNode(node); err != nil {
		return err
	}
	v, err := newVerifier(key, node)
	if err != nil {
		return err
	}
	from, err := db.Audit().GetHead(ctx, node)
	if err != nil {
		return err
	}
	if from == nil {
		from = &store.AuditHead{}
	} else {
		if sig := v.hash.signHead(node, from); !hmac.Equal(sig[:], from.Sig[:]) {
			return fmt.Errorf("take over the audit chain of node %q: %w", node, ErrHead)
		}
		v.prev = *from
	}
	own := *run
	own.Segments = nil
	for i := range run.Segments {
		s := run.Segments[i].NewSegment(node)
		if s.Last <= from.Seq {
			continue
		}
		if err := v.verifySegment(&s); err != nil && !errors.Is(err, errStop) {
			return fmt.Errorf("take over the audit chain of node %q: %w", node, err)
		}
		if b := v.rep.Broken; b != nil {
			return fmt.Errorf("take over the audit chain of node %q: %s", node, b)
		}
		own.Segments = append(own.Segments, run.Segments[i])
	}
	if len(own.Segments) == 0 {
		return nil
	}
	to := v.prev
	to.Sig = v.hash.signHead(node, &to)
	if err := db.Audit().Import(ctx, node, *from, to, &own); err != nil && !errors.Is(err, store.ErrBehind) {
		return err
	}
	return nil
}
