package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// CostQuery chooses cost records.
type CostQuery struct {
	Tenant   string `query:"tenantId" maxLength:"128"`
	Model    string `query:"model" maxLength:"256" doc:"The provider's name for it."`
	Provider string `query:"provider" maxLength:"128"`
	From     string `query:"from" maxLength:"40" doc:"ISO 8601: a time or a date; included."`
	To       string `query:"to" maxLength:"40" doc:"ISO 8601: a time or a date; not included."`
}

func (q *CostQuery) of(key string) admin.CostQuery {
	return admin.CostQuery{Tenant: q.Tenant, Key: key, Model: q.Model, Provider: q.Provider, From: q.From, To: q.To}
}

// costs adds the operations on what was spent.
func (a *API) costs() {
	const tag = "Costs"
	s := a.Service
	handleBare(a, Operation{
		ID: "listCosts", Method: http.MethodGet, Path: "/costs", Tag: tag, Summary: "List what exchanges have cost, the newest first", Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		CostQuery
		Key string `query:"apiKey" maxLength:"128" doc:"The key's id."`
		Page
	}, p admin.Page,
	) (admin.List[admin.Cost], error) {
		return s.Costs().List(ctx, who, in.CostQuery.of(in.Key), p)
	})
	handle(a, Operation{
		ID: "getCostSummary", Method: http.MethodGet, Path: "/costs/summary", Tag: tag, Summary: "Sum up what exchanges have cost", Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *CostQuery) (*answer[meter.Summary], error) {
		return body(s.Costs().Summarize(ctx, who, in.of("")))
	})
	handleBare(a, Operation{
		ID: "getCostForecast", Method: http.MethodGet, Path: "/costs/forecast", Tag: tag, Summary: "Say what the rest of the month is likely to cost, by tenant and model",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant   string `query:"tenant_id" maxLength:"128"`
		Trailing int    `query:"trailing_days" default:"7" minimum:"1" maximum:"366" doc:"The whole days before today that the average is made of."`
		Page
	}, p admin.Page,
	) (admin.List[meter.Forecast], error) {
		return s.Costs().Forecast(ctx, who, in.Tenant, in.Trailing, p)
	})
	handleBare(a, Operation{
		ID: "getCostAnomalies", Method: http.MethodGet, Path: "/costs/anomalies", Tag: tag, Summary: "Find the tenants' models that cost far more than usual",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant string `query:"tenant_id" maxLength:"128"`
		Page
	}, p admin.Page,
	) (admin.List[meter.Anomaly], error) {
		return s.Costs().ListAnomalies(ctx, who, in.Tenant, p)
	})
	handle(a, Operation{
		ID: "getMonthlyUsage", Method: http.MethodGet, Path: "/usage/monthly", Tag: "Usage", Summary: "Report what was used in a month, by tenant", Permission: auth.UsageRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Month  string `query:"month" maxLength:"7" doc:"In UTC; the one that runs unless sent." example:"2026-11"`
		Tenant string `query:"tenant_id" maxLength:"128"`
	},
	) (*answer[meter.MonthlyUsage], error) {
		return body(s.Costs().MonthlyUsage(ctx, who, in.Tenant, in.Month))
	})
}
