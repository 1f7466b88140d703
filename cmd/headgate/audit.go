package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/audit"
	"github.com/headgate-dev/headgate/core/meter"
	"github.com/headgate-dev/headgate/core/store"
)

func auditCommand(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "audit", Short: "Look at the audit log", Args: cobra.NoArgs}
	var asJSON bool
	verify := &cobra.Command{
		Use:   "verify",
		Short: "Prove that the audit chain is whole, or name the first broken record",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, _, err := f.load()
			if err != nil {
				return err
			}
			ctx := c.Context()
			r, err := openStore(ctx, cfg)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.close(ctx)) }()
			report, err := audit.Verify(ctx, r.db, r.master.AuditKey())
			if err != nil {
				return err
			}
			usage, err := meter.New(r.db, nil).Totals(ctx, store.UsageFilter{})
			if err != nil {
				return err
			}
			return printReport(c, &report, usage.Records, asJSON)
		},
	}
	verify.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.AddCommand(verify)
	return c
}

func printReport(c *cobra.Command, r *audit.Report, usage int64, asJSON bool) error {
	out := c.OutOrStdout()
	if asJSON {
		doc := map[string]any{
			"valid": r.Valid(), "records": r.Records, "types": r.ByType, "starts": r.Starts, "gaps": len(r.Gaps), "usage": usage,
		}
		if b := r.Broken; b != nil {
			doc["broken"] = map[string]any{"seq": b.Seq, "event_id": b.EventID, "reason": b.Reason}
		}
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(doc); err != nil {
			return err
		}
	} else if err := printText(c, r, usage); err != nil {
		return err
	}
	if !r.Valid() {
		return errSilent
	}
	return nil
}

func printText(c *cobra.Command, r *audit.Report, usage int64) error {
	out := c.OutOrStdout()
	if b := r.Broken; b != nil {
		_, err := fmt.Fprintf(out, "the audit chain is BROKEN at %s\n%d records before it hold\n", b, r.Records)
		return err
	}
	_, err := fmt.Fprintf(out, "the audit chain is whole: %d records, %d of them GATEWAY_REQUEST and %d GATEWAY_RESPONSE; %d usage records\n",
		r.Records, r.ByType[audit.GatewayRequest], r.ByType[audit.GatewayResponse], usage)
	for _, g := range r.Gaps {
		if err == nil {
			_, err = fmt.Fprintf(out, "a gateway ended without a shutdown after record %d: records between %s and %s may be missing\n",
				g.After, g.From.Format("2006-01-02T15:04:05.000Z07:00"), g.To.Format("2006-01-02T15:04:05.000Z07:00"))
		}
	}
	return err
}
