package store

import (
	"context"
	"fmt"
	"time"
)

// ChargebackRecord is a chargeback report that is kept.
type ChargebackRecord struct {
	ID, Tenant string // Tenant is "" for a report of all tenants
	From, To   time.Time
	At         time.Time // when it was generated
	By         string    // who had it generated
	Report     []byte    // its sections as JSON
}

type chargebackRow struct {
	ID     string `db:"id"`
	Tenant string `db:"tenant_id"`
	From   int64  `db:"from_at"`
	To     int64  `db:"to_at"`
	At     int64  `db:"generated_at"`
	By     string `db:"generated_by"`
	Report string `db:"report"`
}

func (r *chargebackRow) record() ChargebackRecord {
	at := func(n int64) time.Time { return time.UnixMicro(n).UTC() }
	return ChargebackRecord{ID: r.ID, Tenant: r.Tenant, From: at(r.From), To: at(r.To), At: at(r.At), By: r.By, Report: []byte(r.Report)}
}

// Insert keeps a report and its PDF. It is no configuration, so the configuration version stays.
func (cs Chargebacks) Insert(ctx context.Context, r ChargebackRecord, pdf []byte) error {
	err := cs.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO chargeback_report (id, tenant_id, from_at, to_at, generated_at, generated_by, report, pdf) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.Tenant, r.From.UnixMicro(), r.To.UnixMicro(), r.At.UnixMicro(), r.By, string(r.Report), pdf)
		return err
	})
	if err != nil {
		return fmt.Errorf("insert chargeback report: %w", err)
	}
	return nil
}

// List are the reports without their sections, the newest first; tenant "" lists all, otherwise those of the
// tenant alone.
func (cs Chargebacks) List(ctx context.Context, tenant string) ([]ChargebackRecord, error) {
	q, args := "SELECT id, tenant_id, from_at, to_at, generated_at, generated_by, '' AS report FROM chargeback_report", []any(nil)
	if tenant != "" {
		q, args = q+" WHERE tenant_id = ?", append(args, tenant)
	}
	var rows []chargebackRow
	if err := cs.db.read.SelectContext(ctx, &rows, q+" ORDER BY generated_at DESC, id DESC", args...); err != nil {
		return nil, fmt.Errorf("list chargeback reports: %w", err)
	}
	list := make([]ChargebackRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Get is one report; ErrNotFound when there is none with the id.
func (cs Chargebacks) Get(ctx context.Context, id string) (ChargebackRecord, error) {
	var row chargebackRow
	err := cs.db.read.GetContext(ctx, &row, `
		SELECT id, tenant_id, from_at, to_at, generated_at, generated_by, report FROM chargeback_report WHERE id = ?`, id)
	if err != nil {
		return ChargebackRecord{}, fmt.Errorf("read chargeback report: %w", named(err))
	}
	return row.record(), nil
}

// GetPDF is the PDF of a report; ErrNotFound when there is none with the id.
func (cs Chargebacks) GetPDF(ctx context.Context, id string) ([]byte, error) {
	var pdf []byte
	if err := cs.db.read.GetContext(ctx, &pdf, "SELECT pdf FROM chargeback_report WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("read chargeback report: %w", named(err))
	}
	return pdf, nil
}

// Delete removes a report; ErrNotFound when there is none with the id.
func (cs Chargebacks) Delete(ctx context.Context, id string) error {
	err := cs.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM chargeback_report WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return ErrNotFound
	})
	if err != nil {
		return fmt.Errorf("delete chargeback report: %w", err)
	}
	return nil
}
