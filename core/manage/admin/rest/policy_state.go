package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies"
)

// policyStates adds the operations on the states of policies, and what those in shadow came to.
func (a *API) policyStates() {
	s := a.Service
	handle(a, Operation{
		ID: "setPolicyStatus", Method: http.MethodPost, Path: "/policies/{id}/status", Tag: policyTag, Summary: "Change the state of a policy",
		Permission: auth.PoliciesWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Match
		Body struct {
			Status string `json:"status" enum:"DRAFT,ACTIVE,SHADOW,ARCHIVED"`
		}
	},
	) (*one[admin.Activation], error) {
		v, err := s.Policies().SetStatus(ctx, who, in.ID, in.Body.Status, in.of())
		out, err := show(v, err)
		if err == nil {
			out.ETag = admin.Tag(v.Policy)
		}
		return out, err
	})
	handle(a, Operation{
		ID: "promotePolicy", Method: http.MethodPost, Path: "/policies/{id}/promote", Tag: policyTag, Summary: "Make a policy in shadow active",
		Permission: auth.PoliciesWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Match
	},
	) (*answer[admin.Promotion], error) {
		return body(s.Policies().Promote(ctx, who, in.ID, in.of()))
	})
	handle(a, Operation{
		ID: "dryRunPolicy", Method: http.MethodPost, Path: "/policies/dry-run", Tag: policyTag, Summary: "Evaluate a policy without storing it",
		Permission: auth.PoliciesDryRun, MaxBody: 4 << 20,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.DryRun }) (*answer[core.PolicyResult], error) {
		return body(s.Policies().DryRun(ctx, who, in.Body))
	})
	handle(a, Operation{
		ID: "getShadowStats", Method: http.MethodGet, Path: "/policies/{id}/shadow/stats", Tag: policyTag, Summary: "Count what a policy in shadow came to",
		Permission: auth.PoliciesShadow,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Period string `query:"period" enum:"1h,24h,7d" default:"24h" doc:"How far back."`
	},
	) (*answer[policies.Stats], error) {
		return body(s.Policies().ShadowStats(ctx, who, in.ID, in.Period))
	})
	handleList(a, Operation{
		ID: "listShadowEvents", Method: http.MethodGet, Path: "/policies/{id}/shadow/events", Tag: policyTag, Summary: "List what a policy in shadow came to, the newest first",
		Permission: auth.PoliciesShadow,
	}, func(ctx context.Context, who *auth.Actor, in *shadowEvents, _ admin.Page) (admin.List[admin.ShadowEvent], error) {
		return s.Policies().ListShadowEvents(ctx, who, in.ID, in.Diverged, in.Limit)
	})
}

// shadowEvents asks for the newest events; they have no pages.
type shadowEvents struct {
	PolicyPath
	Diverged bool `query:"diverged" default:"true" doc:"Those that came to something else than the active policies; false: the others."`
	Limit    int  `query:"limit" minimum:"1" maximum:"1000" default:"50"`
}

func (shadowEvents) paged() Page { return Page{} }
