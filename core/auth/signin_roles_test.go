package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Who signs in at the console as a viewer is one from then on, also if a token of the API that is older says otherwise.
func TestATokenFromBeforeASignInRestoresNoRoles(t *testing.T) {
	claims := func(role auth.Role, minute int) *auth.Actor {
		return &auth.Actor{
			ID: "jwt:ada", Roles: []auth.Role{role}, Tenant: "t1", Via: auth.ViaJWT, Subject: "iss ada",
			IssuedAt: time.Date(2026, 3, 4, 5, minute, 0, 0, time.UTC),
		}
	}
	newcomer := func(context.Context, *auth.Actor) (string, error) { return "", errors.New("the user is known") }
	for name, before := range map[string]auth.Role{"a sign-in that changes the roles": auth.RoleAdmin, "one that confirms them": auth.RoleViewer} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{"admin.at.1": claims(auth.RoleAdmin, 1)} })
			_, err := s.db.Users().Insert(s.ctx, store.User{
				ID: "u", Email: "a@example.com", Subject: "iss ada", Roles: []string{string(before)}, TenantID: "t1", Status: store.UserActive,
			})
			require.NoError(t, err)
			session, err := s.SignInActor(s.ctx, claims(auth.RoleViewer, 2), newcomer)
			require.NoError(t, err)
			assert.Equal(t, []auth.Role{auth.RoleViewer}, session.Actor.Roles)
			who, err := s.Authenticate(s.ctx, readBearerToken("admin.at.1"))
			require.NoError(t, err)
			assert.Equal(t, []auth.Role{auth.RoleViewer}, who.Roles)
			session, err = s.OpenSession(s.ctx, session.ID)
			require.NoError(t, err)
			assert.Equal(t, []auth.Role{auth.RoleViewer}, session.Actor.Roles, "nor does the session at the console gain any")
		})
	}
}
