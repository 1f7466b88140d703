package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

const (
	policyTag     = "Policies"
	maxPolicyBody = 4 << 20 // bytes: a text of 1,000,000 characters that are escaped in JSON
)

// addPolicies adds the operations on policies.
func (a *API) addPolicies() {
	s := a.Service.Policies()
	mountCRUD(a, entity[admin.Policy, TenantQuery]{
		name: "Policy", names: "Policies", noun: "a policy", tag: policyTag, path: "/policies", maxBody: maxPolicyBody,
		permissions:  permissions{read: auth.PoliciesRead, write: auth.PoliciesWrite},
		createErrors: []int{http.StatusNotFound}, create: "Create a policy as a draft", list: "List policies",
		update: "Change the given fields of a policy, as a new version", remove: "Delete a policy and its versions",
		id: func(p admin.Policy) string { return p.ID }, query: adaptTenantList(s.List),
	}, s)
	registerPagedList(a, Operation{
		ID:         "listPolicyVersions",
		Method:     http.MethodGet,
		Path:       "/policies/{id}/versions",
		Tag:        policyTag,
		Summary:    "List the versions of a policy, newest first",
		Permission: auth.PoliciesRead,
	}, func(ctx context.Context, who *auth.Actor, in *PartsQuery, p admin.Page) (admin.List[admin.PolicyVersion], error) {
		return s.ListVersions(ctx, who, in.ID, p)
	})
	addActionWithBody(a, Operation{
		ID:         "rollbackPolicy",
		Path:       "/policies/{id}/rollback",
		Tag:        policyTag,
		Summary:    "Restore an earlier version of a policy, as a new version",
		Permission: auth.PoliciesWrite,
	}, adaptRollback(s.Rollback))
	a.addPolicyStates()
}
