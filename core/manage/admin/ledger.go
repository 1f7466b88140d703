package admin

import (
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Ledger is the part of the running gateway that operations on money need.
type Ledger interface {
	// FilePrices returns the prices of the configuration file.
	FilePrices() []Price
	// FileBudgets returns the budgets of the configuration file.
	FileBudgets() []store.BudgetRecord
	// FindProviderName returns the name of a provider in records: azure becomes azure-openai unless a provider named azure is
	// configured.
	FindProviderName(name string) string
	// AnomalyThreshold returns, in percent, how far a rate may exceed its baseline.
	AnomalyThreshold() int64
}

// noLedger serves commands that run without a gateway: it has only what the database contains.
type noLedger struct{}

func (noLedger) FilePrices() []Price               { return nil }
func (noLedger) FileBudgets() []store.BudgetRecord { return nil }
func (noLedger) AnomalyThreshold() int64           { return 0 }

func (noLedger) FindProviderName(name string) string {
	if name == "azure" {
		return "azure-openai"
	}
	return name
}

// Error codes of operations on money.
const (
	CodePriceNotFound         = "pricing_not_found"
	CodeBudgetNotFound        = "BUDGET_NOT_FOUND"
	CodeChargebackNotFound    = "CHARGEBACK_NOT_FOUND"
	CodeChargebackUnavailable = "CHARGEBACK_NOT_AVAILABLE"
)

// newMeterCosts returns the queries over cost records.
func (s *Service) newMeterCosts() *meter.Costs { return &meter.Costs{DB: s.Store, Now: s.Now} }

// mapNotFoundTo is mapNotFound with the error code that the specification has for the record.
func mapNotFoundTo(err error, what, code string) error {
	if err = mapNotFound(err, what); err == nil || core.ConvertError(err).Kind != core.NotFound {
		return err
	}
	return &core.Error{Kind: core.NotFound, Code: code, Public: "unknown " + what}
}

// readMoment parses a time in ISO 8601: with a zone, or a date, which means its first moment in UTC. "" is the zero time.
func readMoment(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1970 && at.Year() < 10000 {
			return at.UTC(), nil
		}
	}
	return time.Time{}, newInvalidValueError(field, "write a time as in 2026-11-01T00:00:00Z, or a date as in 2026-11-01")
}

// readSpan parses the two ends of a period.
func readSpan(from, to string) (begin, end time.Time, err error) {
	if begin, err = readMoment("from", from); err != nil {
		return begin, end, err
	}
	if end, err = readMoment("to", to); err != nil {
		return begin, end, err
	}
	if !begin.IsZero() && !end.IsZero() && !begin.Before(end) {
		return begin, end, newInvalidValueError("to", "write a time after from")
	}
	return begin, end, nil
}

// maxPrice is the highest price of a million tokens, also in the configuration file.
const maxPrice = 1_000_000 * money.USD

func checkPrice(field string, a money.Amount) error {
	if a < 0 || a > maxPrice {
		return newInvalidValueError(field, "write 0 to 1000000, in USD per million tokens")
	}
	return nil
}
