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
	registerOperation(a, Operation{
		ID: "inviteUser", Method: http.MethodPost, Path: "/users/{id}/invitation", Tag: "Users",
		Summary: "Create an invitation, with which a user without a password chooses one", Permission: auth.UsersWrite, Status: http.StatusCreated,
		Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Body admin.NewInvitation
	},
	) (*createdAnswer[admin.Invitation], error) {
		i, err := s.Invite(ctx, who, in.ID, in.Body)
		return answerCreated("/users/"+in.ID, i, err)
	})
}
