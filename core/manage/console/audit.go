package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// auditHandlers serve the audit events, chains and exports.
type auditHandlers struct {
	now    func() time.Time
	proofs proofs
}

func (h *auditHandlers) mount(c *Console) {
	c.mountGet("/audit", auth.AuditRead, h.listAudit)
	c.mountGet("/audit/events/:event", auth.AuditRead, h.showAuditEvent)
	c.mountGet("/audit/chains", auth.AuditRead, h.showChains)
	c.mountPost("/audit/verify", auth.AuditRead, h.verifyAudit)
	c.mountGet("/audit/export", auth.AuditRead, h.downloadExport)
	c.mountPost("/audit/export", auth.AuditRead, handleForm(h.requestExport, h.listExports))
	c.mountGet("/audit/exports", auth.AuditRead, h.listExports)
}

// A search by request id reads every record of its period. By default it covers one day, and it is stopped after a timeout.
const (
	defaultSearchSpan = 24 * time.Hour
	searchTimeout     = 10 * time.Second
)

// auditPage is the data of the list of events.
type auditPage struct {
	Form       *Form
	Workspaces []Option
	Events     list[admin.AuditEvent]
	Searched   time.Time // the default start of a search; zero if the search has its own
	auditTexts
}

// Live reports whether the list is refreshed: it shows the newest events, not the result of a search by id.
func (p *auditPage) Live() bool { return p.Events.First && p.Form.readText("id") == "" }

// Asked reports whether the list is filtered.
func (p *auditPage) Asked() bool {
	return slices.ContainsFunc([]string{"type", "tenant", "from", "to", "id"}, func(name string) bool { return p.Form.readText(name) != "" })
}

// Types returns the options of the type filter.
func (auditPage) Types() []Option { return listEventTypes() }

func listEventTypes() []Option {
	out := newOptions("", "All types")
	for _, t := range audit.ListTypes() {
		out = append(out, Option{Value: t.Name, Label: t.Name})
	}
	return out
}

// readQueryForm returns the query parameters of a request as a form.
func (r *request) readQueryForm() *Form { return &Form{Values: r.Request.URL.Query()} }

func (h *auditHandlers) listAudit(r *request) error {
	f := r.readQueryForm()
	p := &auditPage{Form: f, auditTexts: auditTexts{r.openWorkspaceNames(), r.service().OpenPeople(r.ctx(), r.who)}}
	var err error
	if p.Workspaces, err = r.listWorkspaceChoices("All workspaces"); err != nil {
		return err
	}
	if err = p.read(r); err != nil {
		return r.showRefused("audit", "Audit", p, f, err)
	}
	return r.show("audit", "Audit", p)
}

// read reads a page of events with the filters of the form.
func (p *auditPage) read(r *request) error {
	f := p.Form
	q := admin.AuditQuery{
		Type: f.readText("type"), Tenant: f.readText("tenant"), From: f.readText("from"), To: f.readText("to"),
		Exchange: f.readText("id"),
	}
	f.checkTimes(q.From, q.To)
	if strings.ContainsAny(q.Exchange, "\"\\") || len(q.Exchange) > 128 {
		f.addError("id", "Write the id of a request or a trace, such as the X-Trace-Id of an answer.")
	}
	if err := f.reportErrors(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx(), searchTimeout)
	defer cancel()
	if q.Exchange != "" && q.From == "" {
		p.Searched = r.c.Now().Add(-defaultSearchSpan).UTC().Truncate(time.Second)
		q.From = p.Searched.Format(time.RFC3339)
	}
	events, err := r.service().AuditLog().List(ctx, r.who, q, r.readWindow())
	p.Events, err = readPage(r, events, err)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && r.ctx().Err() == nil {
		f.addError("from", "The search took too long. Narrow the period with From and To.")
		return f.reportErrors()
	}
	return err
}

// auditEvent is the data of the page of one event.
type auditEvent struct {
	Event   admin.AuditFound
	Meaning string
	Fields  []eventField
	auditTexts
}

// eventField is a field of an event's payload.
type eventField struct{ Name, Meaning, Value string }

func (h *auditHandlers) showAuditEvent(r *request) error {
	e, err := r.service().AuditLog().Get(r.ctx(), r.who, r.Param("event"))
	if err != nil {
		return err
	}
	p := &auditEvent{Event: e, auditTexts: auditTexts{r.openWorkspaceNames(), r.service().OpenPeople(r.ctx(), r.who)}}
	p.Meaning, p.Fields = p.explain(e.EventType, e.Payload)
	return r.show("audit-event", "Audit event", p)
}
