package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addUsers adds the operations on the people who administer.
func (a *API) addUsers() {
	s := a.Service.Users()
	registerOperation(a, Operation{
		ID: "getMe", Method: http.MethodGet, Path: "/me", Tag: "Users", Summary: "Get the caller and their permissions",
	}, func(_ context.Context, who *auth.Actor, _ *struct{}) (*recordAnswer[admin.Me], error) {
		return answerRecord(a.Service.DescribeCaller(who), nil)
	})
	mountCRUD(a, entity[admin.User, TenantQuery]{
		name: "User", noun: "a user", tag: "Users", path: "/users", permissions: permissions{read: auth.UsersRead, write: auth.UsersWrite},
		createErrors: []int{http.StatusNotFound, http.StatusConflict},
		list:         "List users", update: "Change the given fields of a user: disable them, for example, or set a password",
		remove: "Delete a user with their tokens and sessions",
		id:     func(u admin.User) string { return u.ID }, query: adaptTenantList(s.List),
	}, s)
}
