package console

import (
	"cmp"
	"encoding/csv"
	"net/http"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// requestSpans are the quick spans of the list of requests.
var requestSpans = []struct {
	Value, Label string
	length       time.Duration
}{
	{"15m", "Last 15 minutes", 15 * time.Minute},
	{"1h", "Last hour", time.Hour},
	{"1d", "Last 24 hours", 24 * time.Hour},
	{"7d", "Last 7 days", 7 * 24 * time.Hour},
}

// Spans returns the quick spans.
func (requestList) Spans() []Option {
	out := make([]Option, len(requestSpans))
	for i, s := range requestSpans {
		out[i] = Option{Value: s.Value, Label: s.Label}
	}
	return out
}

// parseRequestFilter reads the filter of a request. A quick span ends now and replaces an empty start.
func (r *request) parseRequestFilter() (*Form, admin.ExchangeQuery) {
	f := r.readQueryForm()
	q := admin.ExchangeQuery{
		Tenant: f.readText("tenant"), Key: f.readText("key"), ModelPart: f.readText("model"), Outcome: f.readText("outcome"),
		Status: int(f.readNumber("status")),
		From:   f.readText("from"), To: f.readText("to"),
	}
	for _, s := range requestSpans {
		if s.Value == f.readText("span") && q.From == "" {
			q.From = r.c.Now().UTC().Add(-s.length).Format(time.RFC3339)
		}
	}
	return f, q
}

// Traced reports whether this node keeps the trace of an exchange.
func (p *requestList) Traced(id string) bool {
	_, ok := p.Kept[id]
	return ok
}

// KeyName returns the name of the key of an exchange, its id if the key was deleted or the reader lacks the permission
// to read keys, or "".
func (p *requestList) KeyName(e admin.Exchange) string {
	if e.Key == recent.PlaygroundKey {
		return ""
	}
	return cmp.Or(p.keys[e.Key].Name, e.Key)
}

// UserName returns the name of the owner of the key of an exchange, or "".
func (p *requestList) UserName(e admin.Exchange) string { return p.keys[e.Key].Owner }

// KeyPath returns the address of the page of the key of an exchange.
func (*requestList) KeyPath(e admin.Exchange) string { return buildKeyPath(e.Tenant, e.Key) }

// keyNames are the names of a key and of its owner.
type keyNames struct{ Name, Owner string }

// readKeyNames returns the names of the keys of exchanges and of their owners. Each is read once.
func (r *request) readKeyNames(rows []admin.Exchange) map[string]keyNames {
	out, owners := map[string]keyNames{}, map[string]string{}
	if !r.who.Can(auth.KeysRead) {
		return out
	}
	for i := range rows {
		tenant, id := rows[i].Tenant, rows[i].Key
		if _, known := out[id]; known || id == "" || id == recent.PlaygroundKey {
			continue
		}
		out[id] = keyNames{}
		if k, err := r.service().Keys().Get(r.ctx(), r.who, tenant, id); err == nil {
			if _, known := owners[k.Owner]; !known {
				owners[k.Owner] = r.findOwnerName(&k)
			}
			out[id] = keyNames{k.Name, owners[k.Owner]}
		}
	}
	return out
}

// File returns the address of the list as CSV, with the same filter.
func (requestList) File(p *page) string {
	u := *p.location
	q := u.Query()
	q.Del("after")
	q.Set("format", "csv")
	u.RawQuery = q.Encode()
	return u.RequestURI()
}

// maxFileRows limits the rows of a file. A search that finds fewer reads at most maxFilePages pages of the list.
const (
	maxFileRows  = 10_000
	maxFilePages = 40
	filePage     = 500
)

// downloadRequests answers with the newest matching requests as CSV.
func (r *request) downloadRequests(f *Form, q admin.ExchangeQuery) error {
	q.ID = f.readText("id")
	if f.isChecked("shadow") {
		f.addError("shadow", "Files do not list verdicts in shadow mode.")
	}
	if err := f.reportErrors(); err != nil {
		return err
	}
	var rows []admin.Exchange
	page := admin.Page{Limit: filePage}
	for range maxFilePages {
		found, err := r.service().Exchanges().List(r.ctx(), r.who, q, page)
		if err != nil {
			return err
		}
		rows = append(rows, found.Exchanges...)
		if page.After = found.After; page.After == "" || len(rows) >= maxFileRows {
			break
		}
	}
	r.setDownloadName("requests.csv")
	r.Header("Content-Type", "text/csv; charset=utf-8")
	r.Status(http.StatusOK)
	if err := r.writeRequests(rows); err != nil {
		panic(http.ErrAbortHandler) // closes the connection, so that half a file does not look complete
	}
	return nil
}

func (r *request) writeRequests(rows []admin.Exchange) error {
	names, keys := r.openWorkspaceNames(), r.readKeyNames(rows)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	w := csv.NewWriter(r.Writer)
	_ = w.Write([]string{
		"time", "id", "workspace_id", "workspace", "key_id", "key", "model_requested", "provider", "model", "outcome", "status", "input_tokens",
		"output_tokens", "cost_usd", "latency_ms", "user",
	}) // the writer keeps the error
	for i := range rows {
		e := &rows[i]
		cost := ""
		if e.Costs && e.Priced {
			cost = e.Cost.String()
		}
		_ = w.Write([]string{
			e.At.UTC().Format(time.RFC3339Nano), escapeCSV(e.ID), escapeCSV(e.Tenant), escapeCSV(names.NameOf(e.Tenant)),
			escapeCSV(e.Key), escapeCSV(keys[e.Key].Name),
			escapeCSV(e.ModelRequested), escapeCSV(e.Provider), escapeCSV(e.Model), escapeCSV(e.Outcome), strconv.Itoa(e.Status), number(e.Input),
			number(e.Output), cost, number(e.Latency.Milliseconds()), escapeCSV(keys[e.Key].Owner),
		}) // the writer keeps the error
	}
	w.Flush()
	return w.Error()
}
