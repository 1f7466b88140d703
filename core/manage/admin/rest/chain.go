package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// stageForms are the stages that can be added.
type stageForms struct {
	Object string            `json:"object" enum:"list"`
	Data   []admin.StageForm `json:"data" nullable:"false"`
}

// addChain adds the operations on the order and modes of the chain.
func (a *API) addChain() {
	const tag = "Chain"
	s := a.Service.Chain()
	registerOperation(a, Operation{
		ID: "getChain", Method: http.MethodGet, Path: "/chain", Tag: tag, Summary: "Get the chain of stages", Permission: auth.ChainRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*recordAnswer[admin.Chain], error) {
		return answerRecord(s.Get(ctx, who))
	})
	registerOperation(a, Operation{
		ID: "listStageForms", Method: http.MethodGet, Path: "/chain/stages", Tag: tag, Summary: "List the stages that can be added to the chain",
		Permission: auth.ChainRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*valueAnswer[stageForms], error) {
		forms, err := s.ListStageForms(ctx, who)
		return answerValue(stageForms{Object: "list", Data: forms}, err)
	})
	registerOperation(a, Operation{
		ID: "arrangeChain", Method: http.MethodPut, Path: "/chain", Tag: tag, Summary: "Set the order and modes of the links, and add stages",
		Permission: auth.ChainWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Match
		DryRun bool `query:"dry_run" doc:"Whether to check the layout without storing it."`
		Body   admin.Arrangement
	},
	) (*recordAnswer[admin.Chain], error) {
		return answerRecord(s.Arrange(ctx, who, in.Body, in.DryRun, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "resetChain", Method: http.MethodDelete, Path: "/chain", Tag: tag, Summary: "Reset the chain to the configuration file",
		Permission: auth.ChainWrite, Status: http.StatusNoContent, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Match }) (*emptyAnswer, error) {
		return answerEmpty(s.Reset(ctx, who, in.convert()))
	})
}
