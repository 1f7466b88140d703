package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// priceHandlers serve prices.
type priceHandlers struct{}

// pricing mounts prices.
func (h *priceHandlers) mount(c *Console) {
	c.get("/pricing", auth.PricingRead, func(r *request) error { return h.pricingPage(r, newForm(), nil) })
	c.post("/pricing", auth.PricingWrite, h.createPrice)
	c.get("/pricing/:id", auth.PricingRead, func(r *request) error { return h.pricePage(r, nil, nil) })
	c.post("/pricing/:id", auth.PricingWrite, h.updatePrice)
	c.post("/pricing/:id/delete", auth.PricingWrite, func(r *request) error {
		if err := r.service().Prices().Delete(r.ctx(), r.who, r.Param("id"), ""); err != nil {
			return err
		}
		return r.done("/pricing", "The price is deleted. What was priced with it keeps its cost.")
	})
}

// priceList is what the list shows.
type priceList struct {
	Prices list[admin.Price]
	Form   *Form
}

func (h *priceHandlers) pricingPage(r *request, f *Form, refused error) error {
	prices, err := r.service().Prices().List(r.ctx(), r.who, "", "", r.page())
	rows, err := collect(r, prices, err)
	if err != nil {
		return err
	}
	data := priceList{rows, f}
	if refused != nil {
		return r.again("pricing", "Pricing", data, f, refused)
	}
	return r.show("pricing", "Pricing", data)
}

// priceChange are the fields that a form sends of a price.
func priceChange(f *Form) (admin.PriceChange, error) {
	c := admin.PriceChange{
		Model: f.opt("model"), Provider: f.opt("provider"), Input: f.usd("inputPricePerMillion"), Output: f.usd("outputPricePerMillion"),
		Cached: f.usd("cachedInputPricePerMillion"), CacheWrite: f.usd("cacheWritePricePerMillion"), Reasoning: f.usd("reasoningPricePerMillion"),
		Effective: f.opt("effectiveDate"),
	}
	if n := f.number("batchPercent"); n != 0 {
		c.Batch = &n
	}
	err := f.ok()
	if err == nil {
		err = admin.Bounded(c)
	}
	return c, err
}

// usd is a field that holds an amount; nil: it is empty.
func (f *Form) usd(name string) *money.Amount {
	v := f.text(name)
	if v == "" {
		return nil
	}
	a, err := money.Parse(v)
	if err != nil {
		f.wrong(name, "Write an amount in US dollars, such as 2.5, with at most 10 decimal places.")
		return nil
	}
	return &a
}

func (h *priceHandlers) createPrice(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := priceChange(f)
	if err == nil {
		_, err = r.service().Prices().Create(r.ctx(), r.who, change)
	}
	if err != nil {
		return h.pricingPage(r, f, err)
	}
	return r.done("/pricing", "The price is added.")
}

// pricePage shows one price; with a form, as it was sent and refused.
func (h *priceHandlers) pricePage(r *request, f *Form, refused error) error {
	p, err := r.service().Prices().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	data := struct {
		Price admin.Price
		Tag   string
		Form  *Form
	}{p, admin.Tag(p), f}
	title := p.Model + " at " + p.Provider
	if refused != nil {
		return r.again("price", title, data, f, refused)
	}
	data.Form = newForm("model", p.Model, "provider", p.Provider, "inputPricePerMillion", p.Input.String(), "outputPricePerMillion", p.Output.String(),
		"effectiveDate", p.Effective.UTC().Format("2006-01-02T15:04:05Z"))
	for name, a := range map[string]*money.Amount{"cachedInputPricePerMillion": p.Cached, "cacheWritePricePerMillion": p.CacheWrite, "reasoningPricePerMillion": p.Reasoning} {
		if a != nil {
			data.Form.Values.Set(name, a.String())
		}
	}
	if p.Batch != 0 {
		data.Form.Values.Set("batchPercent", count(p.Batch))
	}
	return r.show("price", title, data)
}

func (h *priceHandlers) updatePrice(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := priceChange(f)
	if err == nil {
		_, err = r.service().Prices().Update(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.pricePage(r, f, err)
	}
	return r.done("/pricing/"+url.PathEscape(r.Param("id")), "The price is changed. What was priced before keeps its cost.")
}
