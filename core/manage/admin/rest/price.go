package rest

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// PriceQuery filters the price list.
type PriceQuery struct {
	Model    string `query:"model" maxLength:"256" doc:"The model pattern, exactly as the entry spells it."`
	Provider string `query:"provider" maxLength:"128"`
	Page
}

// addPrices adds the operations on the price list.
func (a *API) addPrices() {
	s := a.Service.Prices()
	mountCRUD(a, entity[admin.Price, PriceQuery]{
		name:        "Price",
		noun:        "a price",
		tag:         "Pricing",
		path:        "/pricing",
		permissions: permissions{read: auth.PricingRead, write: auth.PricingWrite},
		list:        "List prices",
		update:      "Change the given fields of a price; past exchanges keep their cost",
		id:          func(p admin.Price) string { return p.ID },
		query: func(ctx context.Context, who *auth.Actor, in *PriceQuery, p admin.Page) (admin.List[admin.Price], error) {
			return s.List(ctx, who, in.Model, in.Provider, p)
		},
	}, s)
}
