package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// auditHandlers serve the audit events, chains and exports.
type auditHandlers struct {
	now    func() time.Time
	proofs proofs
}

// audit mounts the audit chains: their events, how they stand, and their exports.
func (h *auditHandlers) mount(c *Console) {
	c.get("/audit", auth.AuditRead, h.listAudit)
	c.get("/audit/events/:event", auth.AuditRead, h.showAuditEvent)
	c.get("/audit/chains", auth.AuditRead, h.showChains)
	c.post("/audit/verify", auth.AuditRead, h.verifyAudit)
	c.get("/audit/export", auth.AuditRead, h.downloadExport)
	c.post("/audit/export", auth.AuditRead, h.requestExport)
	c.get("/audit/exports", auth.AuditRead, h.listExports)
}

// A search by an exchange's id reads every record of its span: without a beginning it looks back a day, and it ends when
// it takes longer than somebody waits.
const (
	searchBack = 24 * time.Hour
	searchFor  = 10 * time.Second
)

// auditPage is what the list of events shows.
type auditPage struct {
	Form       *Form
	Workspaces []Option
	Events     list[admin.AuditEvent]
	Searched   time.Time // how far a search without a beginning has looked back; zero: it is none
	auditTexts
}

// Live reports whether the list is kept current: the newest events are shown, and no exchange is looked for.
func (p *auditPage) Live() bool { return p.Events.First && p.Form.text("id") == "" }

// Asked reports whether something is filtered.
func (p *auditPage) Asked() bool {
	return slices.ContainsFunc([]string{"type", "tenant", "from", "to", "id"}, func(name string) bool { return p.Form.text(name) != "" })
}

// Types are the choices of an event's type.
func (auditPage) Types() []Option { return eventTypes() }

func eventTypes() []Option {
	out := options("", "All types")
	for _, t := range audit.Types() {
		out = append(out, Option{Value: t.Name, Label: t.Name})
	}
	return out
}

// query are the parameters of a page's address as a form.
func (r *request) query() *Form { return &Form{Values: r.Request.URL.Query()} }

func (h *auditHandlers) listAudit(r *request) error {
	f := r.query()
	p := &auditPage{Form: f, auditTexts: auditTexts{r.names(), r.service().People(r.ctx(), r.who)}}
	var err error
	if p.Workspaces, err = r.workspaceChoices("All workspaces"); err != nil {
		return err
	}
	if err = p.read(r); err != nil {
		return r.again("audit", "Audit", p, f, err)
	}
	return r.show("audit", "Audit", p)
}

// read reads a page of events, as the form asks for.
func (p *auditPage) read(r *request) error {
	f := p.Form
	q := admin.AuditQuery{Type: f.text("type"), Tenant: f.text("tenant"), From: f.text("from"), To: f.text("to"), Exchange: f.text("id")}
	for name, end := range map[string]string{"from": q.From, "to": q.To} {
		if _, err := admin.ParseTime(name, end); err != nil {
			f.refuse(core.AsError(err))
		}
	}
	if strings.ContainsAny(q.Exchange, "\"\\") || len(q.Exchange) > 128 {
		f.wrong("id", "Write the id of a request or a trace, as answers name it in X-Trace-Id.")
	}
	if err := f.ok(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx(), searchFor)
	defer cancel()
	if q.Exchange != "" && q.From == "" {
		p.Searched = r.c.Now().Add(-searchBack).UTC().Truncate(time.Second)
		q.From = p.Searched.Format(time.RFC3339)
	}
	events, err := r.service().AuditLog().List(ctx, r.who, q, r.page())
	p.Events, err = collect(r, events, err)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && r.ctx().Err() == nil {
		f.wrong("from", "The search took too long. Write a later beginning, or an earlier end.")
		return f.ok()
	}
	return err
}

// auditEvent is what the page of one event shows.
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
	p := &auditEvent{Event: e, auditTexts: auditTexts{r.names(), r.service().People(r.ctx(), r.who)}}
	p.Meaning, p.Fields = p.explain(e.EventType, e.Payload)
	return r.show("audit-event", "Audit event", p)
}
