package meter

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// WriteCSV writes the sections of a report as one table. The first column names the section. Each section adds up to the
// total, so readers must not add sections together.
func (r *ChargebackReport) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	tenant := ""
	if r.Tenant != nil {
		tenant = *r.Tenant
	}
	write := func(section, date, tenantID, tenantName, keyID, keyName, provider, model string, s *Share) {
		_ = out.Write([]string{ // the writer keeps its first error, and Error returns it
			section,
			date,
			escapeCell(tenantID),
			escapeCell(tenantName),
			escapeCell(keyID),
			escapeCell(keyName),
			escapeCell(provider),
			escapeCell(model),
			strconv.FormatInt(s.Requests, 10),
			strconv.FormatInt(
				s.InputTokens,
				10,
			),
			strconv.FormatInt(s.OutputTokens, 10),
			s.InputCost.String(),
			s.OutputCost.String(),
			s.Cost.String(),
			r.Currency,
			strconv.FormatFloat(s.Pct, 'f', 2, 64),
			strconv.FormatInt(s.Unpriced, 10),
		})
	}
	_ = out.Write([]string{ // Error returns it
		"section",
		"date",
		"tenant_id",
		"tenant_name",
		"api_key_id",
		"api_key_name",
		"provider",
		"model",
		"request_count",
		"input_tokens",
		"output_tokens",
		"input_cost",
		"output_cost",
		"total_cost",
		"currency",
		"share_pct",
		"unpriced_count",
	})
	s := r.Sections
	write("total", "", tenant, "", "", "", "", "", &s.Total)
	for i := range s.Tenants {
		v := &s.Tenants[i]
		write("tenantSummary", "", v.Tenant, v.Name, "", "", "", "", &v.Share)
	}
	for i := range s.Keys {
		v := &s.Keys[i]
		write("apiKeySummary", "", v.Tenant, "", v.Key, v.Name, "", "", &v.Share)
	}
	for i := range s.Models {
		v := &s.Models[i]
		write("modelSummary", "", tenant, "", "", "", v.Provider, v.Model, &v.Share)
	}
	for i := range s.Providers {
		v := &s.Providers[i]
		write("providerSummary", "", tenant, "", "", "", v.Provider, "", &v.Share)
	}
	for i := range s.Days {
		v := &s.Days[i]
		write("dailyBreakdown", v.Date, tenant, "", "", "", "", "", &v.Share)
	}
	out.Flush()
	return out.Error()
}

// escapeCell keeps a spreadsheet from reading a name as a formula: tenants choose names, and clients choose models.
func escapeCell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
