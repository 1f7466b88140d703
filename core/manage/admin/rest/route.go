package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type RoutePath struct {
	ID string `path:"id" maxLength:"128" doc:"The route's id."`
}

// version is what a rollback names.
type version struct {
	Version int64 `json:"version" minimum:"1" doc:"The version to go back to."`
}

// routes adds the operations on routes.
func (a *API) routes() {
	const tag = "Routes"
	s := a.Service
	handle(a, Operation{
		ID: "createRoute", Method: http.MethodPost, Path: "/routes", Tag: tag, Summary: "Make a route",
		Permission: auth.RoutesWrite, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.RouteChange }) (*made[admin.Route], error) {
		r, err := s.Routes().Create(ctx, who, in.Body)
		return showNew("/routes/"+r.ID, r, err)
	})
	handleList(a, Operation{
		ID: "listRoutes", Method: http.MethodGet, Path: "/routes", Tag: tag, Summary: "List routes", Permission: auth.RoutesRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.Route], error) {
		return s.Routes().List(ctx, who, p)
	})
	handle(a, Operation{
		ID: "getRoute", Method: http.MethodGet, Path: "/routes/{id}", Tag: tag, Summary: "Read a route", Permission: auth.RoutesRead,
	}, func(ctx context.Context, who *auth.Actor, in *RoutePath) (*one[admin.Route], error) {
		return show(s.Routes().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateRoute", Method: http.MethodPut, Path: "/routes/{id}", Tag: tag, Summary: "Change the fields of a route that are sent, as a new version",
		Permission: auth.RoutesWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RoutePath
		Match
		Body admin.RouteChange
	},
	) (*one[admin.Route], error) {
		return show(s.Routes().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteRoute", Method: http.MethodDelete, Path: "/routes/{id}", Tag: tag, Summary: "Remove a route and its versions",
		Permission: auth.RoutesWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RoutePath
		Match
	},
	) (*none, error) {
		return done(s.Routes().Delete(ctx, who, in.ID, in.of()))
	})
	handleList(a, Operation{
		ID: "listRouteVersions", Method: http.MethodGet, Path: "/routes/{id}/versions", Tag: tag, Summary: "List the versions of a route, the newest first",
		Permission: auth.RoutesRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RoutePath
		Page
	}, p admin.Page,
	) (admin.List[admin.RouteVersion], error) {
		return s.Routes().ListVersions(ctx, who, in.ID, p)
	})
	handle(a, Operation{
		ID: "rollbackRoute", Method: http.MethodPost, Path: "/routes/{id}/rollback", Tag: tag, Summary: "Make a new version of an old one",
		Permission: auth.RoutesWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RoutePath
		Match
		Body version
	},
	) (*one[admin.Route], error) {
		return show(s.Routes().Rollback(ctx, who, in.ID, in.Body.Version, in.of()))
	})
}
