package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
)

// SignOutUser ends all sessions of a user.
func (s *Service) SignOutUser(ctx context.Context, who *auth.Actor, id string) error {
	tenant, err := s.allow(ctx, who, auth.UsersWrite, "")
	if err != nil {
		return err
	}
	u, err := s.readUser(ctx, tenant, id)
	if err != nil {
		return err
	}
	return s.endSessions(ctx, who, u, "user")
}

// SignOutMember ends all sessions of a user of a tenant.
func (s *Service) SignOutMember(ctx context.Context, who *auth.Actor, tenant, id string) error {
	if err := s.team(ctx, who, auth.MembersWrite, tenant); err != nil {
		return err
	}
	u, err := s.readUser(ctx, tenant, id)
	if err != nil {
		return err
	}
	return s.endSessions(ctx, who, u, "member")
}

func (s *Service) endSessions(ctx context.Context, who *auth.Actor, u User, resource string) error {
	if err := s.Store.DeleteSessionsOf(ctx, u.ID, [32]byte{}); err != nil {
		return err
	}
	tenant := ""
	if u.TenantID != nil {
		tenant = *u.TenantID
	}
	return s.changed(ctx, who, signedOut, resource, u.ID, tenant)
}

// SetOwnPassword gives somebody who has shown their password another one. All their sessions end.
func (s *Service) SetOwnPassword(ctx context.Context, who *auth.Actor, password string) error {
	_, err := s.changeUser(ctx, who, who.Tenant, who.Tenant, who.UserID, UserChange{Password: &password}, "", "password")
	return err
}
