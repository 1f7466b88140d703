package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Access writes audit events for granted and refused administrative access. auth.Admin limits their number: one event per
// hour for a credential that works, and a bounded number of refusals per address and in total.
type Access struct{ Audit Auditor }

var _ auth.AttemptRecorder = Access{}

// RecordSuccess records that a credential works.
func (w Access) RecordSuccess(ctx context.Context, a *auth.Actor, address string) error {
	var e audit.Payload
	e.AddStr("actor", a.ID)
	e.AddStr("via", a.Via)
	e.AddStrs("roles", auth.ListRoleNames(a.Roles))
	e.AddOptionalStr("address", address)
	return w.Audit.Append(ctx, audit.Event{Tenant: a.Tenant, Type: audit.AuthSuccess, Payload: e.Bytes()})
}

// RecordFailure records a refused attempt and the number of earlier refusals that were not recorded.
func (w Access) RecordFailure(ctx context.Context, f auth.Failure) error {
	var e audit.Payload
	e.AddStr("reason", f.Reason)
	e.AddOptionalStr("actor", f.Actor)
	e.AddOptionalStr("prefix", f.Prefix)
	e.AddOptionalStr("address", f.Address)
	if f.Unreported > 0 {
		e.AddInt("unreported", int64(f.Unreported))
	}
	return w.Audit.Append(ctx, audit.Event{Type: audit.AuthFailure, Payload: e.Bytes()})
}
