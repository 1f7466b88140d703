package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// newPriceResource declares the pages of prices.
func newPriceResource() *resource[admin.Price] {
	s := &resource[admin.Price]{
		path: "/pricing", param: "id", title: "Pricing", read: auth.PricingRead, write: auth.PricingWrite,
		intro: "What models cost. A model without an entry here is priced by Headgate's own list, if that list has it.",
		empty: "You have no prices of your own yet. Models are priced by Headgate's own list. " +
			"Add a price for a model that the list lacks, or for which you pay a different price.",
		columns: []column[admin.Price]{
			{"Model", "", func(_ *request, p admin.Price) part {
				return part{"link", link{Path: buildPricePath(p.ID), Text: p.Model, Code: true}}
			}},
			{"Provider", "", func(_ *request, p admin.Price) part { return newTextPart(p.Provider) }},
			{"Input, per million tokens", "num", func(_ *request, p admin.Price) part { return newUSDPart(p.Input) }},
			{"Output, per million tokens", "num", func(_ *request, p admin.Price) part { return newUSDPart(p.Output) }},
			{"Effective from", "", func(_ *request, p admin.Price) part { return newDatePart(p.Effective) }},
			{"Source", "", func(_ *request, p admin.Price) part { return newSourcePart(p.Source) }},
		},
		list: func(r *request) (list[admin.Price], error) {
			prices, err := r.service().Prices().List(r.ctx(), r.who, "", "", r.readWindow())
			return readPage(r, prices, err)
		},
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New price", Action: "/pricing", Button: "Add price"}
			return r.newFormPart(v, newForm(), listPriceFields()...), nil
		},
		create: func(r *request, f *Form) error {
			change, err := readPriceChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().Prices().Create(r.ctx(), r.who, change)
			return r.finish(err, "/pricing", "Price added.")
		},
		update: func(r *request, id string, f *Form) error {
			change, err := readPriceChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().Prices().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildPricePath(id), "Price saved. Earlier calls keep their cost.")
		},
		remove: func(r *request, id string) error { return r.service().Prices().Delete(r.ctx(), r.who, id, "") },
		told:   "Price deleted. Earlier calls keep their cost.",
	}
	s.page = func(r *request) error { return showPrice(r, s) }
	return s
}

func buildPricePath(id string) string { return "/pricing/" + url.PathEscape(id) }

// listPriceFields returns the fields of a new price and of one that is changed.
func listPriceFields() []field {
	return []field{
		newInput("model", "Model", "required", "mono", "placeholder=gpt-4o*", "hint=The provider's name for it; * matches anything."),
		newInput("provider", "Provider", "required", "placeholder=openai"),
		newInput("effectiveDate", "Effective from", "placeholder=2027-01-01", "hint=A date or a time in UTC. If empty: now."),
		newInput("inputPricePerMillion", "Input, USD per million tokens", "required", "mono", "placeholder=2.5"),
		newInput("outputPricePerMillion", "Output, USD per million tokens", "required", "mono", "placeholder=10"),
		newInput("cachedInputPricePerMillion", "Cached input, USD per million tokens", "mono", "hint=If empty: as input."),
		newInput("cacheWritePricePerMillion", "Cache write, USD per million tokens", "mono", "hint=If empty: as input."),
		newInput("reasoningPricePerMillion", "Reasoning, USD per million tokens", "mono", "hint=If empty: as output."),
		newInput("batchPercent", "Batches, per cent of these prices", "mono", "placeholder=50", "hint=If empty: 100."),
	}
}

func readPriceChange(f *Form) (admin.PriceChange, error) {
	c := admin.PriceChange{
		Model: f.readOptionalText("model"), Provider: f.readOptionalText("provider"), Input: f.readUSD("inputPricePerMillion"),
		Output: f.readUSD("outputPricePerMillion"),
		Cached: f.readUSD("cachedInputPricePerMillion"), CacheWrite: f.readUSD("cacheWritePricePerMillion"),
		Reasoning: f.readUSD("reasoningPricePerMillion"),
		Effective: f.readOptionalText("effectiveDate"),
	}
	if n := f.readNumber("batchPercent"); n != 0 {
		c.Batch = &n
	}
	return checkChange(f, c)
}

// readUSD returns the amount in a field, or nil if the field is empty.
func (f *Form) readUSD(name string) *money.Amount {
	v := f.readText(name)
	if v == "" {
		return nil
	}
	a, err := money.Parse(v)
	if err != nil {
		f.addError(name, "Write an amount in US dollars, such as 2.5, with at most 10 decimal places.")
		return nil
	}
	return &a
}

func showPrice(r *request, s *resource[admin.Price]) error {
	v, err := r.service().Prices().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/pricing", Text: s.title}}}
	if r.who.Can(s.write) && v.Source != "file" {
		initial := newForm("model", v.Model, "provider", v.Provider, "inputPricePerMillion", v.Input.String(), "outputPricePerMillion",
			v.Output.String(),
			"effectiveDate", v.Effective.UTC().Format("2006-01-02T15:04:05Z"), "cachedInputPricePerMillion", formatAmount(v.Cached),
			"cacheWritePricePerMillion", formatAmount(v.CacheWrite), "reasoningPricePerMillion", formatAmount(v.Reasoning))
		if v.Batch != 0 {
			initial.Values.Set("batchPercent", formatCount(v.Batch))
		}
		p.add(r.newFormPart(formView{Action: buildPricePath(v.ID), Button: "Save price", Tag: admin.ComputeTag(v)}, initial, listPriceFields()...),
			s.newDeletion(v.ID, "Delete price…", "Later calls are priced by the next entry that matches. Earlier calls keep their cost.",
				"Delete this price"))
	} else {
		p.add(part{"facts", listPriceFacts(&v)})
		if v.Source == "file" {
			p.add(newHintPart("This price is defined in the configuration file. Change it there."))
		}
	}
	return r.show("record", v.Model+" at "+v.Provider, p)
}

func listPriceFacts(v *admin.Price) []fact {
	facts := []fact{{"Input", newPerMillionPart(&v.Input)}, {"Output", newPerMillionPart(&v.Output)}}
	for _, o := range []struct {
		name  string
		price *money.Amount
	}{{"Cached input", v.Cached}, {"Cache write", v.CacheWrite}, {"Reasoning", v.Reasoning}} {
		if o.price != nil {
			facts = append(facts, fact{o.name, newPerMillionPart(o.price)})
		}
	}
	if v.Batch != 0 {
		facts = append(facts, fact{"Batches", newTextPart(formatCount(v.Batch) + " % of these prices")})
	}
	return append(facts, fact{"Effective from", newTimePart(v.Effective)})
}

func newPerMillionPart(a *money.Amount) part {
	return newTextPart(formatUSDText(a) + " per million tokens")
}
