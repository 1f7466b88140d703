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

// InsertChargeback keeps a report and its PDF. It is no configuration, so the configuration version stays.
func (db *DB) InsertChargeback(ctx context.Context, r ChargebackRecord, pdf []byte) error {
	err := db.transact(ctx, func(tx *Tx) error {
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

// Chargebacks are the reports without their sections, the newest first; tenant "" lists all, otherwise those of the
// tenant alone.
func (db *DB) Chargebacks(ctx context.Context, tenant string) ([]ChargebackRecord, error) {
	q, args := "SELECT id, tenant_id, from_at, to_at, generated_at, generated_by, '' AS report FROM chargeback_report", []any(nil)
	if tenant != "" {
		q, args = q+" WHERE tenant_id = ?", append(args, tenant)
	}
	var rows []chargebackRow
	if err := db.read.SelectContext(ctx, &rows, q+" ORDER BY generated_at DESC, id DESC", args...); err != nil {
		return nil, fmt.Errorf("list chargeback reports: %w", err)
	}
	list := make([]ChargebackRecord, len(rows))
	for i := range rows {
		list[i] = rows[i].record()
	}
	return list, nil
}

// Chargeback is one report; ErrNotFound when there is none with the id.
func (db *DB) Chargeback(ctx context.Context, id string) (ChargebackRecord, error) {
	var row chargebackRow
	err := db.read.GetContext(ctx, &row, `
		SELECT id, tenant_id, from_at, to_at, generated_at, generated_by, report FROM chargeback_report WHERE id = ?`, id)
	if err != nil {
		return ChargebackRecord{}, fmt.Errorf("read chargeback report: %w", named(err))
	}
	return row.record(), nil
}

// ChargebackPDF is the PDF of a report; ErrNotFound when there is none with the id.
func (db *DB) ChargebackPDF(ctx context.Context, id string) ([]byte, error) {
	var pdf []byte
	if err := db.read.GetContext(ctx, &pdf, "SELECT pdf FROM chargeback_report WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("read chargeback report: %w", named(err))
	}
	return pdf, nil
}

// DeleteChargeback removes a report; ErrNotFound when there is none with the id.
func (db *DB) DeleteChargeback(ctx context.Context, id string) error {
	err := db.transact(ctx, func(tx *Tx) error {
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
