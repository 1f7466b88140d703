// Package meter accounts for what each exchange used: the provider's token counts by tenant, key and end user, and the
// costs, forecasts and reports that follow from them.
//
// It may import core/records/store and the standard library.
package meter

import (
	"context"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Record is the usage of one exchange.
type Record = store.UsageRecord

// Filter selects records, and Totals are sums over them.
type (
	Filter = store.UsageFilter
	Totals = store.UsageTotals
)

// Meter records usage. It is safe for concurrent use.
type Meter struct {
	db *store.DB
	w  *store.Writer
}

// New returns a meter that writes through w and reads from db, the database that w writes to.
func New(db *store.DB, w *store.Writer) *Meter { return &Meter{db: db, w: w} }

// Append queues a copy of the record. store.ErrBusy means that the queue stayed full and the record was not accepted.
func (m *Meter) Append(ctx context.Context, r *Record) error { return m.w.AppendUsage(ctx, r) }

// ReadTotals returns the sums of the records that match f. The most recent records may still be missing.
func (m *Meter) ReadTotals(ctx context.Context, f Filter) (Totals, error) {
	return m.db.Usage().SumUsage(ctx, f)
}
