package console

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// approvalHandlers serve the requests that wait for a second person.
type approvalHandlers struct{}

// approvals mounts what waits for a second person.
func (h *approvalHandlers) mount(c *Console) {
	c.get("/approvals", auth.Approve, h.listApprovals)
	c.post("/approvals/:approval/approve", auth.Approve, func(r *request) error { return h.decide(r, true) })
	c.post("/approvals/:approval/reject", auth.Approve, func(r *request) error { return h.decide(r, false) })
}

// approvalPage is what the page of approvals shows.
type approvalPage struct {
	Form          *Form
	Waiting, Past list[admin.Approval]
	Names         *names
	Self          string // the reader, as requests name who asks
}

func (h *approvalHandlers) listApprovals(r *request) error { return h.approvalsPage(r, newForm(), nil) }

func (h *approvalHandlers) approvalsPage(r *request, f *Form, refused error) error {
	p := &approvalPage{Form: f, Names: r.names(), Self: r.who.Person()}
	waiting, err := r.service().Approvals().ListWaiting(r.ctx(), r.who, admin.Page{Limit: most + 1, After: r.Query("waiting")})
	if p.Waiting, err = collect(r, waiting, err); err != nil {
		return err
	}
	past, err := r.service().Approvals().ListDecided(r.ctx(), r.who, r.page())
	if p.Past, err = collect(r, past, err); err != nil {
		return err
	}
	if refused != nil {
		return r.again("approvals", "Approvals", p, f, refused)
	}
	return r.show("approvals", "Approvals", p)
}

func (h *approvalHandlers) decide(r *request, approve bool) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	d := admin.Decision{Reason: f.text("note"), Hours: int(f.number("hours"))}
	if err = f.ok(); err == nil {
		err = admin.Bounded(d)
	}
	if err == nil {
		_, err = r.service().Approvals().Decide(r.ctx(), r.who, r.Param("approval"), approve, d)
	}
	switch {
	case err != nil:
		return h.approvalsPage(r, f, err)
	case approve:
		return r.done("/approvals", "It is approved.")
	}
	return r.done("/approvals", "It is rejected.")
}
