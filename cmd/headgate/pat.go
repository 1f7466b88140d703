package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newPATCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "pat", Short: "Manage personal access tokens for the administrative API", Args: cobra.NoArgs}
	c.AddCommand(newPATCreateCommand(f), newPATListCommand(f), newPATRevokeCommand(f))
	return c
}

func newPATCreateCommand(f *node.Options) *cobra.Command {
	var name, user, expires string
	c := &cobra.Command{
		Use:   "create",
		Short: "Create a token and print it once; it works at once",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n := admin.NewPAT{Name: name}
			if expires != "" {
				until, err := time.Parse(time.RFC3339, expires)
				if err != nil {
					return fmt.Errorf("--expires-at %q is not a time; write it as 2027-01-31T00:00:00Z", expires)
				}
				n.ExpiresAt = &until
			}
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				u, err := findPATUser(ctx, s.Store, user)
				if err != nil {
					return err
				}
				if u.Status != store.UserActive {
					return errors.New("the user is disabled; enable the user first")
				}
				p, err := s.PATs().Create(ctx, newOperator(&u), n)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), p.Token)
				return err
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "name of the token")
	c.Flags().StringVar(&user, "user", "", "address or id of the user whose roles it has (default: the user automation, an owner)")
	c.Flags().StringVar(&expires, "expires-at", "", "end of the token, in RFC 3339 (default: never)")
	_ = c.MarkFlagRequired("name") // the flag is defined above
	return c
}

// findPATUser finds the user of a new token; "" is the user for automation, who is created if missing.
func findPATUser(ctx context.Context, db *store.DB, name string) (store.User, error) {
	if name != "" {
		return findUser(ctx, db, name)
	}
	u := node.NewAutomationUser()
	if _, err := db.Users().Insert(ctx, u); err != nil && !errors.Is(err, store.ErrExists) {
		return u, err
	}
	return db.Users().Get(ctx, u.ID)
}

var patColumns = []cli.Column[admin.PAT]{
	{Head: "ID", Text: func(p *admin.PAT) string { return p.ID }},
	{Head: "USER", Text: func(p *admin.PAT) string { return p.UserID }},
	{Head: "NAME", Text: func(p *admin.PAT) string { return escapeName(p.Name) }},
	{Head: "PREFIX", Text: func(p *admin.PAT) string { return p.Prefix }},
	{Head: "ROLES", Text: func(p *admin.PAT) string { return strings.Join(p.Roles, ",") }},
	{Head: "CREATED", Text: func(p *admin.PAT) string { return formatTime(&p.CreatedAt, "") }},
	{Head: "LAST USED", Text: func(p *admin.PAT) string { return formatTime(p.LastUsedAt, "never") }},
	{Head: "EXPIRES", Text: func(p *admin.PAT) string { return formatTime(p.ExpiresAt, "never") }},
	{Head: "STATUS", Text: func(p *admin.PAT) string { return p.Status }},
}

func newPATListCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List tokens, without the tokens themselves",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				list, err := s.PATs().List(ctx, newOperator(nil), true, admin.Page{})
				if err != nil {
					return err
				}
				tokens, err := appendAll(nil, list)
				if err != nil {
					return err
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, tokens, patColumns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newPATRevokeCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a token permanently",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				p, err := s.Store.PATs().Get(ctx, args[0])
				if errors.Is(err, store.ErrNotFound) {
					return errors.New("unknown token; `headgate pat list` shows the tokens")
				}
				if err != nil {
					return err
				}
				u, err := s.Store.Users().Get(ctx, p.UserID) // the actor of the revocation
				if err != nil {
					return err
				}
				return s.PATs().Revoke(ctx, newOperator(&u), p.ID, "")
			})
		},
	}
}
