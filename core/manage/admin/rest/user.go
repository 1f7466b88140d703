package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// UserPath is the path of a user.
type UserPath struct {
	ID string `path:"id" maxLength:"128" doc:"The user's id."`
}

// users adds the operations on those who administer.
func (a *API) users() {
	const tag = "Users"
	s := a.Service
	handle(a, Operation{
		ID: "getMe", Method: http.MethodGet, Path: "/me", Tag: tag, Summary: "Say who sends the request, and what they may do",
	}, func(_ context.Context, who *auth.Actor, _ *struct{}) (*one[admin.Me], error) {
		return show(s.Me(who), nil)
	})
	handle(a, Operation{
		ID: "createUser", Method: http.MethodPost, Path: "/users", Tag: tag, Summary: "Make a user",
		Permission: auth.UsersWrite, Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewUser }) (*made[admin.User], error) {
		u, err := s.Users().Create(ctx, who, in.Body)
		return showNew("/users/"+u.ID, u, err)
	})
	handleList(a, Operation{
		ID: "listUsers", Method: http.MethodGet, Path: "/users", Tag: tag, Summary: "List users", Permission: auth.UsersRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		Tenant string `query:"tenant_id" maxLength:"128" doc:"Only those of this tenant."`
	}, p admin.Page,
	) (admin.List[admin.User], error) {
		return s.Users().List(ctx, who, in.Tenant, p)
	})
	handle(a, Operation{
		ID: "getUser", Method: http.MethodGet, Path: "/users/{id}", Tag: tag, Summary: "Read a user", Permission: auth.UsersRead,
	}, func(ctx context.Context, who *auth.Actor, in *UserPath) (*one[admin.User], error) {
		return show(s.Users().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateUser", Method: http.MethodPut, Path: "/users/{id}", Tag: tag, Summary: "Change the fields of a user that are sent; disable them, or set a password",
		Permission: auth.UsersWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		UserPath
		Match
		Body admin.UserChange
	},
	) (*one[admin.User], error) {
		return show(s.Users().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteUser", Method: http.MethodDelete, Path: "/users/{id}", Tag: tag, Summary: "Remove a user with their tokens and sessions",
		Permission: auth.UsersWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		UserPath
		Match
	},
	) (*none, error) {
		return done(s.Users().Delete(ctx, who, in.ID, in.of()))
	})
}
