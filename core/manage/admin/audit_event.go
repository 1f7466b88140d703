package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// AuditFound is an event with its position in its chain and the data that proves it.
type AuditFound audit.FoundRecord

// Get returns an event.
func (s AuditLog) Get(ctx context.Context, who *auth.Actor, id string) (AuditFound, error) {
	reach, err := s.svc.authorize(ctx, who, auth.AuditRead, "")
	if err != nil {
		return AuditFound{}, err
	}
	f, err := audit.FindRecord(ctx, s.svc.Store, s.svc.AuditKey, id)
	if err == nil && reach != "" && (f.TenantID == nil || *f.TenantID != reach) {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) {
		return AuditFound{}, newNotFoundError("audit event; retention may have removed it")
	}
	return AuditFound(f), err
}

// ChainState is the stored state of the chain of one node. Verify reports how much of the chain is intact.
type ChainState struct {
	Node      string
	Last      int64 // the sequence number of the last record
	At        time.Time
	Signed    int64 // the last record that a checkpoint covers; 0 if none
	SignedAt  time.Time
	Removed   int64 // the last record that retention removed; 0 if none
	RemovedAt time.Time
}

// ListChains returns the states of the chains of all nodes. Actors of a tenant cannot see them.
func (s AuditLog) ListChains(ctx context.Context, who *auth.Actor) ([]ChainState, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AuditRead, ""); err != nil {
		return nil, err
	}
	if who.Tenant != "" {
		return nil, NewMissingRoleError(auth.AuditRead)
	}
	heads, err := s.svc.Store.Audit().ListHeads(ctx)
	if err != nil {
		return nil, err
	}
	var out []ChainState
	for node, h := range heads {
		c := ChainState{Node: node, Last: h.Seq, At: time.UnixMicro(h.At).UTC()}
		signed, err := s.svc.Store.Audit().FindLastCheckpoint(ctx, node, 0)
		if err != nil {
			return nil, err
		}
		if signed != nil {
			c.Signed, c.SignedAt = signed.Seq-1, time.UnixMicro(signed.At).UTC()
		}
		base, err := s.svc.Store.Audit().GetBase(ctx, node)
		if err != nil {
			return nil, err
		}
		if base != nil {
			c.Removed, c.RemovedAt = base.Seq, time.UnixMicro(base.RemovedAt).UTC()
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b ChainState) int { return b.At.Compare(a.At) })
	return out, nil
}
