package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// ComplianceReport is a generated report.
type ComplianceReport struct {
	ID          string
	Type        string // SOC2, HIPAA or GDPR
	Tenant      string // "" for all
	From, To    time.Time
	GeneratedAt time.Time
	GeneratedBy string // id of the actor
	Sections    []byte // JSON; empty in lists
	Proof       []byte // JSON shown only in the PDF; empty in lists
}

var complianceTable = newTable(table[ComplianceReport]{
	name: "compliance_report", noun: "compliance report",
	head: func(r *ComplianceReport) head { return head{id: &r.ID, created: &r.GeneratedAt} },
	fields: func(r *ComplianceReport) []field {
		return []field{
			newFixedField("id", &r.ID),
			newFixedField("type", &r.Type),
			newFixedField("tenant_id", &r.Tenant),
			newFixedField("from_at", newMomentCodec(&r.From)),
			newFixedField("to_at", newMomentCodec(&r.To)),
			newFixedField("generated_at", newMomentCodec(&r.GeneratedAt)),
			newFixedField("generated_by", &r.GeneratedBy),
			{column: "sections", at: newTextCodec(&r.Sections), fixed: true, large: true},
			{column: "proof", at: newTextCodec(&r.Proof), fixed: true, large: true},
		}
	},
})

// ComplianceReports reads and writes the compliance reports. They are not part of the configuration.
type ComplianceReports struct{ db *DB }

// ComplianceReports returns the compliance reports.
func (db *DB) ComplianceReports() ComplianceReports { return ComplianceReports{db} }

func (rs ComplianceReports) records() Records[ComplianceReport] {
	return Records[ComplianceReport]{rs.db, complianceTable}
}

// Insert stores a report.
func (rs ComplianceReports) Insert(ctx context.Context, r ComplianceReport) error {
	err := rs.db.transact(ctx, func(tx *Tx) error { return complianceTable.insert(ctx, tx, r) })
	if err != nil {
		return fmt.Errorf("store compliance report: %w", err)
	}
	return nil
}

// Get returns a report, or ErrNotFound.
func (rs ComplianceReports) Get(ctx context.Context, id string) (ComplianceReport, error) {
	return rs.records().Get(ctx, id)
}

// reportsAtOnce is how many reports of a list one query reads.
const reportsAtOnce = 200

// Iterate lists the reports of a tenant, or of all if tenant is "", newest first and without sections. after is the id of
// the last report of the previous page, or "". A limit of 0 means no limit.
func (rs ComplianceReports) Iterate(ctx context.Context, tenant, after string, limit int) iter.Seq2[ComplianceReport, error] {
	return func(yield func(ComplianceReport, error) bool) {
		where, args := "WHERE 1 = 1", []any{}
		if tenant != "" {
			where, args = where+" AND tenant_id = ?", append(args, tenant)
		}
		for n := 0; limit == 0 || n < limit; {
			query, bind := where, args
			if after != "" {
				var at int64
				if err := rs.db.read.GetContext(ctx, &at, "SELECT generated_at FROM compliance_report WHERE id = ?", after); err != nil {
					yield(ComplianceReport{}, fmt.Errorf("list compliance reports: %w", mapDriverError(err)))
					return
				}
				query, bind = query+" AND (generated_at < ? OR generated_at = ? AND id < ?)", append(bind[:len(bind):len(bind)], at, at, after)
			}
			list, err := rs.records().list(ctx, query+" ORDER BY generated_at DESC, id DESC LIMIT ?",
				append(bind[:len(bind):len(bind)], reportsAtOnce)...)
			if err != nil {
				yield(ComplianceReport{}, fmt.Errorf("list compliance reports: %w", err))
				return
			}
			for i := range list {
				if limit > 0 && n == limit || !yield(list[i], nil) {
					return
				}
				n++
				after = list[i].ID
			}
			if len(list) < reportsAtOnce {
				return
			}
		}
	}
}

// Delete removes a report, or returns ErrNotFound.
func (rs ComplianceReports) Delete(ctx context.Context, id string) error {
	return rs.db.execOne(ctx, "delete compliance report", "DELETE FROM compliance_report WHERE id = ?", id)
}

// GetPDF returns the report's stored PDF, or nil if it was not rendered.
func (rs ComplianceReports) GetPDF(ctx context.Context, id string) ([]byte, error) {
	var pdf []byte
	if err := rs.db.read.GetContext(ctx, &pdf, "SELECT pdf FROM compliance_report WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("read compliance report: %w", mapDriverError(err))
	}
	return pdf, nil
}

// SavePDF stores a rendered report.
func (rs ComplianceReports) SavePDF(ctx context.Context, id string, pdf []byte) error {
	return rs.db.exec(ctx, "store compliance report", "UPDATE compliance_report SET pdf = ? WHERE id = ?", pdf, id)
}
