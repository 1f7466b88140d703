package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
)

// NewMember are the fields of somebody who joins a tenant's team.
type NewMember struct {
	Email    string   `json:"email" minLength:"3" maxLength:"254" example:"ada@example.com"`
	Name     string   `json:"name" minLength:"1" maxLength:"200" example:"Ada"`
	Roles    []string `json:"roles" nullable:"false" minItems:"1" maxItems:"6" example:"[\"viewer\"]"`
	Password string   `json:"password,omitempty" minLength:"12" maxLength:"1024" doc:"To sign in with at first. Without one they sign in by the identity provider, or not at all."`
}

// MemberChange are the fields that a request sends of a member; nil: as they are.
type MemberChange struct {
	Name   *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Roles  *[]string `json:"roles,omitempty" nullable:"false" minItems:"1" maxItems:"3"`
	Status *string   `json:"status,omitempty" enum:"active,disabled"`
}

// List lists the users of a tenant.
func (s Members) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[User], error) {
	if err := s.allow(ctx, who, auth.MembersRead, tenant); err != nil {
		return List[User]{}, err
	}
	return s.svc.Users().list(ctx, tenant, page)
}

// Get is one user of a tenant.
func (s Members) Get(ctx context.Context, who *auth.Actor, tenant, id string) (User, error) {
	if err := s.allow(ctx, who, auth.MembersRead, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().read(ctx, tenant, id)
}

// Add makes a user of a tenant.
func (s Members) Add(ctx context.Context, who *auth.Actor, tenant string, n NewMember) (User, error) {
	if err := s.allow(ctx, who, auth.MembersWrite, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().add(ctx, who, tenant, n, "member")
}

// Update changes what a user of a tenant is there.
func (s Members) Update(ctx context.Context, who *auth.Actor, tenant, id string, c MemberChange, m Match) (User, error) {
	if err := s.allow(ctx, who, auth.MembersWrite, tenant); err != nil {
		return User{}, err
	}
	return s.svc.Users().change(ctx, who, tenant, tenant, id, UserChange{Name: c.Name, Roles: c.Roles, Status: c.Status}, m, "member")
}

// Remove removes a user of a tenant, with their tokens and sessions. Nobody is of two tenants.
func (s Members) Remove(ctx context.Context, who *auth.Actor, tenant, id string, m Match) error {
	if err := s.allow(ctx, who, auth.MembersWrite, tenant); err != nil {
		return err
	}
	return s.svc.Users().remove(ctx, who, tenant, id, m, "member")
}

// allow reports who may do what p names to the users of a tenant that is there.
func (s Members) allow(ctx context.Context, who *auth.Actor, p auth.Permission, tenant string) error {
	if _, err := s.svc.allow(ctx, who, p, tenant); err != nil {
		return err
	}
	_, err := s.svc.Store.Tenants().Get(ctx, tenant)
	return mapNotFound(err, "tenant")
}
