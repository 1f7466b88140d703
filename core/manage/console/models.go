package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/price"
)

// Catalogue lists the models that a node knows. It must be safe for concurrent use.
type Catalogue interface {
	// ListModels returns the models of routes, providers and prices, ordered by name.
	ListModels() []Model
	// FindOffers returns the providers that serve a model to clients of a region, in the order in which they are tried, and
	// those that know it but that clients cannot reach. An empty region stands for any.
	FindOffers(m Model, region string) []Offer
}

// Model is a model with the providers that know it by this name.
type Model struct {
	Name      string
	Providers []string
}

// Offer is a model at a provider.
type Offer struct {
	Provider string
	Prefixed bool         // clients reach this provider only by writing its name and a slash before the model's
	Reached  bool         // clients can ask for it
	Price    *price.Price // nil if unknown
	Context  int          // the context window in tokens; 0 if unknown
}

// modelHandlers serve the catalogue of models.
type modelHandlers struct {
	catalogue Catalogue // optional
}

func (h *modelHandlers) mount(c *Console) { c.mountGet("/models", "", h.showModels) }

// modelRow is a model with its offers.
type modelRow struct {
	Model
	offers []Offer
}

// first returns the offer whose price and context window the list shows.
func (m modelRow) first() Offer {
	if len(m.offers) == 0 {
		return Offer{}
	}
	return m.offers[0]
}

// listModelColumns returns the columns of the list. Without permission to read prices or costs, it has no prices.
func listModelColumns(who *auth.Actor) []column[modelRow] {
	columns := []column[modelRow]{
		{"Model", "break", func(_ *request, m modelRow) part { return newModelPart(who, m.Name) }},
		{"Providers", "break", func(_ *request, m modelRow) part { return newTextPart(m.describeProviders()) }},
		{"Available", "", func(_ *request, m modelRow) part {
			return newTextPart(formatYesNo(slices.ContainsFunc(m.offers, func(o Offer) bool { return o.Reached })))
		}},
		{"Context window, tokens", "num", func(_ *request, m modelRow) part {
			if n := m.first().Context; n > 0 {
				return newTextPart(formatCount(n))
			}
			return newTextPart("–")
		}},
	}
	if !who.Can(auth.PricingRead) && !who.Can(auth.CostsRead) {
		return columns
	}
	for _, c := range []struct {
		head   string
		amount func(*price.Price) int64
	}{
		{"Input, per million tokens", func(p *price.Price) int64 { return p.Input }},
		{"Cached input, per million tokens", func(p *price.Price) int64 {
			if p.Cached < 0 {
				return p.Input
			}
			return p.Cached
		}},
		{"Output, per million tokens", func(p *price.Price) int64 { return p.Output }},
	} {
		columns = append(columns, column[modelRow]{c.head, "num", func(_ *request, m modelRow) part {
			p := m.first().Price
			if p == nil {
				return newTextPart("–")
			}
			return newUSDPart(money.Amount(c.amount(p)))
		}})
	}
	return columns
}

// newModelPart leads to the targets of a model, or to its requests for readers without permission to see routes.
func newModelPart(who *auth.Actor, name string) part {
	to := link{Path: "/requests?model=" + url.QueryEscape(name), Text: name, Code: true}
	if who.Can(auth.RoutesRead) {
		to.Path = "/routes?model=" + url.QueryEscape(name)
	}
	return part{"link", to}
}

// describeProviders names the providers of a model, and how clients reach those that its bare name does not lead to.
func (m modelRow) describeProviders() string {
	var all []string
	for _, o := range m.offers {
		switch {
		case o.Prefixed:
			all = append(all, o.Provider+" (as "+o.Provider+"/"+m.Name+")")
		case !o.Reached:
			all = append(all, o.Provider+" (no route)")
		default:
			all = append(all, o.Provider)
		}
	}
	return dashIfEmpty(strings.Join(all, ", "))
}

func (h *modelHandlers) showModels(r *request) error {
	text := strings.TrimSpace(r.Query("q"))
	region, err := r.findOwnRegion()
	if err != nil {
		return err
	}
	rows := h.listPage(text, r.Query("after"), region)
	empty := "This node knows no models yet. Add a provider, a route or a price."
	if text != "" {
		empty = "No model or provider has this in its name."
	}
	p := &listPage{Table: newTable(r, listModelColumns(r.who), rows, nil, empty)}
	p.Parts = []part{
		{"paragraph", "The models that routes, providers and prices name. Price and context window are those of the first provider. " +
			"A model is available if a request can reach a provider of it; a key can still be limited to some models."},
		{"filter", filterView{Action: "/models", Button: "Filter models", Reset: text != "", Fields: drawFields(newForm("q", text),
			[]field{newInput("q", "Model or provider", "mono", "placeholder=any part")})}},
	}
	return r.show("list", "Models", p)
}

// findOwnRegion returns the region of the reader's workspace, or "" for readers of the whole platform.
func (r *request) findOwnRegion() (string, error) {
	if r.who.Tenant == "" || !r.who.Can(auth.TenantsRead) {
		return "", nil
	}
	t, err := r.service().Tenants().Get(r.ctx(), r.who, r.who.Tenant)
	return t.Region, err
}

// listPage returns the models after a name that contain a text. Only those of the page are looked up.
func (h *modelHandlers) listPage(text, after, region string) list[modelRow] {
	out := list[modelRow]{First: after == ""}
	if h.catalogue == nil {
		return out
	}
	for _, m := range h.catalogue.ListModels() {
		if m.Name <= after || !contains(m.Name, text) && !slices.ContainsFunc(m.Providers, func(p string) bool { return contains(p, text) }) {
			continue
		}
		if len(out.Rows) == pageSize {
			out.After = out.Rows[pageSize-1].Name
			break
		}
		out.Rows = append(out.Rows, modelRow{m, h.catalogue.FindOffers(m, region)})
	}
	return out
}
