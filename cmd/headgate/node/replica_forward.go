package node

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/records/store"
)

const (
	// handEvery is how often a node checks for records to deliver.
	handEvery = 500 * time.Millisecond
	// handMost is the maximum number of records of a kind per batch.
	handMost = 500
	// handKept is how long a node keeps delivered records, so that a control plane that is restored from a backup gets
	// them again. A spool that is half full drops them at once.
	handKept = 24 * time.Hour
	// askAgain is how long an approval request counts as delivered. It is sent again because a control plane whose
	// queue was full did not store it.
	askAgain = time.Hour
	// forgetEvery is the interval at which old delivered records are deleted.
	forgetEvery = time.Minute
)

// forward delivers the node's records until ctx ends. The control plane decides where it continues, because only it
// knows what it has stored.
func (n *replica) forward(ctx context.Context, rec *Records) {
	db := rec.DB
	var stored fleet.Stored
	known, pause := false, handEvery
	forget := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		moved, err := false, error(nil)
		if !known {
			if stored, err = n.client.SendRecords(ctx, &fleet.Records{}); err == nil {
				known = true
			}
		}
		if known {
			moved, err = n.deliverBatch(ctx, db, rec.audit.Node(), &stored)
		}
		n.spooled.Store(err != nil)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			known = false
			if pause == handEvery {
				n.tel.Log.Warn().Err(err).Msg("records could not be handed to the control plane; they are kept and handed over later")
			}
			pause = min(2*pause, awayLonger)
		case moved:
			pause = 0 // there may be more
		default:
			pause = handEvery
		}
		if time.Since(forget) >= forgetEvery || n.isSpoolHalfFull(ctx, db) {
			forget = time.Now()
			if err := n.deleteDelivered(ctx, rec, known, &stored); err != nil && ctx.Err() == nil {
				n.tel.Log.Error().Err(err).Msg("records that were handed over could not be deleted; it is tried again")
			}
		}
	}
}

// deliverBatch delivers one batch and reports whether it was non-empty.
func (n *replica) deliverBatch(ctx context.Context, db *store.DB, chain string, stored *fleet.Stored) (bool, error) {
	r := &fleet.Records{}
	var err error
	if r.Usage.Records, r.Usage.Upto, err = db.Fleet().ListUsageAfter(ctx, stored.Usage, handMost); err != nil {
		return false, err
	}
	if r.Shadow.Records, r.Shadow.Upto, err = db.Fleet().ListShadowEventsAfter(ctx, stored.Shadow, handMost); err != nil {
		return false, err
	}
	r.Usage.From, r.Shadow.From = stored.Usage, stored.Shadow
	if r.Audit, err = db.Audit().ReadAfter(ctx, chain, stored.Audit); err != nil {
		return false, err
	}
	if r.Asked, err = n.listQuestions(ctx, db); err != nil {
		return false, err
	}
	if len(r.Usage.Records) == 0 && len(r.Shadow.Records) == 0 && r.Audit == nil && len(r.Asked) == 0 {
		return false, nil
	}
	now, err := n.client.SendRecords(ctx, r)
	if err != nil {
		return false, err
	}
	for i := range r.Asked {
		n.asked[r.Asked[i].ID] = time.Now().Add(askAgain)
	}
	if now == *stored && len(r.Asked) == 0 {
		return false, errors.New("the control plane has stored none of the records that it was sent; its log says why")
	}
	*stored = now
	return true, nil
}

// listQuestions returns the approval requests that this process did not deliver recently. Delivering one again is harmless.
func (n *replica) listQuestions(ctx context.Context, db *store.DB) ([]store.Approval, error) {
	list, err := db.Approvals().ListPending(ctx, handMost)
	if err != nil {
		return nil, err
	}
	for id, end := range n.asked {
		if time.Now().After(end) {
			delete(n.asked, id)
		}
	}
	return slices.DeleteFunc(list, func(a store.Approval) bool { _, handed := n.asked[a.ID]; return handed }), nil
}

// isSpoolHalfFull reports whether the spool is half full.
func (n *replica) isSpoolHalfFull(ctx context.Context, db *store.DB) bool {
	full, err := db.MeasureUsedRoom(ctx)
	return err == nil && full > 0.5
}

// deleteDelivered deletes records that were delivered long enough ago.
func (n *replica) deleteDelivered(ctx context.Context, rec *Records, known bool, stored *fleet.Stored) error {
	if !known {
		return nil
	}
	now, age := rec.clock.Now(), handKept
	if n.isSpoolHalfFull(ctx, rec.DB) {
		age = 0
	}
	for more := true; more; {
		var err error
		if more, err = rec.DB.Fleet().TrimSent(ctx, stored.Usage, stored.Shadow, now.Add(-age)); err != nil {
			return err
		}
	}
	// Cut the chain at a checkpoint that the control plane has stored.
	last, err := rec.DB.Audit().FindLastCheckpoint(ctx, rec.audit.Node(), now.Add(-age).UnixMicro())
	if err != nil || last == nil || last.Seq > stored.Audit {
		return err
	}
	_, err = rec.audit.Trim(ctx, rec.Master.AuditKey(), now, age)
	return err
}
