package console

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

// requestColumn is a column of the list of requests. The time is always shown.
type requestColumn struct {
	ID, Label string
	hidden    bool // until the reader chooses it
}

var requestColumns = []requestColumn{
	{"model", "Model", false},
	{"workspace", "Workspace", false},
	{"key", "Key", false},
	{"user", "User", true},
	{"api", "API", true},
	{"outcome", "Outcome", false},
	{"link", "Link", false},
	{"blocked", "Blocked by", false},
	{"status", "Status", false},
	{"tokens", "Tokens", false},
	{"cost", "Cost", false},
	{"latency", "Latency", false},
	{"provider", "Provider", true},
	{"sent", "Model sent", true},
}

// columnsCookie remembers the columns that the reader has chosen in this browser.
const (
	columnsCookie = "headgate_columns"
	columnsLife   = 365 * 24 * time.Hour
)

// chooseColumns returns the columns to show: those of the request, else those that the browser remembers, else the defaults.
func (r *request) chooseColumns() map[string]bool {
	known := func(ids []string) []string {
		return slices.DeleteFunc(ids, func(id string) bool {
			return !slices.ContainsFunc(requestColumns, func(c requestColumn) bool { return c.ID == id })
		})
	}
	ids := known(r.QueryArray("column"))
	if len(ids) > 0 {
		r.c.setCookie(r.Context, columnsCookie, strings.Join(ids, "."), columnsLife)
	} else if k, err := r.Request.Cookie(columnsCookie); err == nil {
		ids = known(strings.Split(k.Value, "."))
	}
	out := map[string]bool{}
	for _, c := range requestColumns {
		out[c.ID] = len(ids) == 0 && !c.hidden || slices.Contains(ids, c.ID)
	}
	return out
}

// Columns returns the columns as choices.
func (p *requestList) Columns() []Option {
	var out []Option
	for _, c := range requestColumns {
		if c.ID != "cost" || p.Costs {
			out = append(out, Option{Value: c.ID, Label: c.Label, Chosen: p.shown[c.ID]})
		}
	}
	return out
}

// Shows reports whether a column is shown.
func (p *requestList) Shows(id string) bool { return p.shown[id] && (id != "cost" || p.Costs) }

// maxSorted limits the requests that are put into another order than that of time.
const maxSorted = 500

// requestOrders compare exchanges: the largest first.
var requestOrders = map[string]func(a, b admin.Exchange) int{
	"latency": func(a, b admin.Exchange) int { return cmp.Compare(b.Latency, a.Latency) },
	"tokens":  func(a, b admin.Exchange) int { return cmp.Compare(b.Input+b.Output, a.Input+a.Output) },
	"cost":    func(a, b admin.Exchange) int { return cmp.Compare(b.Cost, a.Cost) },
	"status":  func(a, b admin.Exchange) int { return cmp.Compare(b.Status, a.Status) },
}

// sortRows puts the rows into an order and keeps a page of them.
func (p *requestList) sortRows(order string) {
	p.Sorted = len(p.Rows)
	slices.SortStableFunc(p.Rows, requestOrders[order])
	p.Rows, p.After = p.Rows[:min(len(p.Rows), pageSize)], ""
}

// SortLink returns the heading of a column that the list can be sorted by.
func (p *requestList) SortLink(of *page, id string) link {
	label := ""
	for _, c := range requestColumns {
		if c.ID == id {
			label = c.Label
		}
	}
	if p.Sort == id {
		return link{Path: of.PageAddress("sort", "", "after", ""), Text: label + " ↓", Of: "(sort by time)"}
	}
	return link{Path: of.PageAddress("sort", id, "after", ""), Text: label, Of: "(sort by it)"}
}

// SortColumns returns the columns that are shown and that the list can be sorted by, in their order.
func (p *requestList) SortColumns() []string {
	var out []string
	for _, c := range requestColumns {
		if requestOrders[c.ID] != nil && p.Shows(c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

// viewParameters are the parameters of the list that a saved view keeps.
var viewParameters = []string{"tenant", "key", "model", "outcome", "status", "from", "to", "span", "shadow", "sort", "column"}

// encodeViewQuery returns the parameters of a request that a saved view keeps, encoded.
func encodeViewQuery(q url.Values) string {
	kept := url.Values{}
	for _, name := range viewParameters {
		for _, v := range q[name] {
			if v != "" {
				kept.Add(name, v)
			}
		}
	}
	return kept.Encode()
}
