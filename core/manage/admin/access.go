package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Access writes audit events for granted and refused administrative access. auth.Admin limits their number: one event per
// hour for a credential that works, and a bounded number of refusals per address and in total.
type Access struct{ Audit Auditor }

var _ auth.Witness = Access{}

// RecordSuccess records that a credential works.
func (w Access) RecordSuccess(ctx context.Context, a *auth.Actor, address string) error {
	var e audit.Payload
	e.Str("actor", a.ID)
	e.Str("via", a.Via)
	e.Strs("roles", auth.RoleNames(a.Roles))
	e.Opt("address", address)
	return w.Audit.Append(ctx, audit.Event{Tenant: a.Tenant, Type: audit.AuthSuccess, Payload: e.Bytes()})
}

// RecordFailure records a refused attempt and the number of earlier refusals that were not recorded.
func (w Access) RecordFailure(ctx context.Context, f auth.Failure) error {
	var e audit.Payload
	e.Str("reason", f.Reason)
	e.Opt("actor", f.Actor)
	e.Opt("prefix", f.Prefix)
	e.Opt("address", f.Address)
	if f.Unreported > 0 {
		e.Int("unreported", int64(f.Unreported))
	}
	return w.Audit.Append(ctx, audit.Event{Type: audit.AuthFailure, Payload: e.Bytes()})
}
