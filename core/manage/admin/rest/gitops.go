package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// longestConfig bounds an imported configuration, in bytes.
const longestConfig = 32 << 20

// gitops adds the export and import of the configuration.
func (a *API) gitops() {
	const tag = "Configuration"
	s := a.Service
	handle(a, Operation{
		ID: "exportConfig", Method: http.MethodGet, Path: "/config/export", Tag: tag, Summary: "Export the records of the configuration, without keys and secrets",
		Permission: auth.ConfigRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*answer[admin.Config], error) {
		return body(s.GitOps().Export(ctx, who))
	})
	handle(a, Operation{
		ID: "importConfig", Method: http.MethodPost, Path: "/config/import", Tag: tag, Summary: "Make the records be as an export says",
		Permission: auth.ConfigWrite, MaxBody: longestConfig, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Prune  bool `query:"prune" doc:"Delete records of the kinds that the document has and that it does not name."`
		DryRun bool `query:"dry_run" doc:"Only say what would change."`
		Body   admin.Config
	},
	) (*answer[admin.ConfigImported], error) {
		return body(s.GitOps().Import(ctx, who, in.Body, in.Prune, in.DryRun))
	})
}
