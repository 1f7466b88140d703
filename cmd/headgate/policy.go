package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/policy/conflict"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

func policyCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Check, test and keep policies", Args: cobra.NoArgs}
	c.AddCommand(policyCheck(), policyTest(), policyEval())
	c.AddCommand(policyStoreCommands(f)...)
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
		more, err := dsl.ParseAll(text, fileName(path), path)
		errs, list = append(errs, err), append(list, more...)
	}
	return list, errors.Join(errs...)
}

// fileName is a file's name without its folder and its ending.
func fileName(path string) string {
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

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func policyCheck() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check FILE…",
		Short: "Parse policies and find conflicts in and between them; status 1 when there is an error",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readPolicies(args)
			issues := []core.PolicyIssue{}
			var faults dsl.Problems
			switch {
			case errors.As(err, &faults):
				issues = policy.Issues(allFaults(err))
			case err != nil:
				return err
			default:
				issues = append(issues, conflict.Find(list, conflict.Options{Providers: policyLanguage(nil).Providers()})...)
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
			return failedBy(issues)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the issues as JSON, with witnesses")
	return c
}

// allFaults gathers the faults of all files.
func allFaults(err error) dsl.Problems {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out dsl.Problems
		for _, e := range joined.Unwrap() {
			out = append(out, allFaults(e)...)
		}
		return out
	}
	var p dsl.Problems
	_ = errors.As(err, &p) // other errors have been returned before
	return p
}

// failedBy ends the program with status 1 when there is an error among issues.
func failedBy(issues []core.PolicyIssue) error {
	for _, i := range issues {
		if i.Level == core.IssueError {
			return errSilent
		}
	}
	return nil
}

func printIssues(c *cobra.Command, issues []core.PolicyIssue, asJSON bool) error {
	if asJSON {
		return printJSON(c.OutOrStdout(), issues)
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

func policyEval() *cobra.Command {
	var context string
	var part, trace bool
	c := &cobra.Command{
		Use:   "eval FILE… --context CONTEXT",
		Short: "Evaluate policies for a request that a JSON file describes",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readPolicies(args)
			if err != nil {
				return err
			}
			text := []byte("{}")
			if context != "" {
				if text, err = readInput(context); err != nil {
					return err
				}
			}
			f, err := dsl.ReadContext(text, !part, time.Now())
			if err != nil {
				return err
			}
			set := dsl.NewSet(list)
			r := dsl.Decide(set, f)
			out := evaluation(r)
			if trace {
				out["trace"] = dsl.Trace(set, f)
			}
			return printJSON(c.OutOrStdout(), out)
		},
	}
	c.Flags().StringVar(&context, "context", "", "JSON `file` that describes a request; - for standard input")
	c.Flags().BoolVar(&part, "partial", false, "what the context leaves out is not known, rather than not there")
	c.Flags().BoolVar(&trace, "trace", false, "tell how each condition came out")
	return c
}

// evaluation is a result in the words of tests, without what is empty.
func evaluation(r *core.PolicyResult) map[string]any {
	all := dsl.Summary(r)
	out := map[string]any{"decision": r.Status, "rules": r.Matched}
	for _, key := range []string{"rule_id", "reason", "redact", "warn_agent", "flags", "route", "cap"} {
		switch v := all[key].(type) {
		case nil:
		case string:
			if v != "" {
				out[key] = v
			}
		case float64:
			if v != 0 {
				out[key] = v
			}
		case []any:
			if len(v) > 0 {
				out[key] = v
			}
		default:
			out[key] = v
		}
	}
	for _, w := range r.Effects.Warnings {
		if w.Message != "" {
			out["messages"] = append(texts(out["messages"]), w.Message)
		}
	}
	if len(r.Unknown) > 0 {
		out["unknown_inputs"] = r.Unknown
	}
	if len(r.Notes) > 0 {
		out["warnings"] = r.Notes
	}
	return out
}

func texts(v any) []string {
	list, _ := v.([]string)
	return list
}

// policyTests is a file of tests.
type policyTests struct {
	Policies any   `yaml:"policies"` // paths, relative to the file
	Cases    []any `yaml:"cases"`
}

func policyTest() *cobra.Command {
	var paths []string
	c := &cobra.Command{
		Use:   "test FILE",
		Short: "Run the tests in a file: cases with a context and what is expected; status 1 when one fails",
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
				if paths, err = t.paths(args[0]); err != nil {
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
	c.Flags().StringArrayVar(&paths, "policy", nil, "`file` of policies to test, in the place of those that the tests name; may be repeated")
	return c
}

// paths are the files that the tests name.
func (t *policyTests) paths(file string) ([]string, error) {
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
	results, err := dsl.RunCases(dsl.NewSet(list), normal(cases).([]any), time.Now())
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
		return errSilent
	}
	return nil
}

// normal gives values as JSON has them: YAML knows whole numbers and times.
func normal(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case time.Time:
		return v.Format(time.RFC3339)
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normal(v[k])
		}
	}
	return v
}
