package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newUsersCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "users", Short: "Manage users", Args: cobra.NoArgs}
	c.AddCommand(newUsersCreateCommand(f), newUsersListCommand(f), newUsersPasswordCommand(f),
		newUsersStatusCommand(f, "disable", "End a user's sessions and tokens, and let them in no more", store.UserDisabled),
		newUsersStatusCommand(f, "enable", "Let a disabled user in again", store.UserActive))
	return c
}

func newUsersCreateCommand(f *node.Options) *cobra.Command {
	var n admin.NewUser
	var without bool
	c := &cobra.Command{
		Use:   "create",
		Short: "Create a user; the password is prompted for or read from standard input",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) (err error) {
				if !without {
					if n.Password, err = readNewPassword(c); err != nil {
						return err
					}
				}
				u, err := s.Users().Create(ctx, newOperator(nil), n)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), u.ID)
				return err
			})
		},
	}
	c.Flags().StringVar(&n.Email, "email", "", "e-mail address to sign in with")
	c.Flags().StringVar(&n.Name, "name", "", "name of the user")
	c.Flags().StringSliceVar(
		&n.Roles,
		"role",
		nil,
		"owner, policy-admin, billing-admin or auditor; with a tenant admin, developer or viewer; may be repeated",
	)
	c.Flags().StringVar(&n.TenantID, "tenant", "", "id of the tenant, for roles of a tenant")
	c.Flags().BoolVar(&without, "no-password", false, "create a user without a password, who can use only tokens")
	for _, name := range []string{"email", "name", "role"} {
		_ = c.MarkFlagRequired(name) // the flag is defined above
	}
	return c
}

var userColumns = []cli.Column[admin.User]{
	{Head: "ID", Text: func(u *admin.User) string { return u.ID }},
	{Head: "E-MAIL", Text: func(u *admin.User) string { return u.Email }},
	{Head: "NAME", Text: func(u *admin.User) string { return escapeName(u.Name) }},
	{Head: "ROLES", Text: func(u *admin.User) string { return strings.Join(u.Roles, ",") }},
	{Head: "TENANT", Text: func(u *admin.User) string {
		if u.TenantID == nil {
			return "-"
		}
		return *u.TenantID
	}},
	{Head: "STATUS", Text: func(u *admin.User) string { return u.Status }},
	{Head: "LAST SIGN-IN", Text: func(u *admin.User) string { return formatTime(u.LastSignInAt, "never") }},
}

func newUsersListCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List users",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				list, err := s.Users().List(ctx, newOperator(nil), "", admin.Page{})
				if err != nil {
					return err
				}
				users, err := appendAll(nil, list)
				if err != nil {
					return err
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, users, userColumns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newUsersPasswordCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "passwd USER",
		Short: "Set the password of a user, named by address or id, and end their sessions",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				u, err := findUser(ctx, s.Store, args[0])
				if err != nil {
					return err
				}
				password, err := readNewPassword(c)
				if err != nil {
					return err
				}
				_, err = s.Users().Update(ctx, newOperator(nil), u.ID, admin.UserChange{Password: &password}, "")
				return err
			})
		},
	}
}

func newUsersStatusCommand(f *node.Options, verb, short, status string) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " USER",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				u, err := findUser(ctx, s.Store, args[0])
				if err != nil {
					return err
				}
				_, err = s.Users().Update(ctx, newOperator(nil), u.ID, admin.UserChange{Status: &status}, "")
				return err
			})
		},
	}
}

// formatTime returns a time as lists print it, or none if t is nil.
func formatTime(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.UTC().Format(time.RFC3339)
}

// escapeName returns a name for a terminal: a chosen name must not be able to move the cursor.
func escapeName(name string) string {
	return cmp.Or(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, name), "-")
}
