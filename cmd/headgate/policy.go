package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/policy/conflict"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

func newPolicyCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Check, test and manage policies", Args: cobra.NoArgs}
	c.AddCommand(newPolicyCheckCommand(), newPolicyTestCommand(), newPolicyEvalCommand())
	c.AddCommand(newPolicyStoreCommands(f)...)
	return c
}

// readPolicies reads files of policies.
func readPolicies(paths []string) ([]*dsl.Policy, error) {
	var list []*dsl.Policy
	var errs []error
	for _, path := range paths {
		text, err := readInput(path)
		if err != nil {
			return nil, err
		}
		more, err := dsl.ParseAll(text, makeFileName(path), path)
		errs, list = append(errs, err), append(list, more...)
	}
	return list, errors.Join(errs...)
}

// makeFileName returns a file's name without its folder and its extension.
func makeFileName(path string) string {
	base := filepath.Base(path)
	return base[:len(base)-len(filepath.Ext(base))]
}

// readInput reads a file, or standard input for "-".
func readInput(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, dsl.MaxSource+1))
	}
	return os.ReadFile(path)
}

func newPolicyCheckCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check FILE…",
		Short: "Parse policies and find conflicts in and between them; exit with 1 if there is an error",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readPolicies(args)
			issues := []policydoc.Issue{}
			var faults dsl.Problems
			switch {
			case errors.As(err, &faults):
				issues = policy.ListIssues(listFaults(err))
			case err != nil:
				return err
			default:
				issues = append(issues, conflict.Find(list, conflict.Options{Providers: node.NewPolicyLanguage(nil).Providers()})...)
			}
			if err := printIssues(c, issues, asJSON); err != nil {
				return err
			}
			if !asJSON && err == nil {
				rules := 0
				for _, p := range list {
					rules += len(p.Rules)
				}
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%d policies with %d rules: %d issues\n", len(list), rules, len(issues)); err != nil {
					return err
				}
			}
			return newIssuesError(issues)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the issues as JSON, with witnesses")
	return c
}

// listFaults collects the faults of all files.
func listFaults(err error) dsl.Problems {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out dsl.Problems
		for _, e := range joined.Unwrap() {
			out = append(out, listFaults(e)...)
		}
		return out
	}
	var p dsl.Problems
	_ = errors.As(err, &p) // other errors have been returned before
	return p
}

// newIssuesError ends the program with status 1 if there is an error among issues.
func newIssuesError(issues []policydoc.Issue) error {
	for _, i := range issues {
		if i.Level == policydoc.IssueError {
			return cli.ErrReported
		}
	}
	return nil
}

func printIssues(c *cobra.Command, issues []policydoc.Issue, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(c.OutOrStdout(), issues)
	}
	for _, i := range issues {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%-7s %s\n", i.Level, i); err != nil {
			return err
		}
		if len(i.Witness) > 0 {
			b, err := json.Marshal(i.Witness)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(c.OutOrStdout(), "        for example %s\n", b); err != nil {
				return err
			}
		}
	}
	return nil
}
