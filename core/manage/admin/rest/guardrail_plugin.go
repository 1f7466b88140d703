package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type GuardrailPath struct {
	ID string `path:"id" maxLength:"128" doc:"The plugin's id."`
}

// GuardrailAt names a plugin, and the version that a change is meant for.
type GuardrailAt struct {
	GuardrailPath
	Match
}

// guardrailPlugins adds the operations on guards over HTTP.
func (a *API) guardrailPlugins() {
	const tag, list, item = "Guardrail plugins", "/guardrail-plugins", "/guardrail-plugins/{id}"
	s := a.Service
	handle(a, Operation{
		ID: "createGuardrailPlugin", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Make a guardrail plugin",
		Permission: auth.GuardrailsWrite, Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewGuardrailPlugin }) (*made[admin.GuardrailPlugin], error) {
		p, err := s.GuardrailPlugins().Create(ctx, who, in.Body)
		return showNew(list+"/"+p.ID, p, err)
	})
	handleList(a, Operation{
		ID: "listGuardrailPlugins", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List guardrail plugins", Permission: auth.GuardrailsRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		TenantID string `query:"tenant_id" maxLength:"128" doc:"Of this tenant alone."`
	}, p admin.Page,
	) (admin.List[admin.GuardrailPlugin], error) {
		return s.GuardrailPlugins().List(ctx, who, in.TenantID, p)
	})
	handle(a, Operation{
		ID: "getGuardrailPlugin", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read a guardrail plugin", Permission: auth.GuardrailsRead,
	}, func(ctx context.Context, who *auth.Actor, in *GuardrailPath) (*one[admin.GuardrailPlugin], error) {
		return show(s.GuardrailPlugins().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateGuardrailPlugin", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the fields of a guardrail plugin that are sent",
		Permission: auth.GuardrailsWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		GuardrailAt
		Body admin.GuardrailPluginChange
	},
	) (*one[admin.GuardrailPlugin], error) {
		return show(s.GuardrailPlugins().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteGuardrailPlugin", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Remove a guardrail plugin",
		Permission: auth.GuardrailsWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *GuardrailAt) (*none, error) {
		return done(s.GuardrailPlugins().Delete(ctx, who, in.ID, in.of()))
	})
	for _, on := range []bool{true, false} {
		verb := map[bool]string{true: "enable", false: "disable"}[on]
		handle(a, Operation{
			ID: verb + "GuardrailPlugin", Method: http.MethodPost, Path: item + "/" + verb, Tag: tag,
			Summary:    map[bool]string{true: "Have a guardrail plugin asked", false: "Have a guardrail plugin asked no more"}[on],
			Permission: auth.GuardrailsWrite, Errors: changing,
		}, func(ctx context.Context, who *auth.Actor, in *GuardrailAt) (*one[admin.GuardrailPlugin], error) {
			return show(s.GuardrailPlugins().SetEnabled(ctx, who, in.ID, on, in.of()))
		})
	}
	handle(a, Operation{
		ID: "rotateGuardrailPlugin", Method: http.MethodPost, Path: item + "/rotate", Tag: tag,
		Summary: "Replace the secret, which signs at once; the one before signs a second header for a while", Permission: auth.GuardrailsRotate, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		GuardrailAt
		Body admin.Rotation
	},
	) (*one[admin.GuardrailPlugin], error) {
		return show(s.GuardrailPlugins().RotateSecret(ctx, who, in.ID, in.Body, in.of()))
	})
}
