package admin

import (
	"slices"

	"github.com/headgate-dev/headgate/core/auth"
)

// Me describes the caller and their permissions.
type Me struct {
	ID          string            `json:"id" doc:"The caller as the audit log names them." example:"pat:k3vqx7mz2hj4n6ta"`
	UserID      *string           `json:"user_id" nullable:"true" doc:"null: not a local user."`
	Name        string            `json:"name" example:"Ada"`
	Roles       []string          `json:"roles" nullable:"false"`
	TenantID    *string           `json:"tenant_id" nullable:"true" doc:"null: the platform."`
	Via         string            `json:"via" enum:"session,pat,jwt,cli" doc:"The method of authentication."`
	Permissions []auth.Permission `json:"permissions" nullable:"false"`
}

// DescribeCaller returns the caller's identity, roles and permissions.
func (s *Service) DescribeCaller(who *auth.Actor) Me {
	v := Me{
		ID: who.ID, Name: who.Name, Roles: auth.ListRoleNames(who.Roles), Via: who.Via,
		Permissions: slices.DeleteFunc(auth.ListPermissions(), func(p auth.Permission) bool { return !who.Can(p) }),
	}
	if who.UserID != "" {
		v.UserID = &who.UserID
	}
	if who.Tenant != "" {
		v.TenantID = &who.Tenant
	}
	return v
}
