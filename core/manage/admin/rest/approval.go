package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addApprovals adds the operations on requests that need the consent of a second person.
func (a *API) addApprovals() {
	const tag, list, item = "Approvals", "/approvals", "/approvals/{id}"
	s := a.Service.Approvals()
	addCreate(a, Operation{
		ID: "requestExport", Path: list, Tag: tag, Summary: "Request consent to an export of audit events", Permission: auth.AuditRead,
	}, func(v admin.Approval) string { return v.ID }, a.Service.AuditLog().RequestExport)
	registerPagedList(a, Operation{
		ID:         "listApprovals",
		Method:     http.MethodGet,
		Path:       list,
		Tag:        tag,
		Summary:    "List requests for consent and their decisions",
		Permission: auth.Approve,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		Status string `query:"status" enum:"PENDING,APPROVED,DENIED" doc:"Only requests in this state."`
	}, p admin.Page,
	) (admin.List[admin.Approval], error) {
		return s.List(ctx, who, in.Status, p)
	})
	addGet(a, Operation{ID: "getApproval", Path: item, Tag: tag, Summary: "Get a request for consent"}, s.Get)
	decide := func(o Operation, approve bool) {
		o.Method, o.Tag, o.Permission, o.Errors = http.MethodPost, tag, auth.Approve, []int{http.StatusConflict}
		registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
			RecordPath
			Body *admin.Decision
		},
		) (*recordAnswer[admin.Approval], error) {
			var d admin.Decision
			if in.Body != nil {
				d = *in.Body
			}
			return answerRecord(s.Decide(ctx, who, in.ID, approve, d))
		})
	}
	decide(Operation{ID: "approveApproval", Path: item + "/approve", Summary: "Approve a request of another person"}, true)
	decide(Operation{ID: "denyApproval", Path: item + "/deny", Summary: "Deny a request of another person"}, false)
}
