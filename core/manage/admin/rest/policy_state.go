package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// addPolicyStates adds the operations on the states of policies and on shadow results.
func (a *API) addPolicyStates() {
	s := a.Service.Policies()
	registerOperation(a, Operation{
		ID: "setPolicyStatus", Method: http.MethodPost, Path: "/policies/{id}/status", Tag: policyTag, Summary: "Change the state of a policy",
		Permission: auth.PoliciesWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordMatch
		Body struct {
			Status string `json:"status" enum:"DRAFT,ACTIVE,SHADOW,ARCHIVED"`
		}
	},
	) (*recordAnswer[admin.Activation], error) {
		v, err := s.SetStatus(ctx, who, in.ID, in.Body.Status, in.convert())
		out, err := answerRecord(v, err)
		if err == nil {
			out.ETag = admin.ComputeTag(v.Policy)
		}
		return out, err
	})
	registerOperation(a, Operation{
		ID: "promotePolicy", Method: http.MethodPost, Path: "/policies/{id}/promote", Tag: policyTag, Summary: "Activate a shadow policy",
		Permission: auth.PoliciesWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *RecordMatch) (*valueAnswer[admin.Promotion], error) {
		return answerValue(s.Promote(ctx, who, in.ID, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "dryRunPolicy", Method: http.MethodPost, Path: "/policies/dry-run", Tag: policyTag, Summary: "Evaluate a policy without storing it",
		Permission: auth.PoliciesDryRun, MaxBody: maxPolicyBody,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.DryRun }) (*valueAnswer[policydoc.Result], error) {
		return answerValue(s.DryRun(ctx, who, in.Body))
	})
	registerOperation(a, Operation{
		ID:         "getShadowStats",
		Method:     http.MethodGet,
		Path:       "/policies/{id}/shadow/stats",
		Tag:        policyTag,
		Summary:    "Count the decisions of a shadow policy",
		Permission: auth.PoliciesShadow,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Period string `query:"period" enum:"1h,24h,7d" default:"24h" doc:"The period, up to now."`
	},
	) (*valueAnswer[policies.Stats], error) {
		return answerValue(s.CountShadowDecisions(ctx, who, in.ID, in.Period))
	})
	registerPagedList(a, Operation{
		ID:         "listShadowEvents",
		Method:     http.MethodGet,
		Path:       "/policies/{id}/shadow/events",
		Tag:        policyTag,
		Summary:    "List the decisions of a shadow policy, newest first",
		Permission: auth.PoliciesShadow,
	}, func(ctx context.Context, who *auth.Actor, in *shadowEvents, _ admin.Page) (admin.List[admin.ShadowEvent], error) {
		return s.ListShadowEvents(ctx, who, in.ID, in.Diverged, in.Limit)
	})
}

// shadowEvents is the query of the newest shadow decisions, which have no pages.
type shadowEvents struct {
	RecordPath
	Diverged bool `query:"diverged" default:"true" doc:"true: decisions that differ from those of the active policies; false: the others."`
	Limit    int  `query:"limit" minimum:"1" maximum:"1000" default:"50"`
}

func (shadowEvents) page() Page { return Page{} }
