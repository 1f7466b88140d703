package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// runOperation runs an administrative operation for a command; see node.Options.Administer.
func runOperation(c *cobra.Command, f *node.Options, do func(ctx context.Context, s *admin.Service) error) error {
	return f.Administer(c.Context(), c.ErrOrStderr(), do)
}

// newOperator returns the actor of a command, on behalf of a user or of none.
func newOperator(u *store.User) *auth.Actor {
	who := &auth.Actor{ID: auth.ViaCLI, Name: "headgate", Roles: []auth.Role{auth.RoleOwner}, Via: auth.ViaCLI}
	if u != nil {
		who.UserID, who.Roles, who.Tenant = u.ID, auth.FilterKnownRoles(u.Roles), u.TenantID
	}
	return who
}

// findUser finds a user by their e-mail address or id.
func findUser(ctx context.Context, db *store.DB, name string) (store.User, error) {
	if email, err := admin.NormalizeAddress(name); err == nil {
		name = email
	}
	u, err := db.Users().GetByEmail(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		u, err = db.Users().Get(ctx, name)
	}
	if errors.Is(err, store.ErrNotFound) {
		return u, errors.New("unknown user; `headgate users list` shows the users")
	}
	return u, err
}
