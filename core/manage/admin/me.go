package admin

import (
	"slices"

	"github.com/headgate-dev/headgate/core/auth"
)

// Me is who sends a request, and what they may do.
type Me struct {
	ID          string            `json:"id" doc:"As the audit chain names them." example:"pat:k3vqx7mz2hj4n6ta"`
	UserID      *string           `json:"user_id" nullable:"true" doc:"null: no user of Headgate's own."`
	Name        string            `json:"name" example:"Ada"`
	Roles       []string          `json:"roles" nullable:"false"`
	TenantID    *string           `json:"tenant_id" nullable:"true" doc:"null: the platform."`
	Via         string            `json:"via" enum:"session,pat,jwt,cli" doc:"How they showed who they are."`
	Permissions []auth.Permission `json:"permissions" nullable:"false"`
}

// Me is the actor.
func (s *Service) Me(who *auth.Actor) Me {
	v := Me{
		ID: who.ID, Name: who.Name, Roles: auth.RoleNames(who.Roles), Via: who.Via,
		Permissions: slices.DeleteFunc(auth.Permissions(), func(p auth.Permission) bool { return !who.Can(p) }),
	}
	if who.UserID != "" {
		v.UserID = &who.UserID
	}
	if who.Tenant != "" {
		v.TenantID = &who.Tenant
	}
	return v
}
