package admin

import (
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// Ledger is the running gateway, as far as operations on money reach into it.
type Ledger interface {
	// FilePrices are the prices of the configuration file.
	FilePrices() []Price
	// FileBudgets are the budgets of the configuration file.
	FileBudgets() []FileBudget
	// ProviderName is a provider as records name it: azure is azure-openai, unless one is configured by that name.
	ProviderName(name string) string
	// AnomalyThreshold is how far a rate may be above its baseline, in per cent.
	AnomalyThreshold() int64
}

// noLedger is that of a command, beside which no gateway need run: only what the database holds is there.
type noLedger struct{}

func (noLedger) FilePrices() []Price       { return nil }
func (noLedger) FileBudgets() []FileBudget { return nil }
func (noLedger) AnomalyThreshold() int64   { return 0 }

func (noLedger) ProviderName(name string) string {
	if name == "azure" {
		return "azure-openai"
	}
	return name
}

// Codes of refusals about money.
const (
	CodePriceNotFound         = "pricing_not_found"
	CodeBudgetNotFound        = "BUDGET_NOT_FOUND"
	CodeChargebackNotFound    = "CHARGEBACK_NOT_FOUND"
	CodeChargebackUnavailable = "CHARGEBACK_NOT_AVAILABLE"
)

// meterCosts answers questions about the records.
func (s *Service) meterCosts() *meter.Costs { return &meter.Costs{DB: s.Store, Now: s.Now} }

// mapNotFoundTo gives the refusal of an unknown id the code that the specification has for the record.
func mapNotFoundTo(err error, what, code string) error {
	if err = mapNotFound(err, what); err == nil || core.AsError(err).Kind != core.NotFound {
		return err
	}
	return &core.Error{Kind: core.NotFound, Code: code, Public: "there is no such " + what}
}

// readMoment reads a time as ISO 8601 has it: with a zone, or a date, which is its first moment in UTC. "" is the zero time.
func readMoment(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1970 && at.Year() < 10000 {
			return at.UTC(), nil
		}
	}
	return time.Time{}, invalidValue(field, "write a time as in 2026-11-01T00:00:00Z, or a date as in 2026-11-01")
}

// readSpan reads the two ends of a span of time.
func readSpan(from, to string) (begin, end time.Time, err error) {
	if begin, err = readMoment("from", from); err != nil {
		return begin, end, err
	}
	if end, err = readMoment("to", to); err != nil {
		return begin, end, err
	}
	if !begin.IsZero() && !end.IsZero() && !begin.Before(end) {
		return begin, end, invalidValue("to", "write a time after from")
	}
	return begin, end, nil
}

// mostPrice bounds a price of a million tokens, in the file as well.
const mostPrice = 1_000_000 * money.USD

func checkPrice(field string, a money.Amount) error {
	if a < 0 || a > mostPrice {
		return invalidValue(field, "write 0 to 1000000, in USD for a million tokens")
	}
	return nil
}
