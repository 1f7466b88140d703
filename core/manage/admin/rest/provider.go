package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// priority is the wrapper of the tiers' state.
type priority struct {
	Object string              `json:"object" enum:"priority_stats"`
	Data   route.PriorityStats `json:"data"`
}

// providers adds the operations on providers and what they do.
func (a *API) providers() {
	const tag = "Providers"
	s := a.Service
	handle(a, Operation{
		ID: "getCapabilities", Method: http.MethodGet, Path: "/providers/{id}/capabilities", Tag: tag, Summary: "Say what a provider's models can do",
		Permission: auth.ProvidersRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		ID string `path:"id" maxLength:"128" doc:"The provider's name in lower case." example:"mock"`
	},
	) (*answer[admin.Capabilities], error) {
		return body(s.Providers().Capabilities(ctx, who, in.ID))
	})
	handleList(a, Operation{
		ID: "listLatencies", Method: http.MethodGet, Path: "/latency", Tag: tag, Summary: "List how fast models answer; empty without a licence",
		Permission: auth.LatencyRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[route.LatencyRecord], error) {
		return s.Providers().ListLatencies(ctx, who, p)
	})
	handle(a, Operation{
		ID: "getPriorityStats", Method: http.MethodGet, Path: "/priority/stats", Tag: tag, Summary: "Say how many exchanges run, by tier",
		Permission: auth.PriorityRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*answer[priority], error) {
		stats, err := s.Providers().Priority(ctx, who)
		return body(priority{"priority_stats", stats}, err)
	})
}
