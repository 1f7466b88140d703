package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// priority wraps the counts of exchanges by tier.
type priority struct {
	Object string              `json:"object" enum:"priority_stats"`
	Data   route.PriorityStats `json:"data"`
}

// addProviders adds the operations on providers and their measurements.
func (a *API) addProviders() {
	const tag = "Providers"
	s := a.Service.Providers()
	a.addProviderRecords(tag)
	registerOperation(a, Operation{
		ID:         "getCapabilities",
		Method:     http.MethodGet,
		Path:       "/providers/{id}/capabilities",
		Tag:        tag,
		Summary:    "Get the capabilities of a provider's models",
		Permission: auth.ProvidersRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		ID string `path:"id" maxLength:"128" doc:"The name of the provider in lower case." example:"mock"`
	},
	) (*valueAnswer[admin.Capabilities], error) {
		return answerValue(s.GetCapabilities(ctx, who, in.ID))
	})
	registerPagedList(a, Operation{
		ID:         "listLatencies",
		Method:     http.MethodGet,
		Path:       "/latency",
		Tag:        tag,
		Summary:    "List the measured latencies of models; empty without a licence",
		Permission: auth.LatencyRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[route.LatencyRecord], error) {
		return s.ListLatencies(ctx, who, p)
	})
	registerOperation(a, Operation{
		ID: "getPriorityStats", Method: http.MethodGet, Path: "/priority/stats", Tag: tag, Summary: "Count the running exchanges by tier",
		Permission: auth.PriorityRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*valueAnswer[priority], error) {
		stats, err := s.CountByTier(ctx, who)
		return answerValue(priority{"priority_stats", stats}, err)
	})
}
