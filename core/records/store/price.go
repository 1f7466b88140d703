package store

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/price"
)

// PriceRecord is an entry of a price list: the price of the models that match a pattern.
type PriceRecord struct {
	price.Price
	Provider, Model      string    // Model is a name or a glob
	Effective            time.Time // when the price takes effect; zero: it always was in force
	CreatedAt, UpdatedAt time.Time // set by the store; zero for an entry of the configuration file
}

var priceTable = newTable(table[PriceRecord]{
	name: "price", noun: "price", kind: "price",
	head: func(p *PriceRecord) head { return head{id: &p.ID, created: &p.CreatedAt, updated: &p.UpdatedAt} },
	fields: func(p *PriceRecord) []field {
		return []field{
			newFixedField("id", &p.ID),
			{column: "model", at: &p.Model},
			{column: "provider", at: &p.Provider},
			{column: "input", at: &p.Input},
			{column: "output", at: &p.Output},
			{column: "cached", at: newNullNumberCodec(&p.Cached, -1)},
			{column: "written", at: newNullNumberCodec(&p.Written, -1)},
			{column: "reasoning", at: newNullNumberCodec(&p.Reasoning, -1)},
			{column: "batch_pct", at: newNullNumberCodec(&p.Batch, 0)},
			{column: "effective_at", at: newInstantCodec(&p.Effective)},
			newFixedField("created_at", newInstantCodec(&p.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&p.UpdatedAt)},
		}
	},
})

// Prices reads and writes the price list.
type Prices struct{ Records[PriceRecord] }

// Prices returns the price list.
func (db *DB) Prices() Prices { return Prices{Records[PriceRecord]{db, priceTable}} }

// Insert adds an entry. Without a date it applies immediately.
func (ps Prices) Insert(ctx context.Context, p PriceRecord) (PriceRecord, error) {
	if p.Effective.IsZero() {
		p.Effective = ps.db.readClock()
	}
	return ps.Records.Insert(ctx, p)
}
