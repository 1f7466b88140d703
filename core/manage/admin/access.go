package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Access tells the audit chain who was let in to administer, and who was not. auth.Admin bounds how much that is: a
// credential that works once an hour, and of refusals so many for each address and for all.
type Access struct{ Audit Auditor }

var _ auth.Witness = Access{}

// Succeeded writes that a credential works.
func (w Access) Succeeded(ctx context.Context, a *auth.Actor, address string) error {
	var e audit.Payload
	e.Str("actor", a.ID)
	e.Str("via", a.Via)
	e.Strs("roles", auth.RoleNames(a.Roles))
	e.Opt("address", address)
	return w.Audit.Append(ctx, audit.Event{Tenant: a.Tenant, Type: audit.AuthSuccess, Payload: e.Bytes()})
}

// Failed writes that an attempt was refused, and how many before it were not written.
func (w Access) Failed(ctx context.Context, f auth.Failure) error {
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
