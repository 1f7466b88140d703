package console

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// approvalHandlers serve requests for approval by a second person.
type approvalHandlers struct{}

func (h *approvalHandlers) mount(c *Console) {
	c.mountGet("/approvals", auth.Approve, h.show)
	c.mountPost("/approvals/:approval/approve", auth.Approve, handleForm(h.decide(true, "Request approved."), h.show))
	c.mountPost("/approvals/:approval/reject", auth.Approve, handleForm(h.decide(false, "Request rejected."), h.show))
}

// approvalPage is the data of the page.
type approvalPage struct {
	Form          *Form
	Waiting, Past list[admin.Approval]
	Names         *names
	Self          string // the reader, in the form of Approval.Requester
}

func (h *approvalHandlers) show(r *request) error {
	p := &approvalPage{Form: r.sent, Names: r.openWorkspaceNames(), Self: r.who.Person()}
	waiting, err := r.service().Approvals().ListWaiting(r.ctx(), r.who, admin.Page{Limit: pageSize + 1, After: r.Query("waiting")})
	if p.Waiting, err = readPage(r, waiting, err); err != nil {
		return err
	}
	past, err := r.service().Approvals().ListDecided(r.ctx(), r.who, r.readWindow())
	if p.Past, err = readPage(r, past, err); err != nil {
		return err
	}
	return r.show("approvals", "Approvals", p)
}

// decide returns a handler that approves or rejects a request.
func (h *approvalHandlers) decide(approve bool, told string) func(*request, *Form) error {
	return func(r *request, f *Form) error {
		d, err := checkChange(f, admin.Decision{Reason: f.readText("note"), Hours: int(f.readNumber("hours"))})
		if err != nil {
			return err
		}
		_, err = r.service().Approvals().Decide(r.ctx(), r.who, r.Param("approval"), approve, d)
		return r.finish(err, "/approvals", told)
	}
}
