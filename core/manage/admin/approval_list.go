package admin

import (
	"context"
	"iter"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// WaitingApprovals lists requests that can be decided about, the oldest first.
func (s *Service) WaitingApprovals(ctx context.Context, who *auth.Actor, page Page) (List[Approval], error) {
	return s.queue(ctx, who, page, s.Store.WaitingApprovals)
}

// PastApprovals lists requests that were decided about, or whose time is over, the newest first.
func (s *Service) PastApprovals(ctx context.Context, who *auth.Actor, page Page) (List[Approval], error) {
	return s.queue(ctx, who, page, s.Store.PastApprovals)
}

func (s *Service) queue(ctx context.Context, who *auth.Actor, page Page, from func(context.Context, store.Cursor, int) iter.Seq2[store.Approval, error]) (List[Approval], error) {
	if _, err := s.allow(ctx, who, auth.Approve, ""); err != nil {
		return List[Approval]{}, err
	}
	after, err := page.cursor()
	if err != nil {
		return List[Approval]{}, err
	}
	return List[Approval]{
		Cursor: func(a Approval) string { return cursorOf(a.CreatedAt, a.ID) },
		All:    s.viewedApprovals(ctx, from(ctx, after, page.Limit)),
	}, nil
}

func (s *Service) viewedApprovals(ctx context.Context, records iter.Seq2[store.Approval, error]) iter.Seq2[Approval, error] {
	p := s.people(ctx)
	return viewed(records, func(a *store.Approval) Approval { return p.named(s.viewApproval(a)) })
}
