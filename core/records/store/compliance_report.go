package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// ComplianceReport is a report as it was generated.
type ComplianceReport struct {
	ID          string
	Type        string // SOC2, HIPAA or GDPR
	Tenant      string // "" for all
	From, To    time.Time
	GeneratedAt time.Time
	GeneratedBy string // id of the actor
	Sections    []byte // JSON; empty in lists
	Proof       []byte // JSON: what the PDF shows beyond the sections; empty in lists
}

type complianceRow struct {
	ID          string
	Type        string
	Tenant      string `db:"tenant_id"`
	From        int64  `db:"from_at"`
	To          int64  `db:"to_at"`
	GeneratedAt int64  `db:"generated_at"`
	GeneratedBy string `db:"generated_by"`
	Sections    string
	Proof       string
}

func (r *complianceRow) report() ComplianceReport {
	return ComplianceReport{
		ID: r.ID, Type: r.Type, Tenant: r.Tenant, From: time.UnixMicro(r.From).UTC(), To: time.UnixMicro(r.To).UTC(),
		GeneratedAt: time.UnixMicro(r.GeneratedAt).UTC(), GeneratedBy: r.GeneratedBy, Sections: []byte(r.Sections), Proof: []byte(r.Proof),
	}
}

// Insert keeps a report.
func (rs ComplianceReports) Insert(ctx context.Context, r ComplianceReport) error {
	err := rs.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO compliance_report
			(id, type, tenant_id, from_at, to_at, generated_at, generated_by, sections, proof) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.ID, r.Type, r.Tenant, r.From.UnixMicro(), r.To.UnixMicro(), r.GeneratedAt.UnixMicro(), r.GeneratedBy, string(r.Sections), string(r.Proof))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep compliance report: %w", err)
	}
	return nil
}

// Get is the report with the id, or ErrNotFound.
func (rs ComplianceReports) Get(ctx context.Context, id string) (ComplianceReport, error) {
	var row complianceRow
	err := rs.db.read.GetContext(ctx, &row, `SELECT id, type, tenant_id, from_at, to_at, generated_at, generated_by, sections, proof
		FROM compliance_report WHERE id = ?`, id)
	if err != nil {
		return ComplianceReport{}, fmt.Errorf("read compliance report: %w", named(err))
	}
	return row.report(), nil
}

// reportsAtOnce is how many reports a list reads by one query.
const reportsAtOnce = 200

// Each are the reports of a tenant, or with "" all, newest first and without sections. after is the id
// of the report before the first one, "" for the newest; limit 0 is all.
func (rs ComplianceReports) Each(ctx context.Context, tenant, after string, limit int) iter.Seq2[ComplianceReport, error] {
	return func(yield func(ComplianceReport, error) bool) {
		where, args := " WHERE 1 = 1", []any{}
		if tenant != "" {
			where, args = where+" AND tenant_id = ?", append(args, tenant)
		}
		for n := 0; limit == 0 || n < limit; {
			query, bind := "SELECT id, type, tenant_id, from_at, to_at, generated_at, generated_by FROM compliance_report"+where, args
			if after != "" {
				var at int64
				if err := rs.db.read.GetContext(ctx, &at, "SELECT generated_at FROM compliance_report WHERE id = ?", after); err != nil {
					yield(ComplianceReport{}, fmt.Errorf("list compliance reports: %w", named(err)))
					return
				}
				query, bind = query+" AND (generated_at < ? OR generated_at = ? AND id < ?)", append(bind[:len(bind):len(bind)], at, at, after)
			}
			var rows []complianceRow
			err := rs.db.read.SelectContext(ctx, &rows, query+" ORDER BY generated_at DESC, id DESC LIMIT ?", append(bind[:len(bind):len(bind)], reportsAtOnce)...)
			if err != nil {
				yield(ComplianceReport{}, fmt.Errorf("list compliance reports: %w", err))
				return
			}
			for i := range rows {
				if limit > 0 && n == limit || !yield(rows[i].report(), nil) {
					return
				}
				n++
				after = rows[i].ID
			}
			if len(rows) < reportsAtOnce {
				return
			}
		}
	}
}

// Delete removes a report; ErrNotFound when there is none with the id.
func (rs ComplianceReports) Delete(ctx context.Context, id string) error {
	err := rs.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM compliance_report WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return ErrNotFound
	})
	if err != nil {
		return fmt.Errorf("delete compliance report: %w", err)
	}
	return nil
}

// GetPDF is the report's kept PDF, nil when it was not rendered.
func (rs ComplianceReports) GetPDF(ctx context.Context, id string) ([]byte, error) {
	var pdf []byte
	if err := rs.db.read.GetContext(ctx, &pdf, "SELECT pdf FROM compliance_report WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("read compliance report: %w", named(err))
	}
	return pdf, nil
}

// SavePDF keeps a rendered report.
func (rs ComplianceReports) SavePDF(ctx context.Context, id string, pdf []byte) error {
	err := rs.db.transact(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE compliance_report SET pdf = ? WHERE id = ?", pdf, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep compliance report: %w", err)
	}
	return nil
}
