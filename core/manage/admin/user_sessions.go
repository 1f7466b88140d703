package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
)

// SignOut ends all sessions of a user.
func (s Users) SignOut(ctx context.Context, who *auth.Actor, id string) error {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersWrite, "")
	if err != nil {
		return err
	}
	u, err := s.read(ctx, tenant, id)
	if err != nil {
		return err
	}
	return s.endSessions(ctx, who, u, "user")
}

// SignOut ends all sessions of a user of a tenant.
func (s Members) SignOut(ctx context.Context, who *auth.Actor, tenant, id string) error {
	if err := s.authorize(ctx, who, auth.MembersWrite, tenant); err != nil {
		return err
	}
	u, err := s.svc.Users().read(ctx, tenant, id)
	if err != nil {
		return err
	}
	return s.svc.Users().endSessions(ctx, who, u, "member")
}

func (s Users) endSessions(ctx context.Context, who *auth.Actor, u User, resource string) error {
	if err := s.svc.Store.Sessions().DeleteByUser(ctx, u.ID, [32]byte{}); err != nil {
		return err
	}
	tenant := ""
	if u.TenantID != nil {
		tenant = *u.TenantID
	}
	return s.svc.publishChange(ctx, who, signedOut, resource, u.ID, tenant, nil, nil)
}

// SetOwnPassword changes the password of an actor who has confirmed the current one. All their sessions end.
func (s Users) SetOwnPassword(ctx context.Context, who *auth.Actor, password string) error {
	_, err := s.change(ctx, who, who.Tenant, who.Tenant, who.UserID, UserChange{Password: &password}, "", "password")
	return err
}
