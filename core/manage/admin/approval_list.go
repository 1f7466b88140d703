package admin

import (
	"context"
	"iter"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ListWaiting lists pending requests, oldest first.
func (s Approvals) ListWaiting(ctx context.Context, who *auth.Actor, page Page) (List[Approval], error) {
	return s.listQueue(ctx, who, page, s.svc.Store.Approvals().ListWaiting)
}

// ListDecided lists decided and expired requests, newest first.
func (s Approvals) ListDecided(ctx context.Context, who *auth.Actor, page Page) (List[Approval], error) {
	return s.listQueue(ctx, who, page, s.svc.Store.Approvals().ListPast)
}

func (s Approvals) listQueue(
	ctx context.Context,
	who *auth.Actor,
	page Page,
	from func(context.Context, store.Cursor, int) iter.Seq2[store.Approval, error],
) (List[Approval], error) {
	if _, err := s.svc.authorize(ctx, who, auth.Approve, ""); err != nil {
		return List[Approval]{}, err
	}
	after, err := page.parseCursor()
	if err != nil {
		return List[Approval]{}, err
	}
	return List[Approval]{
		Cursor: func(a Approval) string { return formatCursor(a.CreatedAt, a.ID) },
		All:    s.viewAll(ctx, from(ctx, after, page.Limit)),
	}, nil
}

func (s Approvals) viewAll(ctx context.Context, records iter.Seq2[store.Approval, error]) iter.Seq2[Approval, error] {
	p := s.svc.newPeople(ctx)
	return viewRecords(records, func(a *store.Approval) Approval { return p.nameApproval(s.viewApproval(a)) })
}
