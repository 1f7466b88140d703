package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

func newPolicyEvalCommand() *cobra.Command {
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
			out := describeEvaluation(r)
			if trace {
				out["trace"] = dsl.TraceRules(set, f)
			}
			return cli.PrintJSON(c.OutOrStdout(), out)
		},
	}
	c.Flags().StringVar(&context, "context", "", "JSON `file` that describes a request; - for standard input")
	c.Flags().BoolVar(&part, "partial", false, "treat facts that the context omits as unknown, not as absent")
	c.Flags().BoolVar(&trace, "trace", false, "print the result of each condition")
	return c
}

// describeEvaluation returns a result in the terms of tests, without empty fields.
func describeEvaluation(r *policydoc.Result) map[string]any {
	all := dsl.Summarize(r)
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
			out["messages"] = append(convertTexts(out["messages"]), w.Message)
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

func convertTexts(v any) []string {
	list, _ := v.([]string)
	return list
}
