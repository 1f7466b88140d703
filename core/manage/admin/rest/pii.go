package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// plain answers with what is no record.
type plain[T any] struct{ Body T }

func answerWith[T any](v T, err error) (*plain[T], error) {
	if err != nil {
		return nil, err
	}
	return &plain[T]{v}, nil
}

// pii adds the operations on values that were taken out of texts.
func (a *API) pii() {
	const tag = "Personal data"
	s := a.Service
	handle(a, Operation{
		ID: "detokenize", Method: http.MethodPost, Path: "/pii/detokenize", Tag: tag, Summary: "Put values in the place of placeholders",
		Permission: auth.Detokenize, MaxBody: 8 << 20, Unkept: true,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.Detokenize }) (*plain[admin.Detokenized], error) {
		return answerWith(s.PII().Detokenize(ctx, who, in.Body))
	})
	handle(a, Operation{
		ID: "deleteTokens", Method: http.MethodDelete, Path: "/pii/tokens/{tenantId}", Tag: tag, Summary: "Forget all values of a tenant, for good",
		Permission: auth.TokensDelete,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantID string `path:"tenantId" maxLength:"128" doc:"The tenant's id."`
	},
	) (*plain[admin.TokensRemoved], error) {
		return answerWith(s.PII().DeleteTokens(ctx, who, in.TenantID))
	})
	handle(a, Operation{
		ID: "piiStats", Method: http.MethodGet, Path: "/pii/stats", Tag: tag, Summary: "Count the values that are kept, by type", Permission: auth.Detokenize,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantID string `query:"tenant_id" maxLength:"128" doc:"Of this tenant alone."`
	},
	) (*plain[admin.PIIStats], error) {
		return answerWith(s.PII().Stats(ctx, who, in.TenantID))
	})
}
