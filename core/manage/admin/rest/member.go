package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// MemberPath names a member of a tenant.
type MemberPath struct {
	RecordPath
	UserID string `path:"userId" maxLength:"128" doc:"The id of the user."`
}

// MemberMatch names a member and the version to which a change applies.
type MemberMatch struct {
	MemberPath
	Match
}

// addMembers adds the operations on the users of a tenant.
func (a *API) addMembers() {
	const tag, list, item = "Members", "/tenants/{id}/members", "/tenants/{id}/members/{userId}"
	s := a.Service.Members()
	registerOperation(a, Operation{
		ID: "addMember", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Create a user of a tenant",
		Permission: auth.MembersWrite, Status: http.StatusCreated, Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Body admin.NewMember
	},
	) (*createdAnswer[admin.User], error) {
		u, err := s.Add(ctx, who, in.ID, in.Body)
		return answerCreated("/tenants/"+in.ID+"/members/"+u.ID, u, err)
	})
	registerOperation(a, Operation{
		ID: "inviteMember", Method: http.MethodPost, Path: item + "/invitation", Tag: tag,
		Summary: "Create an invitation, with which a user of a tenant without a password chooses one", Permission: auth.MembersWrite,
		Status: http.StatusCreated, Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		MemberPath
		Body admin.NewInvitation
	},
	) (*createdAnswer[admin.Invitation], error) {
		i, err := s.Invite(ctx, who, in.ID, in.UserID, in.Body)
		return answerCreated("/tenants/"+in.ID+"/members/"+in.UserID, i, err)
	})
	registerPagedList(a, Operation{
		ID: "listMembers", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the users of a tenant", Permission: auth.MembersRead,
	}, func(ctx context.Context, who *auth.Actor, in *PartsQuery, p admin.Page) (admin.List[admin.User], error) {
		return s.List(ctx, who, in.ID, p)
	})
	registerOperation(a, Operation{
		ID: "getMember", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Get a user of a tenant", Permission: auth.MembersRead,
	}, func(ctx context.Context, who *auth.Actor, in *MemberPath) (*recordAnswer[admin.User], error) {
		return answerRecord(s.Get(ctx, who, in.ID, in.UserID))
	})
	registerOperation(a, Operation{
		ID:         "updateMember",
		Method:     http.MethodPut,
		Path:       item,
		Tag:        tag,
		Summary:    "Change the roles, the name or the status of a user of a tenant",
		Permission: auth.MembersWrite,
		Errors:     conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		MemberMatch
		Body admin.MemberChange
	},
	) (*recordAnswer[admin.User], error) {
		return answerRecord(s.Update(ctx, who, in.ID, in.UserID, in.Body, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "removeMember", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Delete a user of a tenant with their tokens and sessions",
		Permission: auth.MembersWrite, Status: http.StatusNoContent, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *MemberMatch) (*emptyAnswer, error) {
		return answerEmpty(s.Remove(ctx, who, in.ID, in.UserID, in.convert()))
	})
}
