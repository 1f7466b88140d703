package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addPII adds the operations on redacted values.
func (a *API) addPII() {
	const tag = "Personal data"
	s := a.Service.PII()
	registerOperation(a, Operation{
		ID: "detokenize", Method: http.MethodPost, Path: "/pii/detokenize", Tag: tag, Summary: "Replace placeholders by their values",
		Permission: auth.Detokenize, MaxBody: 8 << 20, Unkept: true,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.Detokenize }) (*valueAnswer[admin.Detokenized], error) {
		return answerValue(s.Detokenize(ctx, who, in.Body))
	})
	registerOperation(a, Operation{
		ID:         "deleteTokens",
		Method:     http.MethodDelete,
		Path:       "/pii/tokens/{tenantId}",
		Tag:        tag,
		Summary:    "Delete all redacted values of a tenant permanently",
		Permission: auth.TokensDelete,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantID string `path:"tenantId" maxLength:"128" doc:"The id of the tenant."`
	},
	) (*valueAnswer[admin.TokensRemoved], error) {
		return answerValue(s.DeleteTokens(ctx, who, in.TenantID))
	})
	registerOperation(a, Operation{
		ID:         "piiStats",
		Method:     http.MethodGet,
		Path:       "/pii/stats",
		Tag:        tag,
		Summary:    "Count the stored values by type",
		Permission: auth.Detokenize,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantID string `query:"tenant_id" maxLength:"128" doc:"Only the values of this tenant."`
	},
	) (*valueAnswer[admin.PIIStats], error) {
		return answerValue(s.CountValues(ctx, who, in.TenantID))
	})
}
