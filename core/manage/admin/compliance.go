package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/compliance"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Error codes of compliance reports.
const (
	CodeNoCompliance   = "compliance_not_available"
	CodeReportNotFound = "report_not_found"
)

// ComplianceReport is a compliance report. In lists it has no sections.
type ComplianceReport struct {
	ID          string               `json:"id"`
	Type        string               `json:"type" enum:"SOC2,HIPAA,GDPR"`
	TenantID    *string              `json:"tenant_id" doc:"null: all tenants."`
	From        time.Time            `json:"from"`
	To          time.Time            `json:"to" doc:"The end, exclusive."`
	GeneratedAt time.Time            `json:"generated_at"`
	GeneratedBy string               `json:"generated_by"`
	Sections    *compliance.Sections `json:"sections,omitempty"`
}

// NewComplianceReport contains the fields of a new report.
type NewComplianceReport struct {
	Type     string  `json:"type" enum:"SOC2,HIPAA,GDPR"`
	TenantID *string `json:"tenant_id,omitempty" nullable:"true" maxLength:"128" doc:"All tenants if omitted."`
	From     string  `json:"from" doc:"The start, inclusive: a date, or a time with its zone, in ISO 8601." example:"2026-01-01"`
	To       string  `json:"to" doc:"The end, exclusive." example:"2026-02-01"`
}

// Create verifies the audit chains, counts events and stores the report.
func (s Reports) Create(ctx context.Context, who *auth.Actor, n NewComplianceReport) (ComplianceReport, error) {
	tenant := ""
	if n.TenantID != nil {
		tenant = *n.TenantID
	}
	tenant, err := s.svc.authorize(ctx, who, auth.ReportsWrite, tenant)
	if err != nil {
		return ComplianceReport{}, err
	}
	if err := s.checkLicense(); err != nil {
		return ComplianceReport{}, err
	}
	r := store.ComplianceReport{ID: s.svc.NewID(), Type: n.Type, Tenant: tenant, GeneratedBy: who.ID}
	switch {
	case n.Type == "":
		return ComplianceReport{}, newMissingFieldError("type")
	case !compliance.IsKnownType(n.Type):
		return ComplianceReport{}, newInvalidValueError("type", "write one of %s", strings.Join(compliance.ListTypes(), ", "))
	case n.From == "":
		return ComplianceReport{}, newMissingFieldError("from")
	case n.To == "":
		return ComplianceReport{}, newMissingFieldError("to")
	}
	if r.From, r.To, err = parseExportSpan(n.From, n.To); err != nil {
		return ComplianceReport{}, err
	}
	if !r.To.After(r.From) {
		return ComplianceReport{}, newInvalidValueError("to", "write a time after from")
	}
	sections, proof, err := compliance.Generate(ctx, s.svc.Store, s.svc.AuditKey, compliance.Scope{Tenant: tenant, From: r.From, To: r.To})
	if err != nil {
		return ComplianceReport{}, err
	}
	r.GeneratedAt = s.svc.Now().UTC().Truncate(time.Microsecond)
	if r.Sections, err = json.Marshal(sections); err != nil {
		return ComplianceReport{}, err
	}
	if r.Proof, err = json.Marshal(proof); err != nil {
		return ComplianceReport{}, err
	}
	if err := s.svc.Store.ComplianceReports().Insert(ctx, r); err != nil {
		return ComplianceReport{}, err
	}
	v, err := viewReport(&r)
	if err != nil {
		return ComplianceReport{}, err
	}
	return v, s.svc.writeAction(context.WithoutCancel(ctx), who, created, "report", r.ID, tenant)
}

func (s Reports) checkLicense() error {
	return s.svc.requireFeature(license.Reports, CodeNoCompliance, "making and reading compliance reports")
}

// List lists reports without their sections, newest first.
func (s Reports) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[ComplianceReport], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.ReportsRead, tenant)
	if err != nil {
		return List[ComplianceReport]{}, err
	}
	if err := s.checkLicense(); err != nil {
		return List[ComplianceReport]{}, err
	}
	if page.After != "" {
		if _, err := s.svc.Store.ComplianceReports().Get(ctx, page.After); err != nil {
			return List[ComplianceReport]{}, mapCursorError(err)
		}
	}
	return List[ComplianceReport]{
		Cursor: func(r ComplianceReport) string { return r.ID },
		All:    viewReports(s.svc.Store.ComplianceReports().Iterate(ctx, tenant, page.After, page.Limit)),
	}, nil
}

func viewReports(all iter.Seq2[store.ComplianceReport, error]) iter.Seq2[ComplianceReport, error] {
	return func(yield func(ComplianceReport, error) bool) {
		for r, err := range all {
			v := ComplianceReport{}
			if err == nil {
				v, err = viewReport(&r)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// mapCursorError turns a missing cursor element into an invalid cursor.
func mapCursorError(err error) error {
	if mapNotFound(err, "element") == err {
		return err
	}
	return newInvalidValueError("cursor", "the element before this page was deleted; start again without a cursor")
}

// find returns a stored report that the actor may see.
func (s Reports) find(ctx context.Context, who *auth.Actor, p auth.Permission, id string) (store.ComplianceReport, error) {
	reach, err := s.svc.authorize(ctx, who, p, "")
	if err != nil {
		return store.ComplianceReport{}, err
	}
	if err := s.checkLicense(); err != nil { // before the look-up: without a licence all ids are alike
		return store.ComplianceReport{}, err
	}
	gone := &core.Error{Kind: core.NotFound, Code: CodeReportNotFound, Public: "unknown report"}
	r, err := s.svc.Store.ComplianceReports().Get(ctx, id)
	if err != nil {
		if mapNotFound(err, "report") != err {
			err = gone
		}
		return r, err
	}
	if reach != "" && r.Tenant != reach {
		return r, gone
	}
	return r, nil
}

// Get returns a report with its sections.
func (s Reports) Get(ctx context.Context, who *auth.Actor, id string) (ComplianceReport, error) {
	r, err := s.find(ctx, who, auth.ReportsRead, id)
	if err != nil {
		return ComplianceReport{}, err
	}
	return viewReport(&r)
}

// Delete removes a report.
func (s Reports) Delete(ctx context.Context, who *auth.Actor, id string) error {
	r, err := s.find(ctx, who, auth.ReportsWrite, id)
	if err != nil {
		return err
	}
	if err := s.svc.Store.ComplianceReports().Delete(ctx, id); err != nil {
		return mapNotFound(err, "report")
	}
	return s.svc.writeAction(context.WithoutCancel(ctx), who, deleted, "report", id, r.Tenant)
}

// FormatPDF returns a report as a PDF with its file name: the stored PDF, or else a new one, which is stored. While the licence is
// DEGRADED a new PDF says so on each page and is not stored.
func (s Reports) FormatPDF(ctx context.Context, who *auth.Actor, id string) (file []byte, name string, err error) {
	r, err := s.find(ctx, who, auth.ReportsRead, id)
	if err != nil {
		return nil, "", err
	}
	name = compliance.FormatFileName(r.Type, r.ID)
	expired := false
	if s.svc.LicenseKeeper != nil {
		state, _ := s.svc.LicenseKeeper.State()
		expired = state == license.Degraded
	}
	if !expired {
		kept, err := s.svc.Store.ComplianceReports().GetPDF(ctx, id)
		if err != nil || kept != nil {
			return kept, name, err
		}
	}
	p := compliance.Paper{
		ID: r.ID, Type: r.Type, Scope: compliance.Scope{Tenant: r.Tenant, From: r.From, To: r.To},
		GeneratedAt: r.GeneratedAt, GeneratedBy: r.GeneratedBy, Version: s.svc.Version, Expired: expired,
	}
	if err := json.Unmarshal(r.Sections, &p.Sections); err != nil {
		return nil, "", fmt.Errorf("compliance report: %w", err)
	}
	if err := json.Unmarshal(r.Proof, &p.Proof); err != nil {
		return nil, "", fmt.Errorf("compliance report: %w", err)
	}
	if file, err = compliance.Render(&p); err != nil || expired {
		return file, name, err
	}
	return file, name, s.svc.Store.ComplianceReports().SavePDF(ctx, id, file)
}

func viewReport(r *store.ComplianceReport) (ComplianceReport, error) {
	v := ComplianceReport{ID: r.ID, Type: r.Type, From: r.From, To: r.To, GeneratedAt: r.GeneratedAt, GeneratedBy: r.GeneratedBy}
	if r.Tenant != "" {
		v.TenantID = &r.Tenant
	}
	if len(r.Sections) == 0 {
		return v, nil
	}
	v.Sections = &compliance.Sections{}
	if err := json.Unmarshal(r.Sections, v.Sections); err != nil {
		return ComplianceReport{}, fmt.Errorf("compliance report: %w", err)
	}
	return v, nil
}
