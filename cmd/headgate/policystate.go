package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/policies"
)

func newPolicyStatusCommand(f *node.Options, verb, status, short string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				a, err := s.SetStatus(ctx, args[0], status)
				return printActivation(c, a, err)
			})
		},
	}
}

func newPolicyPromoteCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "promote ID", Short: "Enforce a policy that is in shadow mode, as a new version", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				a, err := s.Promote(ctx, args[0])
				return printActivation(c, a, err)
			})
		},
	}
}

func printActivation(c *cobra.Command, a policies.Activation, err error) error {
	if err := printChanged(c, a.Policy, err); err != nil {
		return err
	}
	return printIssues(c, a.Issues, false)
}

func newPolicyConflictsCommand(f *node.Options) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "conflicts", Short: "Find conflicts between the policies in force; exit with 1 if there is an error", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				issues, err := s.FindConflicts(ctx)
				if err != nil {
					return err
				}
				return errors.Join(printIssues(c, issues, asJSON), newIssuesError(issues))
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the issues as JSON, with witnesses")
	return c
}

func newPolicyStatsCommand(f *node.Options) *cobra.Command {
	var period string
	var events int
	c := &cobra.Command{
		Use: "stats ID", Short: "Show the results of a policy in shadow mode", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				stats, err := s.CountShadowDecisions(ctx, args[0], "", period, time.Now())
				if err != nil {
					return err
				}
				if events == 0 {
					return cli.PrintJSON(c.OutOrStdout(), stats)
				}
				list, err := s.ListShadowEvents(ctx, args[0], "", true, events)
				if err != nil {
					return err
				}
				return cli.PrintJSON(c.OutOrStdout(), map[string]any{"stats": stats, "events": list})
			})
		},
	}
	c.Flags().StringVar(&period, "period", "24h", "1h, 24h or 7d")
	c.Flags().IntVar(&events, "events", 0, "also list up to this many of the newest evaluations that diverged")
	return c
}

func newPolicyDeleteCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a policy with its versions", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error { return s.Delete(ctx, args[0]) })
		},
	}
}
