package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// chain adds the operations on the chain.
func (a *API) chain() {
	const tag = "Chain"
	s := a.Service
	handle(a, Operation{
		ID: "getChain", Method: http.MethodGet, Path: "/chain", Tag: tag, Summary: "Read the chain of stages", Permission: auth.ChainRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*one[admin.Chain], error) {
		return show(s.Chain().Get(ctx, who))
	})
	handle(a, Operation{
		ID: "arrangeChain", Method: http.MethodPut, Path: "/chain", Tag: tag, Summary: "Put the links of the chain in another order or mode",
		Permission: auth.ChainWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Match
		DryRun bool `query:"dry_run" doc:"Only say what would be odd about it."`
		Body   admin.Arrangement
	},
	) (*one[admin.Chain], error) {
		return show(s.Chain().Arrange(ctx, who, in.Body, in.DryRun, in.of()))
	})
	handle(a, Operation{
		ID: "resetChain", Method: http.MethodDelete, Path: "/chain", Tag: tag, Summary: "Let the chain be as the configuration file says",
		Permission: auth.ChainWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Match }) (*none, error) {
		return done(s.Chain().Reset(ctx, who, in.of()))
	})
}
