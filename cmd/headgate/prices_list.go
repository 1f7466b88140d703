package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
)

func newPricesCommand(f *node.Options) *cobra.Command {
	var at string
	var asJSON *bool
	c := &cobra.Command{
		Use:   "prices PROVIDER MODEL...",
		Short: "Show the prices in force for a provider's models, in USD per million tokens",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			when := time.Now()
			if at != "" {
				var err error
				if when, err = parseTime(at); err != nil {
					return fmt.Errorf("--at %q is not a time; write it as 2027-01-31 or 2027-01-31T00:00:00Z", at)
				}
			}
			return showPrices(c.Context(), f, c.OutOrStdout(), *asJSON, when, args[0], args[1:])
		},
	}
	c.Flags().StringVar(&at, "at", "", "a `time` other than now, by the entries that there are now")
	asJSON = cli.AddJSONFlag(c)
	return c
}

func parseTime(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

func showPrices(
	ctx context.Context, f *node.Options, w io.Writer, asJSON bool, at time.Time, provider string, models []string,
) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	db, err := f.OpenDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	stored, err := db.Prices().List(ctx)
	if err != nil {
		return err
	}
	p := node.BuildPrices(cfg, stored)
	rows, unknown := make([]pricedModel, len(models)), 0
	for i, m := range models {
		rows[i] = newPricedModel(m, p.FindPriceAt(provider, m, at))
		if !rows[i].Known {
			unknown++
		}
	}
	if err := cli.PrintList(w, asJSON, rows, priceColumns); err != nil {
		return err
	}
	if unknown > 0 {
		return fmt.Errorf("the prices of %d models are not known; write them under pricing, or add them by POST /admin/v1/pricing", unknown)
	}
	return nil
}

// pricedModel is a row of "headgate prices": USD per million tokens. What is omitted of a known price costs as input or
// output does.
// Its own type: a line of the list; the record counts units of 1e-10 USD.
type pricedModel struct {
	Model     string        `json:"model"`
	Known     bool          `json:"known"`
	Input     *money.Amount `json:"input,omitempty"`
	Cached    *money.Amount `json:"cached,omitempty"`
	Written   *money.Amount `json:"cache_write,omitempty"`
	Output    *money.Amount `json:"output,omitempty"`
	Reasoning *money.Amount `json:"reasoning,omitempty"`
	Batch     int64         `json:"batch_percent,omitempty"`
	Price     string        `json:"price_id,omitempty"`
}

func newPricedModel(model string, p *price.Price) pricedModel {
	if p == nil {
		return pricedModel{Model: model}
	}
	usd := func(n int64) *money.Amount {
		if n < 0 {
			return nil
		}
		a := money.Amount(n)
		return &a
	}
	return pricedModel{
		Model: model, Known: true, Price: p.ID, Batch: cmp.Or(p.Batch, 100),
		Input: usd(p.Input), Cached: usd(p.Cached), Written: usd(p.Written), Output: usd(p.Output), Reasoning: usd(p.Reasoning),
	}
}

var priceColumns = []cli.Column[pricedModel]{
	{Head: "MODEL", Text: func(p *pricedModel) string { return p.Model }},
	{Head: "INPUT", Text: func(p *pricedModel) string {
		if !p.Known {
			return "not known"
		}
		return p.formatUSD(p.Input)
	}},
	{Head: "CACHED", Text: func(p *pricedModel) string { return p.formatUSD(p.Cached) }},
	{Head: "CACHE WRITE", Text: func(p *pricedModel) string { return p.formatUSD(p.Written) }},
	{Head: "OUTPUT", Text: func(p *pricedModel) string { return p.formatUSD(p.Output) }},
	{Head: "REASONING", Text: func(p *pricedModel) string { return p.formatUSD(p.Reasoning) }},
	{Head: "BATCH", Text: func(p *pricedModel) string {
		if !p.Known {
			return ""
		}
		return fmt.Sprintf("%d%%", p.Batch)
	}},
	{Head: "PRICE", Text: func(p *pricedModel) string { return p.Price }},
}

// formatUSD returns the text of an amount; one that is not set is that of input or output.
func (p *pricedModel) formatUSD(a *money.Amount) string {
	switch {
	case !p.Known:
		return ""
	case a == nil:
		return "same"
	}
	return a.String()
}

func newCostsCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "costs", Short: "Manage the totals of costs", Args: cobra.NoArgs}
	c.AddCommand(&cobra.Command{
		Use:   "rebuild",
		Short: "Recompute the hourly and daily usage totals from the records; gateways queue new records meanwhile",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			db, err := f.OpenDatabase(c.Context(), cfg)
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
