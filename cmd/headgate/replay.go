package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/replay"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// replaying holds the flags of "headgate replay".
type replaying struct {
	chain, from, to, tenant string
	examples                int
	asJSON, strict          bool
}

func newReplayCommand(f *node.Options) *cobra.Command {
	var o replaying
	c := &cobra.Command{
		Use:   "replay --chain CANDIDATE.yaml",
		Short: "Replay captured exchanges through a candidate chain and report what would have changed",
		Long: `Run captured exchanges (capture.enabled) through the chain in force and through a
candidate, and tell what the candidate would have changed, by stage, rule and tenant.

The candidate is a file that is laid over the configuration: chain: [...] alone, or
policies:, budgets: and the rest with it. Nothing is sent anywhere: links that are
webhooks are left out on both sides.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c, f) },
	}
	c.Flags().StringVar(&o.chain, "chain", "", "the candidate's file")
	c.Flags().StringVar(&o.from, "from", "", "exchanges received at or after this time: 2026-11-21, 2026-11-21T09:00:00Z, or 24h for a day ago")
	c.Flags().StringVar(&o.to, "to", "", "and before then")
	c.Flags().StringVar(&o.tenant, "tenant", "", "exchanges of one tenant")
	c.Flags().IntVar(&o.examples, "examples", 3, "ids of exchanges to name for each change")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&o.strict, "fail-on-change", false, "exit with 1 when anything would have changed")
	if err := c.MarkFlagRequired("chain"); err != nil {
		panic(err) // the flag is the one above
	}
	return c
}

func (o *replaying) run(c *cobra.Command, f *node.Options) error {
	ctx, now := c.Context(), time.Now()
	q := capture.Query{Tenant: o.tenant}
	var err error
	if q.From, err = parseMoment(o.from, now); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if q.To, err = parseMoment(o.to, now); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if o.examples < 0 {
		return errors.New("--examples: must not be negative")
	}
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	candidate, warnings, err := f.LoadOver(o.chain)
	node.PrintWarnings(c.ErrOrStderr(), warnings)
	if err != nil {
		return err
	}
	rec, err := node.OpenExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = rec.DB.Close(ctx) }() // the file was only read
	report := replay.NewReport(o.examples)
	err = o.replay(c, [2]*config.Config{cfg, candidate}, rec, q, report)
	if err != nil {
		return err
	}
	report.Close()
	if o.asJSON {
		out := json.NewEncoder(c.OutOrStdout())
		out.SetIndent("", "  ")
		err = out.Encode(report)
	} else {
		err = report.Print(c.OutOrStdout())
	}
	if err == nil && o.strict && report.Changed > 0 {
		return cli.ErrReported
	}
	return err
}

// replay runs the captured exchanges through both chains.
func (o *replaying) replay(c *cobra.Command, cfgs [2]*config.Config, rec *node.Records, q capture.Query, report *replay.Report) error {
	ctx := c.Context()
	stored, err := rec.DB.Policies().List(ctx)
	if err != nil {
		return err
	}
	var players [2]*replay.Player
	for i, cfg := range cfgs {
		if n := node.DropOutboundLinks(cfg); n > 0 && i == 1 {
			_, _ = fmt.Fprintf(
				c.ErrOrStderr(),
				"warning: webhooks and processes are not called in a replay; %d links are left out\n",
				n,
			) // a closed terminal cannot be reported
		}
		p, release, err := node.NewPlayer(ctx, cfg, stored)
		if err != nil {
			return err
		}
		defer release()
		players[i] = p
	}
	unreadable, err := capture.Read(cfgs[0].Capture.Dir, rec.Master.CaptureKey(), q, func(r *capture.Record) error {
		a, b := players[0].Play(ctx, r), players[1].Play(ctx, r)
		report.Add(r, &a, &b)
		return ctx.Err()
	})
	for _, u := range unreadable {
		report.Unreadable = append(report.Unreadable, u.String())
	}
	return err
}

// parseMoment parses a time: a date, a time, or a duration ago. An empty text is the zero time.
func parseMoment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write 2026-11-21, 2026-11-21T09:00:00Z, or 24h for a day ago", s)
}
