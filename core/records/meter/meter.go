// Package meter keeps account of what each exchange used: tokens by the provider's count, by tenant, key and end user.
// Prices, costs and forecasts will be laid over these records.
//
// It may import core/records/store and the standard library.
package meter

import (
	"context"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Record says what one exchange used.
type Record = store.UsageRecord

// Filter chooses records, and Totals are sums over them.
type (
	Filter = store.UsageFilter
	Totals = store.UsageTotals
)

// Meter books usage. Its methods may be called from any goroutine.
type Meter struct {
	db *store.DB
	w  *store.Writer
}

// New books through w and answers queries from db, the database that w writes to.
func New(db *store.DB, w *store.Writer) *Meter { return &Meter{db: db, w: w} }

// Append queues one record, copying what it is given. store.ErrBusy means that the queue stayed full and the record was
// not taken.
func (m *Meter) Append(ctx context.Context, r *Record) error { return m.w.AppendUsage(ctx, r) }

// Totals sums the records that f chooses. Those of the last moment may still wait to be written.
func (m *Meter) Totals(ctx context.Context, f Filter) (Totals, error) {
	return m.db.Usage().Total(ctx, f)
}
