package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// newPolicyStoreCommands manage the policies of the store; a running gateway applies changes within 2 s.
func newPolicyStoreCommands(f *node.Options) []*cobra.Command {
	return []*cobra.Command{
		newPolicyCreateCommand(f), newPolicyUpdateCommand(f), newPolicyDryRunCommand(f), newPolicyListCommand(f), newPolicyVersionsCommand(f),
		newPolicyRollbackCommand(f),
		newPolicyStatusCommand(f, "shadow", policydoc.Shadow, "Evaluate a policy in shadow mode, without effect"),
		newPolicyStatusCommand(f, "activate", policydoc.Active, "Enforce a policy"),
		newPolicyStatusCommand(f, "archive", policydoc.Archived, "Deactivate a policy and keep it"),
		newPolicyPromoteCommand(f), newPolicyConflictsCommand(f), newPolicyStatsCommand(f), newPolicyDeleteCommand(f),
	}
}

// runWithPolicies opens the store for one command.
func runWithPolicies(f *node.Options, c *cobra.Command, do func(ctx context.Context, s *policies.Service) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	file, err := node.ListFilePolicies(cfg)
	if err != nil {
		return err
	}
	ctx := c.Context()
	db, err := f.OpenDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	return simplifyError(do(ctx, policies.New(policies.Options{
		Store: db, Language: node.NewPolicyLanguage(cfg), NewID: node.NewID, File: func() []policydoc.Record { return file },
	})))
}

// simplifyError removes the code from a refusal: its reader is not an API client.
func simplifyError(err error) error {
	var e *core.Error
	if errors.As(err, &e) {
		return errors.New(e.Public)
	}
	return err
}

func newPolicyCreateCommand(f *node.Options) *cobra.Command {
	var name, tenant, description string
	c := &cobra.Command{
		Use: "create FILE", Short: "Create a policy as a draft and print its id", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readInput(args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = makeFileName(args[0])
				if p, err := dsl.Parse(text, name, args[0]); err == nil { // storing it reports faults
					name = p.Name
				}
			}
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				t := string(text)
				p, err := s.Create(ctx, policies.Fields{Name: &name, Tenant: &tenant, Description: &description, DSL: &t}, store.SourceCLI)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), p.ID)
				return err
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "name of the policy (default: that in its text, or the file's)")
	c.Flags().StringVar(&tenant, "tenant", "", "id of the tenant (default: the platform, which is every tenant)")
	c.Flags().StringVar(&description, "description", "", "what the policy is for")
	return c
}

func newPolicyUpdateCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "update ID FILE", Short: "Create a new version of a policy; its status does not change", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readInput(args[1])
			if err != nil {
				return err
			}
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				t := string(text)
				p, err := s.Update(ctx, args[0], policies.Fields{DSL: &t})
				return printChanged(c, p, err)
			})
		},
	}
}

// printChanged prints a policy after a change.
func printChanged(c *cobra.Command, p policydoc.Record, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s %s version %d\n", p.ID, p.Status, p.Version)
	return err
}

func newPolicyDryRunCommand(f *node.Options) *cobra.Command {
	var d policydoc.DryRun
	var facts string
	c := &cobra.Command{
		Use: "dry-run FILE", Short: "Evaluate a policy for a tenant and a model; conditions on other facts are unknown", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readInput(args[0])
			if err != nil {
				return err
			}
			d.DSL = string(text)
			if facts != "" {
				b, err := readInput(facts)
				if err != nil {
					return err
				}
				if err := json.Unmarshal(b, &d.Context); err != nil {
					return errors.New("the context is not a JSON object")
				}
			}
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				r, err := s.DryRun(ctx, d)
				if err != nil {
					return err
				}
				return cli.PrintJSON(c.OutOrStdout(), r)
			})
		},
	}
	c.Flags().StringVar(&d.Tenant, "tenant", "", "id of the tenant")
	c.Flags().StringVar(&d.Model, "model", "", "name of the model")
	c.Flags().StringVar(&facts, "context", "", "JSON `file` with what else is known")
	return c
}

// policyRow is a row of "headgate policy list" and "headgate policy versions".
// Its own type: a line of the list, without the text of the policy.
type policyRow struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Tenant    string    `json:"tenant_id,omitempty"` // empty: the platform
	Status    string    `json:"status"`
	Version   int64     `json:"version"`
	Source    string    `json:"source"`
	UpdatedAt time.Time `json:"updated_at"`
}

func newPolicyRows(list []policydoc.Record) []policyRow {
	rows := make([]policyRow, len(list))
	for i := range list {
		p := &list[i]
		rows[i] = policyRow{p.ID, p.Name, p.Tenant, p.Status, p.Version, p.Source, p.Updated.UTC()}
	}
	return rows
}

var policyColumns = []cli.Column[policyRow]{
	{Head: "ID", Text: func(p *policyRow) string { return p.ID }},
	{Head: "STATUS", Text: func(p *policyRow) string { return p.Status }},
	{Head: "VERSION", Text: func(p *policyRow) string { return strconv.FormatInt(p.Version, 10) }},
	{Head: "NAME", Text: func(p *policyRow) string { return p.Name }},
	{Head: "SCOPE", Text: func(p *policyRow) string {
		if p.Tenant == "" {
			return "platform"
		}
		return "tenant " + p.Tenant
	}},
	{Head: "SOURCE", Text: func(p *policyRow) string { return p.Source }},
}

func newPolicyListCommand(f *node.Options) *cobra.Command {
	var tenant string
	var asJSON *bool
	c := &cobra.Command{
		Use: "list", Short: "List policies", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				list, err := s.List(ctx, tenant)
				if err != nil {
					return err
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, newPolicyRows(list), policyColumns)
			})
		},
	}
	c.Flags().StringVar(&tenant, "tenant", "", "`id` of a tenant whose policies to list")
	asJSON = cli.AddJSONFlag(c)
	return c
}

var policyVersionColumns = []cli.Column[policyRow]{
	policyColumns[2],
	{Head: "UPDATED", Text: func(p *policyRow) string { return formatTime(&p.UpdatedAt, "") }},
	policyColumns[3],
}

func newPolicyVersionsCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use: "versions ID", Short: "List the versions of a policy, the newest first", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				list, err := s.ListVersions(ctx, args[0])
				if err != nil {
					return err
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, newPolicyRows(list), policyVersionColumns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newPolicyRollbackCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "rollback ID VERSION", Short: "Create a new version from an old one; the status does not change", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			version, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not a version; write a number from \"headgate policy versions %s\"", args[1], args[0])
			}
			return runWithPolicies(f, c, func(ctx context.Context, s *policies.Service) error {
				p, err := s.Rollback(ctx, args[0], version)
				return printChanged(c, p, err)
			})
		},
	}
}
