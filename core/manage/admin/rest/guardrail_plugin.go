package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addGuardrailPlugins adds the operations on guardrails that are called over HTTP.
func (a *API) addGuardrailPlugins() {
	const tag, item = "Guardrail plugins", "/guardrail-plugins/{id}"
	s := a.Service.GuardrailPlugins()
	mountCRUD(a, entity[admin.GuardrailPlugin, TenantQuery]{
		name: "GuardrailPlugin", noun: "a guardrail plugin", tag: tag, path: "/guardrail-plugins",
		permissions:  permissions{read: auth.GuardrailsRead, write: auth.GuardrailsWrite},
		createErrors: []int{http.StatusNotFound, http.StatusConflict}, list: "List guardrail plugins",
		id: func(p admin.GuardrailPlugin) string { return p.ID }, query: adaptTenantList(s.List),
	}, s)
	enable := func(on bool) func(context.Context, *auth.Actor, string, admin.Match) (admin.GuardrailPlugin, error) {
		return func(ctx context.Context, who *auth.Actor, id string, m admin.Match) (admin.GuardrailPlugin, error) {
			return s.SetEnabled(ctx, who, id, on, m)
		}
	}
	addAction(a, Operation{
		ID: "enableGuardrailPlugin", Path: item + "/enable", Tag: tag, Summary: "Enable a guardrail plugin", Permission: auth.GuardrailsWrite,
	}, enable(true))
	addAction(a, Operation{
		ID: "disableGuardrailPlugin", Path: item + "/disable", Tag: tag, Summary: "Disable a guardrail plugin", Permission: auth.GuardrailsWrite,
	}, enable(false))
	addActionWithBody(a, Operation{
		ID: "rotateGuardrailPlugin", Path: item + "/rotate", Tag: tag,
		Summary: "Rotate the signing secret; the previous one signs a second header for a while", Permission: auth.GuardrailsRotate,
	}, s.RotateSecret)
}
