package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// PATPath is the path of a token.
type PATPath struct {
	ID string `path:"id" maxLength:"128" doc:"The token's id."`
}

// pats adds the operations on personal access tokens. One's own need no role.
func (a *API) pats() {
	const tag = "Personal access tokens"
	s := a.Service
	handle(a, Operation{
		ID: "createPAT", Method: http.MethodPost, Path: "/pats", Tag: tag, Summary: "Make a token with one's own roles; its plaintext is in this answer alone",
		Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewPAT }) (*made[admin.PAT], error) {
		p, err := s.PATs().Create(ctx, who, in.Body)
		out, err := showNew("/pats/"+p.ID, p, err)
		if err == nil {
			p.Token = "" // the tag is that of the token as it is read later
			out.ETag = admin.Tag(p)
		}
		return out, err
	})
	handleList(a, Operation{
		ID: "listPATs", Method: http.MethodGet, Path: "/pats", Tag: tag, Summary: "List one's own tokens, or for an owner those of all",
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		All bool `query:"all" doc:"Those of all users; needs the role owner."`
	}, p admin.Page,
	) (admin.List[admin.PAT], error) {
		return s.PATs().List(ctx, who, in.All, p)
	})
	handle(a, Operation{
		ID: "getPAT", Method: http.MethodGet, Path: "/pats/{id}", Tag: tag, Summary: "Read a token",
	}, func(ctx context.Context, who *auth.Actor, in *PATPath) (*one[admin.PAT], error) {
		return show(s.PATs().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "revokePAT", Method: http.MethodDelete, Path: "/pats/{id}", Tag: tag, Summary: "End one of one's own tokens, at once and for good",
		Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PATPath
		Match
	},
	) (*none, error) {
		return done(s.PATs().Revoke(ctx, who, in.ID, in.of()))
	})
}
