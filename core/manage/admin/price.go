package admin

import (
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Price is an entry of the price list.
type Price struct {
	ID         string        `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Model      string        `json:"model" doc:"A model name of the provider, or a glob." example:"gpt-4o*"`
	Provider   string        `json:"provider" example:"openai"`
	Input      money.Amount  `json:"inputPricePerMillion" doc:"USD per million input tokens, exact." example:"2.5"`
	Output     money.Amount  `json:"outputPricePerMillion" doc:"USD per million output tokens, exact." example:"10"`
	Cached     *money.Amount `json:"cachedInputPricePerMillion,omitempty" doc:"USD per million tokens read from the provider's prompt cache. The input price if omitted." example:"1.25"`
	CacheWrite *money.Amount `json:"cacheWritePricePerMillion,omitempty" doc:"USD per million tokens written to the provider's prompt cache. The input price if omitted." example:"3.125"`
	Reasoning  *money.Amount `json:"reasoningPricePerMillion,omitempty" doc:"USD per million reasoning tokens. The output price if omitted." example:"10"`
	Batch      int64         `json:"batchPercent,omitempty" doc:"The share of these prices that batches pay, in percent. 100 if omitted." example:"50"`
	Effective  time.Time     `json:"effectiveDate" doc:"When the price takes effect."`
	Source     string        `json:"source" enum:"api,file" doc:"Where the price is stored. A price of the configuration file can only be changed there."`
	CreatedAt  *time.Time    `json:"createdAt,omitempty" doc:"Omitted for records of the configuration file."`
	UpdatedAt  *time.Time    `json:"updatedAt,omitempty" doc:"Omitted for records of the configuration file."`
}

// PriceChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new price.
type PriceChange struct {
	Model      *string       `json:"model,omitempty" minLength:"1" maxLength:"256" example:"gpt-4o*"`
	Provider   *string       `json:"provider,omitempty" minLength:"1" maxLength:"128" example:"openai"`
	Input      *money.Amount `json:"inputPricePerMillion,omitempty" doc:"USD, with up to 10 decimal places." example:"2.5"`
	Output     *money.Amount `json:"outputPricePerMillion,omitempty" doc:"USD, with up to 10 decimal places." example:"10"`
	Cached     *money.Amount `json:"cachedInputPricePerMillion,omitempty" example:"1.25"`
	CacheWrite *money.Amount `json:"cacheWritePricePerMillion,omitempty" example:"3.125"`
	Reasoning  *money.Amount `json:"reasoningPricePerMillion,omitempty" example:"10"`
	Batch      *int64        `json:"batchPercent,omitempty" minimum:"1" maximum:"100" example:"50"`
	Effective  *string       `json:"effectiveDate,omitempty" doc:"When the price takes effect, as a time or a date, possibly in the future. Now by default." example:"2027-01-01"`
}

func (c *PriceChange) apply(p *store.PriceRecord) error {
	for _, text := range []struct {
		field string
		sent  *string
		into  *string
	}{{"model", c.Model, &p.Model}, {"provider", c.Provider, &p.Provider}} {
		if text.sent == nil {
			continue
		}
		if strings.TrimSpace(*text.sent) == "" {
			return newInvalidValueError(text.field, "write a name")
		}
		*text.into = *text.sent
	}
	for _, amount := range []struct {
		field string
		sent  *money.Amount
		into  *int64
	}{
		{"inputPricePerMillion", c.Input, &p.Input},
		{"outputPricePerMillion", c.Output, &p.Output},
		{"cachedInputPricePerMillion", c.Cached, &p.Cached},
		{"cacheWritePricePerMillion", c.CacheWrite, &p.Written},
		{"reasoningPricePerMillion", c.Reasoning, &p.Reasoning},
	} {
		if amount.sent == nil {
			continue
		}
		if err := checkPrice(amount.field, *amount.sent); err != nil {
			return err
		}
		*amount.into = int64(*amount.sent)
	}
	if c.Batch != nil {
		p.Batch = *c.Batch
	}
	if c.Effective != nil {
		at, err := readMoment("effectiveDate", *c.Effective)
		if err != nil {
			return err
		}
		if at.IsZero() {
			return newInvalidValueError("effectiveDate", "write a time as in 2026-11-01T00:00:00Z, or a date as in 2026-11-01")
		}
		p.Effective = at.Truncate(time.Microsecond)
	}
	return nil
}

// Create creates a price.
func (s Prices) Create(ctx context.Context, who *auth.Actor, c PriceChange) (Price, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PricingWrite, ""); err != nil {
		return Price{}, err
	}
	for _, need := range []struct {
		field string
		there bool
	}{
		{"model", c.Model != nil},
		{"provider", c.Provider != nil},
		{"inputPricePerMillion", c.Input != nil},
		{"outputPricePerMillion", c.Output != nil},
	} {
		if !need.there {
			return Price{}, newMissingFieldError(need.field)
		}
	}
	p := store.PriceRecord{Price: price.Price{ID: s.svc.NewID(), Cached: -1, Written: -1, Reasoning: -1}}
	if err := c.apply(&p); err != nil {
		return Price{}, err
	}
	p, err := s.svc.Store.Prices().Insert(ctx, p)
	if err != nil {
		return Price{}, err
	}
	return viewPrice(&p), s.svc.publishChange(ctx, who, created, "pricing", p.ID, "", nil, viewPrice(&p))
}

// List lists the prices of the database and of the configuration file, optionally only those of a model pattern, exactly as
// spelled, or of a provider.
func (s Prices) List(ctx context.Context, who *auth.Actor, model, provider string, page Page) (List[Price], error) {
	if _, err := s.svc.authorize(ctx, who, auth.PricingRead, ""); err != nil {
		return List[Price]{}, err
	}
	stored, err := s.svc.Store.Prices().List(ctx)
	if err != nil {
		return List[Price]{}, err
	}
	var all []Price
	add := func(p Price) {
		if (model == "" || p.Model == model) && (provider == "" || s.svc.Ledger.FindProviderName(p.Provider) == s.svc.Ledger.FindProviderName(provider)) {
			all = append(all, p)
		}
	}
	for i := range stored {
		add(viewPrice(&stored[i]))
	}
	for _, p := range s.svc.Ledger.FilePrices() {
		add(p)
	}
	return newList(all, page, func(p Price) string { return p.ID })
}

// Get returns a price.
func (s Prices) Get(ctx context.Context, who *auth.Actor, id string) (Price, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PricingRead, ""); err != nil {
		return Price{}, err
	}
	if p := s.findInFile(id); p != nil {
		return *p, nil
	}
	p, err := s.svc.Store.Prices().Get(ctx, id)
	if err != nil {
		return Price{}, mapNotFoundTo(err, "pricing entry", CodePriceNotFound)
	}
	return viewPrice(&p), nil
}

// Update changes the given fields. Past exchanges keep their cost.
func (s Prices) Update(ctx context.Context, who *auth.Actor, id string, c PriceChange, m Match) (Price, error) {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.PricingWrite, ""); err != nil {
		return Price{}, err
	}
	if s.findInFile(id) != nil {
		return Price{}, checkSource(store.SourceFile)
	}
	p, err := s.svc.Store.Prices().Change(ctx, id, func(p *store.PriceRecord) error {
		if err := m.Check(was.storeView(viewPrice(p))); err != nil {
			return err
		}
		return c.apply(p)
	})
	if err != nil {
		return Price{}, mapNotFoundTo(err, "pricing entry", CodePriceNotFound)
	}
	return viewPrice(&p), s.svc.publishChange(ctx, who, updated, "pricing", id, "", was.view, viewPrice(&p))
}

// Delete removes a price.
func (s Prices) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.PricingWrite, ""); err != nil {
		return err
	}
	if s.findInFile(id) != nil {
		return checkSource(store.SourceFile)
	}
	matches := func(p store.PriceRecord) error { return m.Check(was.storeView(viewPrice(&p))) }
	if err := s.svc.Store.Prices().Delete(ctx, id, matches); err != nil {
		return mapNotFoundTo(err, "pricing entry", CodePriceNotFound)
	}
	return s.svc.publishChange(ctx, who, deleted, "pricing", id, "", was.view, nil)
}

// findInFile returns the price of the configuration file with the id, or nil.
func (s Prices) findInFile(id string) *Price {
	list := s.svc.Ledger.FilePrices()
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

func viewPrice(p *store.PriceRecord) Price {
	some := func(n int64) *money.Amount {
		if n < 0 {
			return nil
		}
		a := money.Amount(n)
		return &a
	}
	return Price{
		ID: p.ID, Model: p.Model, Provider: p.Provider, Input: money.Amount(p.Input), Output: money.Amount(p.Output), Cached: some(p.Cached),
		CacheWrite: some(p.Written), Reasoning: some(p.Reasoning), Batch: p.Batch, Effective: p.Effective, Source: store.SourceAPI,
		CreatedAt: &p.CreatedAt, UpdatedAt: &p.UpdatedAt,
	}
}
