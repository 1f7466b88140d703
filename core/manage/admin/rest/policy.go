package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// PolicyPath names a policy.
type PolicyPath struct {
	ID string `path:"id" maxLength:"128" doc:"The policy's id."`
}

const policyTag = "Policies"

// policies adds the operations on policies.
func (a *API) policies() {
	s := a.Service
	handle(a, Operation{
		ID: "createPolicy", Method: http.MethodPost, Path: "/policies", Tag: policyTag, Summary: "Store a policy as a draft",
		Permission: auth.PoliciesWrite, Status: http.StatusCreated, Errors: []int{http.StatusNotFound}, MaxBody: 4 << 20,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.PolicyChange }) (*made[admin.Policy], error) {
		p, err := s.Policies().Create(ctx, who, in.Body)
		return showNew("/policies/"+p.ID, p, err)
	})
	handleList(a, Operation{
		ID: "listPolicies", Method: http.MethodGet, Path: "/policies", Tag: policyTag, Summary: "List policies", Permission: auth.PoliciesRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		TenantID string `query:"tenant_id" maxLength:"128" doc:"Only those of one tenant."`
	}, p admin.Page,
	) (admin.List[admin.Policy], error) {
		return s.Policies().List(ctx, who, in.TenantID, p)
	})
	handle(a, Operation{
		ID: "getPolicy", Method: http.MethodGet, Path: "/policies/{id}", Tag: policyTag, Summary: "Read a policy", Permission: auth.PoliciesRead,
	}, func(ctx context.Context, who *auth.Actor, in *PolicyPath) (*one[admin.Policy], error) {
		return show(s.Policies().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updatePolicy", Method: http.MethodPut, Path: "/policies/{id}", Tag: policyTag, Summary: "Change the fields of a policy that are sent, as a new version",
		Permission: auth.PoliciesWrite, Errors: changing, MaxBody: 4 << 20,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Match
		Body admin.PolicyChange
	},
	) (*one[admin.Policy], error) {
		return show(s.Policies().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deletePolicy", Method: http.MethodDelete, Path: "/policies/{id}", Tag: policyTag, Summary: "Remove a policy and its versions",
		Permission: auth.PoliciesWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Match
	},
	) (*none, error) {
		return done(s.Policies().Delete(ctx, who, in.ID, in.of()))
	})
	handleList(a, Operation{
		ID: "listPolicyVersions", Method: http.MethodGet, Path: "/policies/{id}/versions", Tag: policyTag, Summary: "List the versions of a policy, the newest first",
		Permission: auth.PoliciesRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Page
	}, p admin.Page,
	) (admin.List[admin.PolicyVersion], error) {
		return s.Policies().ListVersions(ctx, who, in.ID, p)
	})
	handle(a, Operation{
		ID: "rollbackPolicy", Method: http.MethodPost, Path: "/policies/{id}/rollback", Tag: policyTag, Summary: "Make a new version of an old one",
		Permission: auth.PoliciesWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		PolicyPath
		Match
		Body version
	},
	) (*one[admin.Policy], error) {
		return show(s.Policies().Rollback(ctx, who, in.ID, in.Body.Version, in.of()))
	})
	a.policyStates()
}
