package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// version is the body of a rollback.
type version struct {
	Version int64 `json:"version" minimum:"1" doc:"The version to restore."`
}

// adaptRollback adapts the rollback of a subject to its body.
func adaptRollback[V any](
	rollback func(ctx context.Context, who *auth.Actor, id string, version int64, m admin.Match) (V, error),
) func(ctx context.Context, who *auth.Actor, id string, to version, m admin.Match) (V, error) {
	return func(ctx context.Context, who *auth.Actor, id string, to version, m admin.Match) (V, error) {
		return rollback(ctx, who, id, to.Version, m)
	}
}

// PartsQuery lists what belongs to a record: versions of a route, keys of a tenant.
type PartsQuery struct {
	RecordPath
	Page
}

// addRoutes adds the operations on routes.
func (a *API) addRoutes() {
	const tag, item = "Routes", "/routes/{id}"
	s := a.Service.Routes()
	mountCRUD(a, entity[admin.Route, PageQuery]{
		name: "Route", noun: "a route", tag: tag, path: "/routes", permissions: permissions{read: auth.RoutesRead, write: auth.RoutesWrite},
		list: "List routes", update: "Change the given fields of a route, as a new version", remove: "Delete a route and its versions",
		id: func(r admin.Route) string { return r.ID }, query: adaptPlainList(s.List),
	}, s)
	registerPagedList(a, Operation{
		ID:         "listRouteVersions",
		Method:     http.MethodGet,
		Path:       item + "/versions",
		Tag:        tag,
		Summary:    "List the versions of a route, newest first",
		Permission: auth.RoutesRead,
	}, func(ctx context.Context, who *auth.Actor, in *PartsQuery, p admin.Page) (admin.List[admin.RouteVersion], error) {
		return s.ListVersions(ctx, who, in.ID, p)
	})
	addActionWithBody(a, Operation{
		ID:         "rollbackRoute",
		Path:       item + "/rollback",
		Tag:        tag,
		Summary:    "Restore an earlier version of a route, as a new version",
		Permission: auth.RoutesWrite,
	}, adaptRollback(s.Rollback))
}
