package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
)

// NewMember contains the fields of a new user of a tenant.
type NewMember struct {
	Email    string   `json:"email" minLength:"3" maxLength:"254" example:"ada@example.com"`
	Name     string   `json:"name" minLength:"1" maxLength:"200" example:"Ada"`
	Roles    []string `json:"roles" nullable:"false" minItems:"1" maxItems:"6" example:"[\"viewer\"]"`
	Password string   `json:"password,omitempty" minLength:"12" maxLength:"1024" doc:"The initial password. Without one the user can sign in only through the identity provider."`
}

// MemberChange contains the fields that a request sends. A nil field keeps its value.
type MemberChange struct {
	Name   *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Roles  *[]string `json:"roles,omitempty" nullable:"false" minItems:"1" maxItems:"3" example:"[\"developer\"]"`
	Status *string   `json:"status,omitempty" enum:"active,disabled"`
}

// List lists the users of a tenant.
func (s Members) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[User], error) {
	if err := s.authorize(ctx, who, auth.MembersRead, tenant); err != nil {
		return List[User]{}, err
	}
	return s.svc.Users().list(ctx, tenant, page)
}

// Get returns a user of a tenant.
func (s Members) Get(ctx context.Context, who *auth.Actor, tenant, id string) (User, error) {
	if err := s.authorize(ctx, who, auth.MembersRead, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().read(ctx, tenant, id)
}

// Add creates a user of a tenant.
func (s Members) Add(ctx context.Context, who *auth.Actor, tenant string, n NewMember) (User, error) {
	if err := s.authorize(ctx, who, auth.MembersWrite, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().add(ctx, who, tenant, n, "member")
}

// Update changes a user of a tenant.
func (s Members) Update(ctx context.Context, who *auth.Actor, tenant, id string, c MemberChange, m Match) (User, error) {
	if err := s.authorize(ctx, who, auth.MembersWrite, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().change(ctx, who, tenant, tenant, id, UserChange{Name: c.Name, Roles: c.Roles, Status: c.Status}, m, "member")
}

// Remove removes a user of a tenant with their tokens and sessions. A user belongs to one tenant only.
func (s Members) Remove(ctx context.Context, who *auth.Actor, tenant, id string, m Match) error {
	if err := s.authorize(ctx, who, auth.MembersWrite, tenant); err != nil {
		return err
	}
	return s.svc.Users().remove(ctx, who, tenant, id, m, "member")
}

// authorize checks the permission and that the tenant exists.
func (s Members) authorize(ctx context.Context, who *auth.Actor, p auth.Permission, tenant string) error {
	if _, err := s.svc.authorize(ctx, who, p, tenant); err != nil {
		return err
	}
	_, err := s.svc.Store.Tenants().Get(ctx, tenant)
	return mapNotFound(err, "tenant")
}
