package admin

import (
	"context"
	"io"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ExportFile is an export of audit events that has not been written yet.
type ExportFile struct {
	Name, Type string // sent to browsers
	// Write reads the events and writes the file. After an error the file is incomplete.
	Write func(context.Context, io.Writer) error
}

// Export returns the matching events as a CSV or JSON file. It fails before anything is written. If exports are guarded, a
// second person must have consented to exactly this export.
func (s AuditLog) Export(ctx context.Context, who *auth.Actor, q AuditQuery, csv bool) (ExportFile, error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return ExportFile{}, err
	}
	form := nameExportFormat(csv)
	if s.svc.GuardExports != nil && s.svc.GuardExports() {
		return s.openApprovedExport(
			ctx,
			who,
			exportSubject{Format: form, Tenant: f.Tenant, Type: f.Type, From: formatTime(f.From), To: formatTime(f.To)},
		)
	}
	if err := s.svc.writeAction(ctx, who, "export", "audit_events", form, f.Tenant); err != nil {
		return ExportFile{}, err
	}
	return s.newExportFile(form, f), nil
}

func nameExportFormat(csv bool) string {
	if csv {
		return "csv"
	}
	return "json"
}

func (s AuditLog) newExportFile(form string, f store.AuditFilter) ExportFile {
	if form == "csv" {
		return ExportFile{Name: "audit-events.csv", Type: "text/csv", Write: func(ctx context.Context, w io.Writer) error {
			return audit.WriteCSV(ctx, w, s.svc.Store, f)
		}}
	}
	return ExportFile{Name: "audit-events.json", Type: "application/json", Write: func(ctx context.Context, w io.Writer) error {
		return audit.WriteJSON(ctx, w, s.svc.Store, f)
	}}
}

// formatTime formats a time in one way, whatever the request wrote.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
