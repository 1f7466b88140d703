package tools

import (
	"context"
	"errors"
)

// Spender spends approvals of single calls.
type Spender interface {
	// SpendApproval marks an approval as used by an exchange. It returns ErrSpent if it was used before or has expired.
	SpendApproval(ctx context.Context, id, exchange string) error
}

// ErrSpent says that an approval cannot be used any more.
var ErrSpent = errors.New("the approval was used already, or has expired")

// SpendWith sets who spends approvals of calls to all servers. It must be called before they serve.
func (s Servers) SpendWith(by Spender) {
	for _, server := range s {
		server.approvals = by
	}
}

// Spend marks an approval as used by an exchange. A server without approvals has none to use.
func (s *Server) Spend(ctx context.Context, id, exchange string) error {
	if s.approvals == nil {
		return ErrSpent
	}
	return s.approvals.SpendApproval(ctx, id, exchange)
}
