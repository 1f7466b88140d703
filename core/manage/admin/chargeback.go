package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ChargebackRequest contains the tenant and the period of a report.
type ChargebackRequest struct {
	Tenant *string `json:"tenant_id,omitempty" maxLength:"128" nullable:"true" doc:"null or omitted: all tenants."`
	From   *string `json:"from,omitempty" doc:"The start as a date or a time, inclusive." example:"2026-10-01"`
	To     *string `json:"to,omitempty" doc:"The end as a date or a time, exclusive." example:"2026-11-01"`
}

// authorize checks the permission and the licence.
func (s Chargebacks) authorize(ctx context.Context, who *auth.Actor, tenant string) (string, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.Chargeback, tenant)
	if err == nil {
		err = s.svc.requireFeature(FeatureChargeback, CodeChargebackUnavailable, "making chargeback reports")
	}
	return tenant, err
}

// Create creates a report and its PDF and stores both.
func (s Chargebacks) Create(ctx context.Context, who *auth.Actor, q ChargebackRequest) (*meter.ChargebackReport, error) {
	tenant := ""
	if q.Tenant != nil {
		tenant = *q.Tenant
	}
	tenant, err := s.authorize(ctx, who, tenant)
	switch {
	case err != nil:
		return nil, err
	case q.From == nil || *q.From == "":
		return nil, newMissingFieldError("from")
	case q.To == nil || *q.To == "":
		return nil, newMissingFieldError("to")
	}
	from, to, err := readSpan(*q.From, *q.To)
	if err != nil {
		return nil, err
	}
	if to.Sub(from) > meter.Longest {
		return nil, newInvalidValueError("to", "write a time at most two years after from")
	}
	if tenant != "" {
		if _, err := s.svc.Store.Tenants().Get(ctx, tenant); err != nil {
			return nil, mapNotFound(err, "tenant")
		}
	}
	r, err := s.svc.newMeterCosts().BuildReport(ctx, tenant, from, to, s.svc.Ledger.AnomalyThreshold())
	if err != nil {
		return nil, err
	}
	r.ID, r.By = s.svc.NewID(), who.ID
	pdf, err := r.FormatPDF()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r.Sections)
	if err != nil {
		return nil, fmt.Errorf("chargeback report: %w", err)
	}
	err = s.svc.Store.Chargebacks().Insert(
		ctx,
		store.ChargebackRecord{ID: r.ID, Tenant: tenant, From: r.From, To: r.To, At: r.At, By: r.By, Report: text},
		pdf,
	)
	if err != nil {
		return nil, err
	}
	return r, s.svc.publishChange(ctx, who, created, "chargeback", r.ID, tenant, nil, nil)
}

// List lists reports without their sections, newest first.
func (s Chargebacks) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[*meter.ChargebackReport], error) {
	tenant, err := s.authorize(ctx, who, tenant)
	if err != nil {
		return List[*meter.ChargebackReport]{}, err
	}
	records, err := s.svc.Store.Chargebacks().List(ctx, tenant)
	if err != nil {
		return List[*meter.ChargebackReport]{}, err
	}
	all := make([]*meter.ChargebackReport, len(records))
	for i := range records {
		all[i] = viewChargeback(&records[i])
	}
	return newList(all, page, func(r *meter.ChargebackReport) string { return r.ID })
}

// Get returns a report.
func (s Chargebacks) Get(ctx context.Context, who *auth.Actor, id string) (*meter.ChargebackReport, error) {
	if err := s.authorizeRecord(ctx, who, id, nil); err != nil {
		return nil, err
	}
	rec, err := s.svc.Store.Chargebacks().Get(ctx, id)
	if err != nil {
		return nil, mapNotFoundTo(err, "chargeback report", CodeChargebackNotFound)
	}
	r := viewChargeback(&rec)
	r.Sections = new(meter.ChargebackSections)
	if err := json.Unmarshal(rec.Report, r.Sections); err != nil {
		return nil, fmt.Errorf("chargeback report %s: %w", id, err)
	}
	return r, nil
}

// authorizeRecord refuses a report that does not exist or that the actor must not see. It copies the record to rec unless
// rec is nil.
func (s Chargebacks) authorizeRecord(ctx context.Context, who *auth.Actor, id string, rec *store.ChargebackRecord) error {
	tenant, err := s.authorize(ctx, who, "")
	if err != nil {
		return err
	}
	r, err := s.svc.Store.Chargebacks().Get(ctx, id)
	if err == nil && tenant != "" && r.Tenant != tenant {
		err = store.ErrNotFound
	}
	if err != nil {
		return mapNotFoundTo(err, "chargeback report", CodeChargebackNotFound)
	}
	if rec != nil {
		*rec = r
	}
	return nil
}

// FormatPDF returns the PDF of a report.
func (s Chargebacks) FormatPDF(ctx context.Context, who *auth.Actor, id string) ([]byte, error) {
	if err := s.authorizeRecord(ctx, who, id, nil); err != nil {
		return nil, err
	}
	b, err := s.svc.Store.Chargebacks().GetPDF(ctx, id)
	return b, mapNotFoundTo(err, "chargeback report", CodeChargebackNotFound)
}

// FormatCSV returns a function that writes a report as CSV, with focus in the columns of FOCUS.
func (s Chargebacks) FormatCSV(ctx context.Context, who *auth.Actor, id string, focus bool) (func(w io.Writer) error, error) {
	r, err := s.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	if !focus {
		return r.WriteCSV, nil
	}
	tenant := ""
	if r.Tenant != nil {
		tenant = *r.Tenant
	}
	return func(w io.Writer) error { return s.svc.newMeterCosts().WriteFocus(ctx, w, tenant, r.From, r.To) }, nil
}

// Delete removes a report.
func (s Chargebacks) Delete(ctx context.Context, who *auth.Actor, id string) error {
	var r store.ChargebackRecord
	if err := s.authorizeRecord(ctx, who, id, &r); err != nil {
		return err
	}
	if err := s.svc.Store.Chargebacks().Delete(ctx, id); err != nil {
		return mapNotFoundTo(err, "chargeback report", CodeChargebackNotFound)
	}
	return s.svc.publishChange(ctx, who, deleted, "chargeback", id, r.Tenant, nil, nil)
}

func viewChargeback(r *store.ChargebackRecord) *meter.ChargebackReport {
	return &meter.ChargebackReport{
		ID:       r.ID,
		Tenant:   nilIfEmpty(r.Tenant),
		From:     r.From,
		To:       r.To,
		At:       r.At,
		By:       r.By,
		Currency: meter.Currency,
	}
}
