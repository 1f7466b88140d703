package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/store"
)

// requireFeature fails if the licence does not include a feature.
func (s *Service) requireFeature(feature, code, doing string) error {
	if s.License.IsLicensed(feature) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusBadRequest, Code: code,
		Public: doing + " requires a valid licence; an owner sets one with PUT /admin/v1/license",
	}
}

// LicenseView is the licence of the installation and its state.
type LicenseView struct {
	Posture   string     `json:"posture" enum:"DEVELOPMENT,PRODUCTION" doc:"DEVELOPMENT without a licence."`
	Status    string     `json:"status" enum:"NONE,VALID,EXPIRING_SOON,GRACE_PERIOD,DEGRADED"`
	Licensee  string     `json:"licensee,omitempty"`
	Type      string     `json:"type,omitempty" enum:"TRIAL,PRODUCTION"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Features  []string   `json:"features" nullable:"false" doc:"The features that the licence unlocks now."`
	Source    string     `json:"source,omitempty" enum:"api,file" doc:"Where the licence is stored. A licence of the configuration can only be changed there."`
	Problem   string     `json:"problem,omitempty" doc:"Why the licence file cannot be used."`
	// Tenants and GovernedCalls are counted against the free quotas. They concern the installation and are not shown to
	// actors of a tenant.
	Tenants       *Quota `json:"tenants,omitempty" doc:"Not sent to roles of a tenant."`
	GovernedCalls *Quota `json:"governedCalls,omitempty" doc:"Not sent to roles of a tenant."`
}

// Quota is a count with its limit.
type Quota struct {
	Count int64  `json:"count"`
	Limit *int64 `json:"limit" doc:"null: without a limit."`
	Month string `json:"month,omitempty" doc:"The month of a monthly count, in UTC." example:"2026-11"`
}

// View returns the licence. The caller checks who may read it.
func (k *LicenseKeeper) View(ctx context.Context) (LicenseView, error) {
	h, now := k.loadCurrent()
	l, state := h.license, h.license.FindState(now)
	v := LicenseView{
		Posture:       string(license.FindPosture(l)),
		Status:        string(state),
		Features:      []string{},
		Tenants:       &Quota{},
		GovernedCalls: &Quota{},
	}
	if h.wrong != nil {
		v.Problem = h.wrong.Error()
	}
	if l != nil {
		ends := l.ExpiresAt.UTC()
		v.Licensee, v.Type, v.ExpiresAt, v.Source = l.Licensee, l.Type, &ends, store.SourceAPI
		if h.managed {
			v.Source = store.SourceFile
		}
		for _, f := range license.ListFeatures() {
			if l.Unlocks(f, now) {
				v.Features = append(v.Features, f)
			}
		}
	}
	var err error
	if v.Tenants.Count, err = k.Store.Tenants().Count(ctx); err != nil {
		return LicenseView{}, err
	}
	if v.GovernedCalls.Count, err = k.Store.Usage().CountGoverned(ctx, now); err != nil {
		return LicenseView{}, err
	}
	v.GovernedCalls.Month = now.UTC().Format("2006-01")
	tenants, calls := int64(license.FreeTenants), int64(license.FreeCalls)
	if !state.IsInForce() {
		v.Tenants.Limit = &tenants
	}
	if l == nil {
		v.GovernedCalls.Limit = &calls
	}
	return v, nil
}

// Get returns the licence and its state. Actors of a tenant do not see the counts of the installation.
func (s Licenses) Get(ctx context.Context, who *auth.Actor) (LicenseView, error) {
	if _, err := s.svc.authorize(ctx, who, auth.LicenseRead, ""); err != nil {
		return LicenseView{}, err
	}
	v, err := s.svc.LicenseKeeper.View(ctx)
	if who.Tenant != "" {
		v.Tenants, v.GovernedCalls = nil, nil
	}
	return v, err
}

// Set replaces the licence with the given licence file.
func (s Licenses) Set(ctx context.Context, who *auth.Actor, file string) (LicenseView, error) {
	if _, err := s.svc.authorize(ctx, who, auth.LicenseWrite, ""); err != nil {
		return LicenseView{}, err
	}
	if _, err := license.Parse([]byte(file), s.svc.LicenseKeeper.Keys); err != nil {
		return LicenseView{}, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "license", Public: err.Error()}
	}
	return s.change(ctx, who, &store.License{File: []byte(file), InstalledAt: s.svc.Now(), InstalledBy: who.ID})
}

// Remove removes the licence.
func (s Licenses) Remove(ctx context.Context, who *auth.Actor) error {
	if _, err := s.svc.authorize(ctx, who, auth.LicenseWrite, ""); err != nil {
		return err
	}
	_, err := s.change(ctx, who, nil)
	return err
}

func (s Licenses) change(ctx context.Context, who *auth.Actor, now *store.License) (LicenseView, error) {
	if s.svc.LicenseKeeper.File != nil {
		return LicenseView{}, newConflictError(CodeManagedByFile, "the configuration manages the licence; change it there")
	}
	action := updated
	err := s.svc.Store.Licenses().Change(ctx, func(old *store.License) (*store.License, error) {
		switch {
		case old == nil && now == nil:
			return nil, newNotFoundError("licence")
		case old == nil:
			action = created
		case now == nil:
			action = deleted
		}
		return now, nil
	})
	var refused *core.Error
	if errors.As(err, &refused) {
		return LicenseView{}, refused
	}
	if err != nil {
		return LicenseView{}, err
	}
	if err := s.svc.publishChange(ctx, who, action, "license", "license", "", nil, nil); err != nil {
		return LicenseView{}, err
	}
	if err := s.svc.LicenseKeeper.Refresh(context.WithoutCancel(ctx)); err != nil {
		return LicenseView{}, err
	}
	return s.svc.LicenseKeeper.View(ctx)
}

var _ Auditor = (*audit.Log)(nil)
