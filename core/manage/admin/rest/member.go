package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// MemberPath is the path of a member of a team.
type MemberPath struct {
	TenantPath
	UserID string `path:"userId" maxLength:"128" doc:"The user's id."`
}

// members adds the operations on a tenant's team.
func (a *API) members() {
	const tag, list, item = "Members", "/tenants/{id}/members", "/tenants/{id}/members/{userId}"
	s := a.Service
	handle(a, Operation{
		ID: "addMember", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Make a user of a tenant",
		Permission: auth.MembersWrite, Status: http.StatusCreated, Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Body admin.NewMember
	},
	) (*made[admin.User], error) {
		u, err := s.Members().Add(ctx, who, in.ID, in.Body)
		return showNew("/tenants/"+in.ID+"/members/"+u.ID, u, err)
	})
	handleList(a, Operation{
		ID: "listMembers", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the users of a tenant", Permission: auth.MembersRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Page
	}, p admin.Page,
	) (admin.List[admin.User], error) {
		return s.Members().List(ctx, who, in.ID, p)
	})
	handle(a, Operation{
		ID: "getMember", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read a user of a tenant", Permission: auth.MembersRead,
	}, func(ctx context.Context, who *auth.Actor, in *MemberPath) (*one[admin.User], error) {
		return show(s.Members().Get(ctx, who, in.ID, in.UserID))
	})
	handle(a, Operation{
		ID: "updateMember", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the roles, the name or the status of a user of a tenant",
		Permission: auth.MembersWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		MemberPath
		Match
		Body admin.MemberChange
	},
	) (*one[admin.User], error) {
		return show(s.Members().Update(ctx, who, in.ID, in.UserID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "removeMember", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Remove a user of a tenant with their tokens and sessions",
		Permission: auth.MembersWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		MemberPath
		Match
	},
	) (*none, error) {
		return done(s.Members().Remove(ctx, who, in.ID, in.UserID, in.of()))
	})
}
