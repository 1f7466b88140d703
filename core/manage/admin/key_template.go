package admin

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeKeyTemplate is the code of refusing a key that its tenant's template does not permit.
const CodeKeyTemplate = "KEY_TEMPLATE"

// KeyTemplate limits the keys that developers of a tenant create for themselves. Fields that are omitted set no limit.
type KeyTemplate struct {
	Models  []string      `json:"models,omitempty" nullable:"false" maxItems:"64" doc:"Patterns of models. A key names some of them, word for word, or gets all."`
	Days    int           `json:"days,omitempty" minimum:"0" maximum:"3650" doc:"A key expires after at most this number of days." example:"90"`
	Keys    int           `json:"keys,omitempty" minimum:"0" maximum:"1000" doc:"The number of active keys of one developer." example:"3"`
	Monthly *money.Amount `json:"monthly_usd,omitempty" doc:"Each new key gets a budget of this amount per month." example:"20"`
}

func (t *KeyTemplate) buildRecord() store.KeyTemplate {
	out := store.KeyTemplate{Models: slices.Clone(t.Models), Days: t.Days, Keys: t.Keys}
	if t.Monthly != nil {
		out.Monthly = int64(*t.Monthly)
	}
	return out
}

func viewKeyTemplate(t store.KeyTemplate) KeyTemplate {
	out := KeyTemplate{Models: t.Models, Days: t.Days, Keys: t.Keys}
	if t.Monthly != 0 {
		monthly := money.Amount(t.Monthly)
		out.Monthly = &monthly
	}
	return out
}

// checkModelPatterns checks patterns of models.
func checkModelPatterns(field string, list []string) error {
	for _, p := range list {
		if !match.IsModelPattern(p) {
			return newInvalidValueError(field, match.ModelPatternRule)
		}
	}
	return nil
}

// keyLimits are the limits of the keys that an actor may create and change. The zero value sets none.
type keyLimits struct{ store.KeyTemplate }

// findLimits returns the limits of an actor: those of the tenant's template, or none for those who manage all keys.
func (s Keys) findLimits(ctx context.Context, who *auth.Actor, tenant string) (keyLimits, error) {
	if who.Can(auth.KeysManage) {
		return keyLimits{}, nil
	}
	t, err := s.svc.Store.Tenants().Get(ctx, tenant)
	return keyLimits{t.KeyTemplate}, mapNotFound(err, "tenant")
}

// GetTemplate returns the limits of the keys that an actor may create in a tenant. The zero value sets none.
func (s Keys) GetTemplate(ctx context.Context, who *auth.Actor, tenant string) (KeyTemplate, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysCreate, tenant); err != nil {
		return KeyTemplate{}, err
	}
	limits, err := s.findLimits(ctx, who, tenant)
	return viewKeyTemplate(limits.KeyTemplate), err
}

func newTemplateError(param, text string) error {
	return &core.Error{Kind: core.Forbidden, Code: CodeKeyTemplate, Param: param, Public: param + ": " + text}
}

// applyToNew completes a new key with the limits, or refuses it.
func (l keyLimits) applyToNew(k *store.Key, now time.Time) error {
	if len(k.Models) == 0 {
		k.Models = slices.Clone(l.Models)
	}
	if l.Days > 0 && k.ExpiresAt.IsZero() {
		k.ExpiresAt = now.AddDate(0, 0, l.Days)
	}
	return l.check(k, now)
}

// check refuses a key beyond the limits. A day of grace admits the end of the last day, which forms send.
func (l keyLimits) check(k *store.Key, now time.Time) error {
	if l.Days > 0 && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(now.AddDate(0, 0, l.Days+1))) {
		return newTemplateError("expires_at", "a key of this workspace expires within "+strconv.Itoa(l.Days)+" days; choose an earlier day")
	}
	if len(l.Models) == 0 {
		return nil
	}
	permitted := func(p string) bool { return slices.Contains(l.Models, p) }
	if len(k.Models) == 0 || slices.ContainsFunc(k.Models, func(p string) bool { return !permitted(p) }) {
		return newTemplateError("models", "a key of this workspace names some of the patterns of its template")
	}
	return nil
}

// checkChange refuses a change of the limited fields beyond the limits. A key that an administrator has widened keeps what it
// has until its owner changes it.
func (l keyLimits) checkChange(c KeyChange, k *store.Key, now time.Time) error {
	limits := l
	if c.ExpiresAt == nil {
		limits.Days = 0
	}
	if c.Models == nil {
		limits.Models = nil
	}
	return limits.check(k, now)
}

// checkCount refuses a key beyond the number of a member's active keys.
func (l keyLimits) checkCount(n int) error {
	if l.Keys > 0 && n >= l.Keys {
		return newConflictError(CodeKeyTemplate, "you have reached the limit of your active keys in this workspace, "+strconv.Itoa(l.Keys)+
			"; revoke one that you no longer need")
	}
	return nil
}

// addTemplateBudget creates the budget of a new key. A key that cannot get its budget is revoked.
func (s Keys) addTemplateBudget(ctx context.Context, who *auth.Actor, k *store.Key, l keyLimits) error {
	if l.Monthly == 0 {
		return nil
	}
	b, err := s.svc.Store.Budgets().Insert(ctx, store.BudgetRecord{Enabled: true, Budget: spending.Budget{
		ID: s.svc.NewID(), Name: "Template: " + k.Name, Tenant: k.TenantID, Key: k.ID, Period: spending.Monthly, Zone: time.UTC, Tokens: -1,
		Limit: l.Monthly,
	}})
	if err != nil {
		return errors.Join(err, s.svc.Store.Keys().Revoke(context.WithoutCancel(ctx), k.ID))
	}
	return s.svc.publishChange(ctx, who, created, "budget", b.ID, b.Tenant, nil, viewBudget(&b))
}
