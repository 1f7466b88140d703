package console

import (
	"encoding/csv"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// findKeyName returns the name of a key, or its id if it was deleted or the reader lacks the permission to read keys.
func (r *request) findKeyName(tenant, id string) string {
	if id == "" || !r.who.Can(auth.KeysRead) {
		return id
	}
	if k, err := r.service().Keys().Get(r.ctx(), r.who, tenant, id); err == nil {
		return k.Name
	}
	return id
}

// downloadCostsByKey answers with the cost of each key as CSV.
func (r *request) downloadCostsByKey(keys []admin.CostPart) error {
	r.setDownloadName("costs-by-key.csv")
	r.Header("Content-Type", "text/csv; charset=utf-8")
	r.Status(http.StatusOK)
	w := csv.NewWriter(r.Writer)
	_ = w.Write([]string{
		"workspace_id", "workspace", "key_id", "key", "requests", "input_tokens", "output_tokens", "cost_usd",
	}) // the writer keeps the error
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	for i := range keys {
		k := &keys[i]
		_ = w.Write([]string{ // the writer keeps the error
			escapeCSV(k.Tenant), escapeCSV(r.openWorkspaceNames().NameOf(k.Tenant)), escapeCSV(k.Key), escapeCSV(r.findKeyName(k.Tenant, k.Key)),
			number(k.Requests), number(k.Input), number(k.Output), k.Cost.String(),
		})
	}
	w.Flush()
	if w.Error() != nil {
		panic(http.ErrAbortHandler) // closes the connection, so that half a file does not look complete
	}
	return nil
}
