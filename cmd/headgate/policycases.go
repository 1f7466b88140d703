package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// policyTests is a file of tests.
type policyTests struct {
	Policies any   `yaml:"policies"` // paths, relative to the file
	Cases    []any `yaml:"cases"`
}

func newPolicyTestCommand() *cobra.Command {
	var paths []string
	c := &cobra.Command{
		Use:   "test FILE",
		Short: "Run the test cases of a file; exit with 1 if one fails",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			var t policyTests
			if err := yaml.Unmarshal(text, &t); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if len(t.Cases) == 0 {
				return fmt.Errorf("%s has no cases; write cases: [{id: …, context: {…}, expected: {decision: DENIED}}]", args[0])
			}
			if len(paths) == 0 {
				if paths, err = t.listPaths(args[0]); err != nil {
					return err
				}
			}
			list, err := readPolicies(paths)
			if err != nil {
				return err
			}
			return runTests(c, list, t.Cases)
		},
	}
	c.Flags().StringArrayVar(&paths, "policy", nil, "`file` of policies to test instead of those that the tests name; may be repeated")
	return c
}

// listPaths returns the files that the tests name.
func (t *policyTests) listPaths(file string) ([]string, error) {
	items, ok := t.Policies.([]any)
	if s, one := t.Policies.(string); one {
		items, ok = []any{s}, true
	}
	if !ok || len(items) == 0 {
		return nil, fmt.Errorf("%s names no policies; write policies: [file.yaml], or add --policy file.yaml", file)
	}
	var out []string
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%s: policies must be a list of files", file)
		}
		if !filepath.IsAbs(s) {
			s = filepath.Join(filepath.Dir(file), s)
		}
		out = append(out, s)
	}
	return out, nil
}

func runTests(c *cobra.Command, list []*dsl.Policy, cases []any) error {
	results, err := dsl.RunCases(dsl.NewSet(list), normalizeJSON(cases).([]any), time.Now())
	if err != nil {
		return err
	}
	failed := 0
	for _, r := range results {
		line := "ok     " + r.ID
		if !r.Passed {
			failed++
			line = "FAILED " + r.ID
		}
		if _, err := fmt.Fprintln(c.OutOrStdout(), line); err != nil {
			return err
		}
		for _, fault := range r.Faults {
			if _, err := fmt.Fprintln(c.OutOrStdout(), "       "+fault); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "%d passed, %d failed\n", len(results)-failed, failed); err != nil {
		return err
	}
	if failed > 0 {
		return cli.ErrReported
	}
	return nil
}

// normalizeJSON converts values to their JSON form: YAML has integers and times.
func normalizeJSON(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case time.Time:
		return v.Format(time.RFC3339)
	case []any:
		for i := range v {
			v[i] = normalizeJSON(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normalizeJSON(v[k])
		}
	}
	return v
}
