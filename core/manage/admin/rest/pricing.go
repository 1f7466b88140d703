package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// PricePath names an entry of the price list.
type PricePath struct {
	ID string `path:"id" maxLength:"128" doc:"The entry's id."`
}

// pricing adds the operations on the price list.
func (a *API) pricing() {
	const tag = "Pricing"
	s := a.Service
	handle(a, Operation{
		ID: "createPrice", Method: http.MethodPost, Path: "/pricing", Tag: tag, Summary: "Add an entry to the price list",
		Permission: auth.PricingWrite, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.PriceChange }) (*made[admin.Price], error) {
		p, err := s.Prices().Create(ctx, who, in.Body)
		return showNew("/pricing/"+p.ID, p, err)
	})
	handleList(a, Operation{
		ID: "listPrices", Method: http.MethodGet, Path: "/pricing", Tag: tag, Summary: "List the entries of the price list", Permission: auth.PricingRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Model    string `query:"model" maxLength:"256" doc:"As the entry has it."`
		Provider string `query:"provider" maxLength:"128"`
		Page
	}, p admin.Page,
	) (admin.List[admin.Price], error) {
		return s.Prices().List(ctx, who, in.Model, in.Provider, p)
	})
	handle(a, Operation{
		ID: "getPrice", Method: http.MethodGet, Path: "/pricing/{id}", Tag: tag, Summary: "Read an entry of the price list", Permission: auth.PricingRead,
	}, func(ctx context.Context, who *auth.Actor, in *PricePath) (*one[admin.Price], error) {
		return show(s.Prices().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updatePrice", Method: http.MethodPut, Path: "/pricing/{id}", Tag: tag, Summary: "Change the fields of an entry that are sent; what was priced before keeps its cost",
		Permission: auth.PricingWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PricePath
		Match
		Body admin.PriceChange
	},
	) (*one[admin.Price], error) {
		return show(s.Prices().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deletePrice", Method: http.MethodDelete, Path: "/pricing/{id}", Tag: tag, Summary: "Remove an entry of the price list",
		Permission: auth.PricingWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PricePath
		Match
	},
	) (*none, error) {
		return done(s.Prices().Delete(ctx, who, in.ID, in.of()))
	})
}
