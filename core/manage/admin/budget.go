package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Budget limits spending in a period.
type Budget struct {
	ID        string        `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Tenant    *string       `json:"tenantId" doc:"null: all tenants together."`
	Key       *string       `json:"apiKeyId" doc:"null: all keys together."`
	Name      string        `json:"name" example:"research-monthly"`
	Period    string        `json:"period" enum:"DAILY,WEEKLY,MONTHLY" doc:"When spending resets: at midnight, on Monday or on the first of the month, in UTC unless the configuration file sets another zone."`
	Limit     *money.Amount `json:"limitUsd" doc:"USD. null: a budget of the configuration file that limits only tokens." example:"100"`
	SoftPct   int64         `json:"softLimitPct" doc:"The share of the limit, in percent, that triggers a notification once per period. 0: never." example:"80"`
	Enabled   bool          `json:"enabled"`
	Version   int64         `json:"version"`
	Source    string        `json:"source" enum:"api,file" doc:"Where the record is stored. A record of the configuration file can only be changed there."`
	CreatedAt *time.Time    `json:"createdAt,omitempty" doc:"Omitted for records of the configuration file."`
	UpdatedAt *time.Time    `json:"updatedAt,omitempty" doc:"Omitted for records of the configuration file."`
}

// BudgetChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new budget.
type BudgetChange struct {
	Name    *string       `json:"name,omitempty" minLength:"1" maxLength:"200" example:"research-monthly"`
	Period  *string       `json:"period,omitempty" enum:"DAILY,WEEKLY,MONTHLY" doc:"MONTHLY by default."`
	Limit   *money.Amount `json:"limitUsd,omitempty" doc:"USD, with up to 10 decimal places." example:"100"`
	SoftPct *int64        `json:"softLimitPct,omitempty" minimum:"0" maximum:"100" example:"80"`
	Enabled *bool         `json:"enabled,omitempty" doc:"true by default."`
}

// NewBudget contains the fields of a new budget. Its tenant and key cannot be changed later.
// Its own type: tenant and key are set at creation only.
type NewBudget struct {
	BudgetChange
	Tenant *string `json:"tenantId,omitempty" maxLength:"128" doc:"null or omitted: all tenants together." nullable:"true"`
	Key    *string `json:"apiKeyId,omitempty" maxLength:"128" doc:"null or omitted: all keys together." nullable:"true"`
}

func (c *BudgetChange) apply(b *store.BudgetRecord) error {
	if c.Name != nil {
		if strings.TrimSpace(*c.Name) == "" {
			return newInvalidValueError("name", "write a name of 1 to 200 characters")
		}
		b.Name = *c.Name
	}
	if c.Period != nil {
		if b.Period = spending.ParsePeriod(*c.Period); b.Period == 0 {
			return newInvalidValueError("period", "write DAILY, WEEKLY or MONTHLY")
		}
	}
	if c.Limit != nil {
		if *c.Limit < 0 {
			return newInvalidValueError("limitUsd", "write 0 or more")
		}
		b.Limit = int64(*c.Limit)
	}
	if c.SoftPct != nil {
		b.Soft = *c.SoftPct
	}
	if c.Enabled != nil {
		b.Enabled = *c.Enabled
	}
	return nil
}

// Create creates a budget.
func (s Budgets) Create(ctx context.Context, who *auth.Actor, c NewBudget) (Budget, error) {
	b := store.BudgetRecord{
		Budget:  spending.Budget{ID: s.svc.NewID(), Period: spending.Monthly, Zone: time.UTC, Tokens: -1},
		Enabled: true,
	}
	if c.Tenant != nil {
		b.Tenant = *c.Tenant
	}
	if c.Key != nil {
		b.Key = *c.Key
	}
	reach, err := s.svc.authorize(ctx, who, auth.BudgetsWrite, b.Tenant)
	if err != nil {
		return Budget{}, err
	}
	b.Tenant = reach
	switch {
	case c.Name == nil:
		return Budget{}, newMissingFieldError("name")
	case c.Limit == nil:
		return Budget{}, newMissingFieldError("limitUsd")
	}
	if err := c.apply(&b); err != nil {
		return Budget{}, err
	}
	if err := s.checkBearer(ctx, &b); err != nil {
		return Budget{}, err
	}
	if b, err = s.svc.Store.Budgets().Insert(ctx, b); err != nil {
		return Budget{}, err
	}
	return viewBudget(&b), s.svc.publishChange(ctx, who, created, "budget", b.ID, b.Tenant, nil, viewBudget(&b))
}

// checkBearer checks that the tenant and the key of a budget exist. A budget of a key belongs to the tenant of that key.
func (s Budgets) checkBearer(ctx context.Context, b *store.BudgetRecord) error {
	if b.Tenant != "" {
		if _, err := s.svc.Store.Tenants().Get(ctx, b.Tenant); errors.Is(err, store.ErrNotFound) {
			return newInvalidValueError("tenantId", "unknown tenant")
		} else if err != nil {
			return err
		}
	}
	if b.Key == "" {
		return nil
	}
	k, err := s.svc.Store.Keys().Get(ctx, b.Key)
	if errors.Is(err, store.ErrNotFound) || err == nil && b.Tenant != "" && k.TenantID != b.Tenant {
		return newInvalidValueError("apiKeyId", "the tenant has no such key")
	}
	b.Tenant = k.TenantID
	return err
}

// List lists the budgets of the database and of the configuration file, optionally of one tenant or key.
func (s Budgets) List(ctx context.Context, who *auth.Actor, tenant, key string, page Page) (List[Budget], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.BudgetsRead, tenant)
	if err != nil {
		return List[Budget]{}, err
	}
	stored, err := s.svc.Store.Budgets().List(ctx)
	if err != nil {
		return List[Budget]{}, err
	}
	var all []Budget
	records := append(stored, s.svc.Ledger.FileBudgets()...)
	for i := range records {
		if b := &records[i]; (tenant == "" || b.Tenant == tenant) && (key == "" || b.Key == key) {
			all = append(all, viewBudget(b))
		}
	}
	return newList(all, page, func(b Budget) string { return b.ID })
}

// Get returns a budget.
func (s Budgets) Get(ctx context.Context, who *auth.Actor, id string) (Budget, error) {
	b, err := s.find(ctx, who, id)
	if err != nil {
		return Budget{}, err
	}
	return viewBudget(&b), nil
}

// find returns a budget that the actor may see. Budgets of other tenants are not found.
func (s Budgets) find(ctx context.Context, who *auth.Actor, id string) (b store.BudgetRecord, err error) {
	tenant, err := s.svc.authorize(ctx, who, auth.BudgetsRead, "")
	if err != nil {
		return b, err
	}
	if f := s.findInFile(id); f != nil {
		b = *f
	} else if b, err = s.svc.Store.Budgets().Get(ctx, id); err != nil {
		return b, mapNotFoundTo(err, "budget", CodeBudgetNotFound)
	}
	if tenant != "" && b.Tenant != tenant {
		return b, mapNotFoundTo(newNotFoundError("budget"), "budget", CodeBudgetNotFound)
	}
	return b, nil
}

// Update changes the given fields, as a new version. The spending of the period is kept.
func (s Budgets) Update(ctx context.Context, who *auth.Actor, id string, c BudgetChange, m Match) (Budget, error) {
	var was changedRecord
	tenant, err := s.svc.authorize(ctx, who, auth.BudgetsWrite, "")
	if err != nil {
		return Budget{}, err
	}
	if s.findInFile(id) != nil {
		return Budget{}, checkSource(store.SourceFile)
	}
	b, err := s.svc.Store.Budgets().Change(ctx, id, func(b *store.BudgetRecord) error {
		if tenant != "" && b.Tenant != tenant {
			return store.ErrNotFound
		}
		if err := m.Check(was.storeView(viewBudget(b))); err != nil {
			return err
		}
		return c.apply(b)
	})
	if err != nil {
		return Budget{}, mapNotFoundTo(err, "budget", CodeBudgetNotFound)
	}
	return viewBudget(&b), s.svc.publishChange(ctx, who, updated, "budget", id, b.Tenant, was.view, viewBudget(&b))
}

// Delete removes a budget.
func (s Budgets) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	tenant, err := s.svc.authorize(ctx, who, auth.BudgetsWrite, "")
	if err != nil {
		return err
	}
	if s.findInFile(id) != nil {
		return checkSource(store.SourceFile)
	}
	of := ""
	err = s.svc.Store.Budgets().Delete(ctx, id, func(b store.BudgetRecord) error {
		if of = b.Tenant; tenant != "" && b.Tenant != tenant {
			return store.ErrNotFound
		}
		return m.Check(was.storeView(viewBudget(&b)))
	})
	if err != nil {
		return mapNotFoundTo(err, "budget", CodeBudgetNotFound)
	}
	return s.svc.publishChange(ctx, who, deleted, "budget", id, of, was.view, nil)
}
