package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// ApprovalPath names a request for consent.
type ApprovalPath struct {
	ID string `path:"id" maxLength:"128" doc:"The request's id."`
}

// approvals adds the operations on requests for a second person's consent.
func (a *API) approvals() {
	const tag = "Approvals"
	s := a.Service
	handle(a, Operation{
		ID: "requestExport", Method: http.MethodPost, Path: "/approvals", Tag: tag, Summary: "Ask for consent to an export of the audit chain",
		Permission: auth.AuditRead, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.ExportRequest }) (*made[admin.Approval], error) {
		v, err := s.AuditLog().RequestExport(ctx, who, in.Body)
		return showNew("/approvals/"+v.ID, v, err)
	})
	handleList(a, Operation{
		ID: "listApprovals", Method: http.MethodGet, Path: "/approvals", Tag: tag, Summary: "List what waits for consent, and what became of it",
		Permission: auth.Approve,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		Status string `query:"status" enum:"PENDING,APPROVED,DENIED" doc:"Only those in one state."`
	}, p admin.Page,
	) (admin.List[admin.Approval], error) {
		return s.Approvals().List(ctx, who, in.Status, p)
	})
	handle(a, Operation{
		ID: "getApproval", Method: http.MethodGet, Path: "/approvals/{id}", Tag: tag, Summary: "Read a request for consent",
	}, func(ctx context.Context, who *auth.Actor, in *ApprovalPath) (*one[admin.Approval], error) {
		return show(s.Approvals().Get(ctx, who, in.ID))
	})
	for _, approve := range []bool{true, false} {
		o := Operation{
			ID: "denyApproval", Method: http.MethodPost, Path: "/approvals/{id}/deny", Tag: tag, Summary: "Refuse what is asked for",
			Permission: auth.Approve, Errors: []int{http.StatusConflict},
		}
		if approve {
			o.ID, o.Path, o.Summary = "approveApproval", "/approvals/{id}/approve", "Consent to what somebody else asks for"
		}
		handle(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
			ApprovalPath
			Body *admin.Decision
		},
		) (*one[admin.Approval], error) {
			var d admin.Decision
			if in.Body != nil {
				d = *in.Body
			}
			return show(s.Approvals().Decide(ctx, who, in.ID, approve, d))
		})
	}
}
