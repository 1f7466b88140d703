package store

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/spending"
)

// BudgetRecord is a budget and whether it is in force. The table has no columns for the model, the time zone and the
// limit in tokens, which only budgets of the configuration file have.
type BudgetRecord struct {
	spending.Budget
	Enabled              bool
	Version              int64     // set by the store, one more with each change
	CreatedAt, UpdatedAt time.Time // set by the store; zero for a budget of the configuration file
}

var budgetTable = newTable(table[BudgetRecord]{
	name: "budget", noun: "budget", kind: "budget", owner: "tenant_id",
	blank: BudgetRecord{Budget: spending.Budget{Zone: time.UTC, Tokens: -1}},
	head:  func(b *BudgetRecord) head { return head{&b.ID, &b.Version, &b.CreatedAt, &b.UpdatedAt} },
	fields: func(b *BudgetRecord) []field {
		return []field{
			newFixedField("id", &b.ID),
			newFixedField("tenant_id", &b.Tenant),
			newFixedField("api_key_id", &b.Key),
			{column: "name", at: &b.Name},
			{column: "period", at: periodCodec{&b.Period}},
			{column: "limit_usd", at: &b.Limit},
			{column: "soft_pct", at: &b.Soft},
			{column: "enabled", at: &b.Enabled},
			{column: "version", at: &b.Version},
			newFixedField("created_at", newInstantCodec(&b.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&b.UpdatedAt)},
		}
	},
})

// Budgets returns the budgets.
func (db *DB) Budgets() Records[BudgetRecord] { return Records[BudgetRecord]{db, budgetTable} }

// periodCodec stores a period as its name.
type periodCodec struct{ at *spending.Period }

func (c periodCodec) Value() (driver.Value, error) { return c.at.String(), nil }

func (c periodCodec) Scan(v any) error {
	name, ok := v.(string)
	if !ok {
		return fmt.Errorf("a period is a text, not a %T", v)
	}
	*c.at = spending.ParsePeriod(name)
	return nil
}
