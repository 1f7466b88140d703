package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addPATs adds the operations on personal access tokens. The caller's own tokens need no role.
func (a *API) addPATs() {
	const tag, list, item = "Personal access tokens", "/pats", "/pats/{id}"
	s := a.Service.PATs()
	registerOperation(a, Operation{
		ID:      "createPAT",
		Method:  http.MethodPost,
		Path:    list,
		Tag:     tag,
		Summary: "Create a token with the caller's roles; only this answer contains its plaintext",
		Status:  http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewPAT }) (*createdAnswer[admin.PAT], error) {
		p, err := s.Create(ctx, who, in.Body)
		out, err := answerCreated(list+"/"+p.ID, p, err)
		if err == nil {
			p.Token = "" // the ETag is that of the token as it is read later
			out.ETag = admin.ComputeTag(p)
		}
		return out, err
	})
	registerPagedList(a, Operation{
		ID: "listPATs", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the caller's tokens; an owner can list those of all users",
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		All bool `query:"all" doc:"Whether to list the tokens of all users; needs the role owner."`
	}, p admin.Page,
	) (admin.List[admin.PAT], error) {
		return s.List(ctx, who, in.All, p)
	})
	addGet(a, Operation{ID: "getPAT", Path: item, Tag: tag, Summary: "Get a token"}, s.Get)
	addDelete(a, Operation{
		ID:      "revokePAT",
		Path:    item,
		Tag:     tag,
		Summary: "Revoke one of the caller's tokens immediately and permanently",
		Errors:  []int{http.StatusPreconditionFailed},
	}, s.Revoke)
}
