package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// maxConfigBody is the size limit of an import in bytes.
const maxConfigBody = 32 << 20

// exampleConfig is an export with one record. The records have the members that their own operations return.
var exampleConfig = map[string]any{
	"routes": []any{map[string]any{
		"id": "4f1c2b7a9d3e", "model_pattern": "gpt-*", "strategy": "model-prefix", "latency_sla_ms": 0,
		"providers": []any{map[string]any{"provider": "openai"}},
	}},
}

// addGitOps adds the export and import of records as one document.
func (a *API) addGitOps() {
	const tag = "Configuration"
	s := a.Service.GitOps()
	registerOperation(a, Operation{
		ID:         "exportConfig",
		Method:     http.MethodGet,
		Path:       "/config/export",
		Tag:        tag,
		Summary:    "Export the records of the configuration, without keys and secrets",
		Permission: auth.ConfigRead,
		Example:    exampleConfig,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*valueAnswer[admin.Config], error) {
		return answerValue(s.Export(ctx, who))
	})
	registerOperation(a, Operation{
		ID: "importConfig", Method: http.MethodPost, Path: "/config/import", Tag: tag, Summary: "Make the stored records match an export",
		Permission: auth.ConfigWrite, MaxBody: maxConfigBody, Errors: conflicts, Example: exampleConfig,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Prune  bool `query:"prune" doc:"Whether to delete records that the document does not contain, of the kinds that it does."`
		DryRun bool `query:"dry_run" doc:"Whether to return the changes without storing them."`
		Body   admin.Config
	},
	) (*valueAnswer[admin.ConfigImported], error) {
		return answerValue(s.Import(ctx, who, in.Body, in.Prune, in.DryRun))
	})
}
