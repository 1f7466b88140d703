package tools

import (
	"context"
	"errors"
)

// Spender spends approvals of single calls.
type Spender interface {
	// ConsumeApproval marks an approval as used by an exchange. It returns ErrSpent if it was used before or has expired.
	ConsumeApproval(ctx context.Context, id, exchange string) error
}

// ErrSpent means that an approval can no longer be used.
var ErrSpent = errors.New("the approval was used already, or has expired")

// SetSpender sets the Spender for calls to all servers. Call it before they serve.
func (s Servers) SetSpender(by Spender) {
	for _, server := range s {
		server.approvals = by
	}
}

// SpendApproval marks an approval as used by an exchange. Without a Spender it fails.
func (s *Server) SpendApproval(ctx context.Context, id, exchange string) error {
	if s.approvals == nil {
		return ErrSpent
	}
	return s.approvals.ConsumeApproval(ctx, id, exchange)
}
