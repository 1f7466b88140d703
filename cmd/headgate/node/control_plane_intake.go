package node

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// StoreRecords stores a node's records. It skips records that are already stored, so repeated batches are harmless.
func (p *controlPlane) StoreRecords(ctx context.Context, node string, r *fleet.Records) (fleet.Stored, error) {
	defer p.lockNode(node)()
	rec := p.g.rec
	now, err := p.readStored(ctx, node)
	if err != nil {
		return now, err
	}
	if u := &r.Usage; len(u.Records) > 0 && u.From == now.Usage && u.Upto > u.From {
		if err := rec.writer.AppendNodeUsage(ctx, node, u.From, u.Upto, u.Records); err != nil {
			return now, err
		}
	}
	if s := &r.Shadow; len(s.Records) > 0 && s.From == now.Shadow && s.Upto > s.From {
		if err := rec.DB.Fleet().ImportShadowEvents(ctx, node, s.From, s.Upto, s.Records); err != nil && !errors.Is(err, store.ErrBehind) {
			return now, err
		}
	}
	if r.Audit != nil {
		if err := audit.ImportRun(ctx, rec.DB, rec.Master.AuditKey(), node, r.Audit); err != nil {
			// Store everything except the part that fails verification. The node then continues to report that part as
			// unsent.
			p.g.tel.Log.Error().Err(err).Str("node", node).Msg("a part of a node's audit chain was refused")
		}
	}
	if len(r.Asked) > 0 {
		left, err := rec.DB.Approvals().Import(ctx, r.Asked)
		if err != nil {
			return now, err
		}
		if left > 0 {
			p.g.tel.Log.Warn().Str("node", node).Int("requests", left).Msg(queueFull)
		}
	}
	if len(r.Usage.Records) > 0 {
		if err := rec.writer.Sync(ctx); err != nil {
			return now, err
		}
	}
	return p.readStored(ctx, node)
}

// readStored returns how far a node's records are stored.
func (p *controlPlane) readStored(ctx context.Context, node string) (s fleet.Stored, err error) {
	db := p.g.rec.DB
	if s.Usage, s.Shadow, err = db.Fleet().GetCursors(ctx, node); err != nil {
		return s, err
	}
	head, err := db.Audit().GetHead(ctx, node)
	if err != nil || head == nil {
		return s, err
	}
	s.Audit = head.Seq
	return s, nil
}
