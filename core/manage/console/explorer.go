package console

import (
	"net/url"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// requestHandlers serve the requests that the gateway handled.
type requestHandlers struct {
	recent *recent.Ring
}

func (h *requestHandlers) mount(c *Console) {
	c.mountGet("/requests", "", h.listRequests)
	c.mountGet("/requests/:id", "", h.showRequest)
	c.mountGet("/session", "", h.showSession)
	c.mountPost("/requests-view", "", h.saveView)
}

// listOutcomes returns the options of the outcome filter.
func listOutcomes() []Option {
	return newOptions("", "Any", "served", "Served", "answered", "Answered by a stage", "blocked", "Blocked", "faulted", "Stage failed",
		"refused", "Refused", "upstream_error", "Provider failed", "client_gone", "Client left", "crashed", "Gateway failed")
}

// requestList is the data of the list.
type requestList struct {
	Form       *Form
	Workspaces []Option
	Names      *names
	Rows       []admin.Exchange
	After      string
	First      bool
	Searched   time.Time // where the search stopped before the page was full
	Kept       map[string]recent.Summary
	keys       map[string]keyNames
	shown      map[string]bool // columns by id
	Sort       string          // the column that orders the rows; the default is the time
	Sorted     int             // the number of rows that were put in order
	Views      []savedView
	View       string // the parameters of the list, for a view
	Span       string // the quick span in force
	Asked      bool
	Shadowed   bool // only exchanges with a verdict in shadow mode, from the traces of this node
	Matches    int  // their number; Rows has the newest
	Costs      bool
}

// Outcomes returns the options of the outcome filter.
func (requestList) Outcomes() []Option { return listOutcomes() }

// Path returns the address of the page of an exchange.
func (requestList) Path(e admin.Exchange) string { return buildRequestPath(e.ID, e.At) }

func buildRequestPath(id string, at time.Time) string {
	return "/requests/" + url.PathEscape(id) + "?at=" + strconv.FormatInt(at.UnixMicro(), 10)
}

func (h *requestHandlers) listRequests(r *request) error {
	if !admin.SeesTraffic(r.who) {
		return admin.NewMissingRoleError(auth.CostsRead)
	}
	f, q := r.parseRequestFilter()
	if f.readText("format") == "csv" {
		return r.downloadRequests(f, q)
	}
	if id := f.readText("id"); id != "" {
		if e, ok := h.recent.Find(r.who.Tenant, id); ok {
			r.Redirect(303, buildRequestPath(e.ID, e.At))
			return nil
		}
		q.ID = id
	}
	workspaces, err := r.listWorkspaceChoices("All workspaces")
	if err != nil {
		return err
	}
	data := &requestList{
		Form: f, Workspaces: workspaces, Names: r.openWorkspaceNames(), First: r.Query("after") == "", Costs: r.who.Can(auth.CostsRead),
		Asked: q != admin.ExchangeQuery{}, Span: f.readText("span"), shown: r.chooseColumns(), Views: r.readViews(),
		View: encodeViewQuery(r.Request.URL.Query()),
	}
	if s := f.readText("sort"); requestOrders[s] != nil && data.Shows(s) {
		data.Sort = s
	}
	err = f.reportErrors()
	switch {
	case err != nil:
	case f.isChecked("shadow"):
		data.Asked, data.Shadowed = true, true
		err = data.readShadowed(r, q)
	default:
		err = data.read(r, q)
	}
	if err != nil {
		return r.showRefused("requests", "Requests", data, f, err)
	}
	return r.show("requests", "Requests", data)
}

func (p *requestList) read(r *request, q admin.ExchangeQuery) error {
	window := admin.Page{Limit: pageSize, After: r.Query("after")}
	if p.Sort != "" {
		window = admin.Page{Limit: maxSorted}
	}
	page, err := r.service().Exchanges().List(r.ctx(), r.who, q, window)
	if err != nil {
		return err
	}
	p.Rows, p.After, p.Searched = page.Exchanges, page.After, page.Searched
	if p.Sort != "" {
		p.sortRows(p.Sort)
	}
	ids := make([]string, len(p.Rows))
	for i := range p.Rows {
		ids[i] = p.Rows[i].ID
	}
	p.Kept = r.c.Recent.FindKept(ids)
	p.keys = r.readKeyNames(p.Rows)
	return nil
}

// requestPage is the data of the page of one exchange.
type requestPage struct {
	exchangeView
	Names    *names
	Record   *admin.Exchange // the stored record; nil until it is stored
	Audit    []admin.AuditEvent
	NoAudit  bool // the reader has no permission to see audit records
	AuditCut bool // there were too many records to search
	Costs    bool
	ID       string
	At       time.Time
	Session  string // the address of the request's session; "" without a session
	Joined   int    // the number of its requests
}

func (h *requestHandlers) showRequest(r *request) error {
	if !admin.SeesTraffic(r.who) {
		return admin.NewMissingRoleError(auth.CostsRead)
	}
	p := &requestPage{Names: r.openWorkspaceNames(), ID: r.Param("id"), Costs: r.who.Can(auth.CostsRead), NoAudit: !r.who.Can(auth.AuditRead)}
	micros, err := strconv.ParseInt(r.Query("at"), 10, 64)
	if err == nil {
		p.At = time.UnixMicro(micros).UTC()
	}
	if e, ok := h.recent.Find(r.who.Tenant, p.ID); ok {
		p.exchangeView = newExchangeView(&e)
		p.ID, p.At = e.ID, e.At.UTC()
		if n := len(h.recent.FindSession(e.Tenant, e.Trace)); n > 1 && e.Tenant != "" {
			p.Session, p.Joined = buildSessionPath(e.Tenant, e.Trace), n
		}
	}
	if !p.At.IsZero() {
		record, ok, err := r.service().Exchanges().Find(r.ctx(), r.who, p.ID, p.At)
		if err != nil {
			return err
		}
		if ok {
			p.Record = &record
		}
	}
	if p.Recent == nil && p.Record == nil {
		return &core.Error{
			Kind: core.NotFound, Code: core.CodeNotFound,
			Public: "This node no longer has this request in memory. Find it in the list by its time and workspace.",
		}
	}
	if !p.NoAudit {
		if p.Audit, err = p.readAudit(r); err != nil {
			return err
		}
	}
	return r.show("request", "Request", p)
}

func (p *requestPage) readAudit(r *request) ([]admin.AuditEvent, error) {
	latency := time.Duration(0)
	if p.Recent != nil {
		latency = p.Recent.Latency
	} else {
		latency = p.Record.Latency
	}
	list, whole, err := r.service().Exchanges().ListAuditEvents(r.ctx(), r.who, p.ID, p.At, p.At.Add(latency))
	p.AuditCut = !whole
	return list, err
}

// Tenant returns the workspace of the exchange.
func (p *requestPage) Tenant() string {
	if p.Recent != nil {
		return p.Recent.Tenant
	}
	return p.Record.Tenant
}

// Playground reports whether the exchange came from the playground.
func (p *requestPage) Playground() bool {
	return p.Recent != nil && p.Recent.Key == recent.PlaygroundKey || p.Record != nil && p.Record.Key == recent.PlaygroundKey
}

// Short returns the first characters of the id.
func (p *requestPage) Short() string { return p.ID[:min(len(p.ID), 8)] }

// Refused reports whether a rule, a budget or the key has refused the exchange.
func (p *requestPage) Refused() bool {
	k := p.Recent.Summarize()
	return len(k.Rules) > 0 || k.Budget != "" || k.Code == core.CodeForbidden
}

// KeyPath returns the address of the page of the key of the exchange.
func (p *requestPage) KeyPath() string { return buildKeyPath(p.Recent.Tenant, p.Recent.Key) }
