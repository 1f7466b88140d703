package store

import (
	"context"
	"fmt"
	"time"
)

// ChargebackRecord is a stored chargeback report.
type ChargebackRecord struct {
	ID, Tenant string // Tenant is "" for a report of all tenants
	From, To   time.Time
	At         time.Time // when it was generated
	By         string    // who generated it
	Report     []byte    // its sections as JSON; empty in lists
}

var chargebackTable = newTable(table[ChargebackRecord]{
	name: "chargeback_report", noun: "chargeback report",
	head: func(r *ChargebackRecord) head { return head{id: &r.ID, created: &r.At} },
	fields: func(r *ChargebackRecord) []field {
		return []field{
			newFixedField("id", &r.ID),
			newFixedField("tenant_id", &r.Tenant),
			newFixedField("from_at", newMomentCodec(&r.From)),
			newFixedField("to_at", newMomentCodec(&r.To)),
			newFixedField("generated_at", newMomentCodec(&r.At)),
			newFixedField("generated_by", &r.By),
			{column: "report", at: newTextCodec(&r.Report), fixed: true, large: true},
		}
	},
})

// Chargebacks reads and writes the chargeback reports. They are not part of the configuration.
type Chargebacks struct{ db *DB }

// Chargebacks returns the chargeback reports.
func (db *DB) Chargebacks() Chargebacks { return Chargebacks{db} }

func (cs Chargebacks) records() Records[ChargebackRecord] {
	return Records[ChargebackRecord]{cs.db, chargebackTable}
}

// Insert stores a report and its PDF.
func (cs Chargebacks) Insert(ctx context.Context, r ChargebackRecord, pdf []byte) error {
	args, err := chargebackTable.listValues(&r)
	if err != nil {
		return fmt.Errorf("insert chargeback report: %w", err)
	}
	return cs.db.exec(ctx, "insert chargeback report", "INSERT INTO chargeback_report ("+chargebackTable.columns+
		", pdf) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", append(args, pdf)...)
}

// List returns the reports of one tenant, or of all if tenant is "", newest first and without their sections.
func (cs Chargebacks) List(ctx context.Context, tenant string) ([]ChargebackRecord, error) {
	where, args := "", []any(nil)
	if tenant != "" {
		where, args = "WHERE tenant_id = ? ", append(args, tenant)
	}
	return cs.records().list(ctx, where+"ORDER BY generated_at DESC, id DESC", args...)
}

// Get returns a report, or ErrNotFound.
func (cs Chargebacks) Get(ctx context.Context, id string) (ChargebackRecord, error) {
	return cs.records().Get(ctx, id)
}

// GetPDF returns the PDF of a report, or ErrNotFound.
func (cs Chargebacks) GetPDF(ctx context.Context, id string) ([]byte, error) {
	var pdf []byte
	if err := cs.db.read.GetContext(ctx, &pdf, "SELECT pdf FROM chargeback_report WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("read chargeback report: %w", mapDriverError(err))
	}
	return pdf, nil
}

// Delete removes a report, or returns ErrNotFound.
func (cs Chargebacks) Delete(ctx context.Context, id string) error {
	return cs.db.execOne(ctx, "delete chargeback report", "DELETE FROM chargeback_report WHERE id = ?", id)
}
