package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// CostQuery filters cost records.
type CostQuery struct {
	Tenant   string `query:"tenantId" maxLength:"128"`
	Model    string `query:"model" maxLength:"256" doc:"The provider's name of the model."`
	Provider string `query:"provider" maxLength:"128"`
	From     string `query:"from" maxLength:"40" doc:"The start as a date or a time in ISO 8601, inclusive."`
	To       string `query:"to" maxLength:"40" doc:"The end as a date or a time in ISO 8601, exclusive."`
}

func (q *CostQuery) convert(key string) admin.CostQuery {
	return admin.CostQuery{Tenant: q.Tenant, Key: key, Model: q.Model, Provider: q.Provider, From: q.From, To: q.To}
}

// addCosts adds the operations on costs and usage.
func (a *API) addCosts() {
	const tag = "Costs"
	s := a.Service.Costs()
	registerArray(a, Operation{
		ID:         "listCosts",
		Method:     http.MethodGet,
		Path:       "/costs",
		Tag:        tag,
		Summary:    "List the costs of exchanges, newest first",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		CostQuery
		Key string `query:"apiKey" maxLength:"128" doc:"The id of the key."`
		Page
	}, p admin.Page,
	) (admin.List[admin.Cost], error) {
		return s.List(ctx, who, in.CostQuery.convert(in.Key), p)
	})
	registerOperation(a, Operation{
		ID:         "getCostSummary",
		Method:     http.MethodGet,
		Path:       "/costs/summary",
		Tag:        tag,
		Summary:    "Sum up the costs of exchanges",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *CostQuery) (*valueAnswer[meter.Summary], error) {
		return answerValue(s.Summarize(ctx, who, in.convert("")))
	})
	registerArray(a, Operation{
		ID:         "getCostForecast",
		Method:     http.MethodGet,
		Path:       "/costs/forecast",
		Tag:        tag,
		Summary:    "Forecast the cost of the month, by tenant and model",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant   string `query:"tenant_id" maxLength:"128"`
		Trailing int    `query:"trailing_days" default:"7" minimum:"1" maximum:"366" doc:"The number of whole days before today to average."`
		Page
	}, p admin.Page,
	) (admin.List[meter.Forecast], error) {
		return s.Forecast(ctx, who, in.Tenant, in.Trailing, p)
	})
	registerArray(a, Operation{
		ID:         "getCostAnomalies",
		Method:     http.MethodGet,
		Path:       "/costs/anomalies",
		Tag:        tag,
		Summary:    "List models of tenants that cost far more than usual",
		Permission: auth.CostsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Tenant string `query:"tenant_id" maxLength:"128"`
		Page
	}, p admin.Page,
	) (admin.List[meter.Anomaly], error) {
		return s.ListAnomalies(ctx, who, in.Tenant, p)
	})
	registerOperation(a, Operation{
		ID:         "getMonthlyUsage",
		Method:     http.MethodGet,
		Path:       "/usage/monthly",
		Tag:        "Usage",
		Summary:    "Report the usage of a month by tenant",
		Permission: auth.UsageRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Month  string `query:"month" maxLength:"7" doc:"The month in UTC; the current one by default." example:"2026-11"`
		Tenant string `query:"tenant_id" maxLength:"128"`
	},
	) (*valueAnswer[meter.MonthlyUsage], error) {
		return answerValue(s.ReadMonthlyUsage(ctx, who, in.Tenant, in.Month))
	})
}
