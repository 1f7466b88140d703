package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
)

func pricesCommand(f *node.Options) *cobra.Command {
	var at string
	c := &cobra.Command{
		Use:   "prices PROVIDER MODEL...",
		Short: "Show the prices in force for a provider's models, in USD per million tokens",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			when := time.Now()
			if at != "" {
				var err error
				if when, err = readTime(at); err != nil {
					return fmt.Errorf("--at %q is no time; write it as 2027-01-31 or 2027-01-31T00:00:00Z", at)
				}
			}
			return showPrices(c.Context(), f, c.OutOrStdout(), when, args[0], args[1:])
		},
	}
	c.Flags().StringVar(&at, "at", "", "a `time` other than now, by the entries that there are now")
	return c
}

func readTime(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

func showPrices(ctx context.Context, f *node.Options, w io.Writer, at time.Time, provider string, models []string) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, cfg.Store.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	stored, err := db.Prices().List(ctx)
	if err != nil {
		return err
	}
	p := node.PricesOf(cfg, stored)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(
		out,
		"MODEL\tINPUT\tCACHED\tCACHE WRITE\tOUTPUT\tREASONING\tBATCH\tPRICE",
	) // the writer keeps an error, and Flush returns it
	unknown := 0
	for _, m := range models {
		price := p.At(provider, m, at)
		if price == nil {
			unknown++
			_, _ = fmt.Fprintf(out, "%s\tnot known\t\t\t\t\t\t\n", m) // as above
			continue
		}
		_, _ = fmt.Fprintln(out, m+"\t"+priceRow(price)) // as above
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if unknown > 0 {
		return fmt.Errorf("the prices of %d models are not known; write them under pricing, or add them by POST /admin/v1/pricing", unknown)
	}
	return nil
}

// priceRow writes a price in columns; a price equal to input or output is shown as such.
func priceRow(p *price.Price) string {
	usd := func(n int64) string {
		if n < 0 {
			return "same"
		}
		return money.Amount(n).String()
	}
	batch := p.Batch
	if batch == 0 {
		batch = 100
	}
	return fmt.Sprintf(
		"%s\t%s\t%s\t%s\t%s\t%d%%\t%s",
		usd(p.Input),
		usd(p.Cached),
		usd(p.Written),
		usd(p.Output),
		usd(p.Reasoning),
		batch,
		p.ID,
	)
}

func costsCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "costs", Short: "Manage the totals of costs", Args: cobra.NoArgs}
	c.AddCommand(&cobra.Command{
		Use:   "rebuild",
		Short: "Recompute the hourly and daily usage totals from the records; gateways hold new records back meanwhile",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			db, err := store.Open(c.Context(), cfg.Store.URL)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, db.Close(c.Context())) }()
			n, err := db.Usage().RebuildSums(c.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%d records were added up\n", n)
			return err
		},
	})
	return c
}
