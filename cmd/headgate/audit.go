package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newAuditCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "audit", Short: "Verify and export the audit log", Args: cobra.NoArgs}
	c.AddCommand(newAuditVerifyCommand(f), newAuditKeyCommand(f), newAuditExportCommand(f))
	return c
}

func newAuditVerifyCommand(f *node.Options) *cobra.Command {
	var asJSON, acceptGaps bool
	var chain string
	var file exportFile
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify the audit chains, or name the first broken record",
		Long: "Verify the audit chains of all nodes, or name the first broken record of each. With --file an export is\n" +
			"checked instead: with --public-key on any machine, without it with the key of the configured database.\n\n" +
			"The status is 1 if a record does not hold, and 3 if all hold but a GATEWAY_REQUEST has no GATEWAY_RESPONSE:\n" +
			"how that exchange ended is not recorded. Requests that may still be answered do not count.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			ctx := c.Context()
			if file.path != "" && file.public != "" {
				return file.verify(c, nil, asJSON)
			}
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			r, err := node.OpenExisting(ctx, cfg)
			if err != nil && file.path != "" {
				return fmt.Errorf("--public-key: write the key that `headgate audit key` prints where the export was written; "+
					"without it the export is checked with the key of a database, and %w", err)
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close(ctx)) }()
			if file.path != "" {
				return file.verify(c, r.Master.AuditKey(), asJSON)
			}
			var proof audit.Proof
			if c.Flags().Changed("node") {
				one, err := audit.VerifyChain(ctx, r.DB, r.Master.AuditKey(), chain)
				if err != nil {
					return err
				}
				proof.Chains = []audit.Report{one}
			} else if proof, err = audit.Verify(ctx, r.DB, r.Master.AuditKey()); err != nil {
				return err
			}
			usage, err := meter.New(r.DB, nil).ReadTotals(ctx, store.UsageFilter{})
			if err != nil {
				return err
			}
			if err := printProof(c, &proof, usage.Records, asJSON); err != nil {
				return err
			}
			if proof.CountUnanswered() > 0 || proof.CountKilled() > 0 && !acceptGaps {
				return cli.StatusError(exitUnanswered)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&acceptGaps, "accept-gaps", false, "ignore requests that were in progress when a gateway was killed")
	c.Flags().StringVar(&chain, "node", "", "verify the chain of this `node` alone")
	file.addFlags(c)
	return c
}

func newAuditKeyCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print the public key that verifies the checkpoints of the audit chains",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			ctx := c.Context()
			r, err := node.OpenExisting(ctx, cfg)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close(ctx)) }()
			public, err := audit.DerivePublicKey(r.Master.AuditKey())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", base64.StdEncoding.EncodeToString(public))
			return err
		},
	}
}

// exitUnanswered is the exit status if the chains hold but requests have no response.
const exitUnanswered = 3

// newUnprovenError ends the program with status 1 after a report with the reason.
func newUnprovenError(valid bool) error {
	if valid {
		return nil
	}
	return cli.ErrReported
}

func printProof(c *cobra.Command, p *audit.Proof, usage int64, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(c.OutOrStdout())
		e.SetIndent("", "  ")
		if err := e.Encode(buildProofDocument(p, usage)); err != nil {
			return err
		}
	} else if err := printText(c, p, usage); err != nil {
		return err
	}
	return newUnprovenError(p.Valid())
}

// buildProofDocument returns the report as JSON: sums over all chains, and each chain.
func buildProofDocument(p *audit.Proof, usage int64) map[string]any {
	starts, gaps := int64(0), 0
	var broken any
	chains := make([]map[string]any, len(p.Chains))
	for i := range p.Chains {
		r := &p.Chains[i]
		starts, gaps = starts+r.Starts, gaps+len(r.Gaps)
		one := map[string]any{
			"node": r.Node, "valid": r.Valid(), "records": r.Records, "first": r.First, "last": r.Last, "starts": r.Starts, "gaps": len(r.Gaps),
			"checkpoints": r.Checkpoints, "signed": r.Signed, "hash": fmt.Sprintf("%x", r.LastHash),
			"unanswered": r.Unanswered, "killed": r.Killed, "running": r.Running,
		}
		if len(r.Open) > 0 {
			one["unanswered_requests"] = r.Open
		}
		if r.Removed != nil {
			one["removed"] = map[string]any{"through": r.Removed.Through, "at": r.Removed.At, "types": r.Removed.ByType}
		}
		if b := r.Broken; b != nil {
			one["broken"] = map[string]any{"node": r.Node, "seq": b.Seq, "event_id": b.EventID, "reason": b.Reason}
			if broken == nil {
				broken = one["broken"]
			}
		}
		chains[i] = one
	}
	doc := map[string]any{
		"valid": p.Valid(), "records": p.Records(), "types": p.ByType(), "starts": starts, "gaps": gaps, "usage": usage, "chains": chains,
		"unanswered": p.CountUnanswered(), "killed": p.CountKilled(),
	}
	if broken != nil {
		doc["broken"] = broken
	}
	return doc
}

const momentForm = "2006-01-02T15:04:05.000Z07:00"

// formatPlural returns a number with its noun: 1 record, 2 records.
func formatPlural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func printText(c *cobra.Command, p *audit.Proof, usage int64) error {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if p.Valid() {
		what := "the audit chain is whole"
		if n := len(p.Chains); n > 1 {
			what = fmt.Sprintf("the audit chains of %d nodes are intact", n)
		}
		types := p.ByType()
		say("%s: %s, %d of them GATEWAY_REQUEST and %d GATEWAY_RESPONSE; %s",
			what, formatPlural(p.Records(), "record"), types[audit.GatewayRequest], types[audit.GatewayResponse], formatPlural(usage, "usage record"))
	}
	for i := range p.Chains {
		r := &p.Chains[i]
		of := ""
		if len(p.Chains) > 1 {
			of = fmt.Sprintf("node %q: ", r.Node)
			if r.Valid() {
				say("%s%d records, %d to %d; signed up to %d", of, r.Records, r.First, r.Last, r.Signed)
			}
		}
		if b := r.Broken; b != nil {
			say("%sthe audit chain is BROKEN at %s", of, b)
			say("%d records before it hold", r.Records)
		}
		if m := r.Removed; m != nil {
			say(
				"%sretention has removed the records up to %d, of %s and before, at %s",
				of,
				m.Through,
				m.LastTime.Format(time.DateOnly),
				m.At.Format(momentForm),
			)
		}
		for _, g := range r.Gaps {
			say("%sa gateway ended without a shutdown after record %d: records between %s and %s may be missing",
				of, g.After, g.From.Format(momentForm), g.To.Format(momentForm))
		}
		reportUnanswered(r, of, say)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(c.OutOrStdout(), l); err != nil {
			return err
		}
	}
	return nil
}

// listedUnanswered is how many requests without a response are printed; --json has a thousand.
const listedUnanswered = 20

func reportUnanswered(r *audit.Report, of string, say func(format string, args ...any)) {
	if r.Unanswered > 0 {
		say("%s%s without a response: how the exchange ended is not recorded", of, formatRequests(r.Unanswered))
	}
	if r.Killed > 0 {
		say("%s%s without a response, under way when a gateway ended without a shutdown", of, formatRequests(r.Killed))
	}
	for i := range r.Open {
		if i == listedUnanswered {
			say("  … and %d more; --json lists them", r.Unanswered+r.Killed-listedUnanswered)
			break
		}
		u := &r.Open[i]
		say("  record %d of %s: request %s", u.Seq, u.At.Format(momentForm), u.Exchange)
	}
	if r.Running > 0 {
		say("%s%s may still be answered", of, formatRequests(r.Running))
	}
}

func formatRequests(n int64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
