package store

import "time"

// BudgetRecord is a budget that the administrative API created.
type BudgetRecord struct {
	ID, Tenant, Key, Name string // Tenant and Key are ids; "": all
	Period                string // DAILY, WEEKLY or MONTHLY
	Limit                 int64  // units of 1e-10 USD
	SoftPct               int64  // 0: no soft limit
	Enabled               bool
	Version               int64     // set by the store, one more with each change
	CreatedAt, UpdatedAt  time.Time // set by the store
}

var budgetTable = newTable(table[BudgetRecord]{
	name: "budget", noun: "budget", kind: "budget", owner: "tenant_id",
	head: func(b *BudgetRecord) head { return head{&b.ID, &b.Version, &b.CreatedAt, &b.UpdatedAt} },
	fields: func(b *BudgetRecord) []field {
		return []field{
			fixedField("id", &b.ID),
			fixedField("tenant_id", &b.Tenant),
			fixedField("api_key_id", &b.Key),
			{column: "name", at: &b.Name},
			{column: "period", at: &b.Period},
			{column: "limit_usd", at: &b.Limit},
			{column: "soft_pct", at: &b.SoftPct},
			{column: "enabled", at: &b.Enabled},
			{column: "version", at: &b.Version},
			fixedField("created_at", instantAt(&b.CreatedAt)),
			{column: "updated_at", at: instantAt(&b.UpdatedAt)},
		}
	},
})

// Budgets returns the budgets.
func (db *DB) Budgets() Records[BudgetRecord] { return Records[BudgetRecord]{db, budgetTable} }
