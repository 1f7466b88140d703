package contract_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	chargeback = "/admin/v1/chargeback"
	reports    = "/admin/v1/reports"
)

// The period that contains everything in these tests.
var (
	firstDay = time.Now().UTC().AddDate(0, -1, 0).Format(time.RFC3339)
	lastDay  = time.Now().UTC().AddDate(0, 0, 2).Format(time.RFC3339)
)

// createChargeback creates a chargeback report of a tenant with costs.
func (t *T) createChargeback() (report m, tenant string) {
	t.Helper()
	tenant, _, _ = t.spent(1)
	return t.owner().post(chargeback, m{"tenant_id": tenant, "from": firstDay, "to": lastDay}).is(201).object(), tenant
}

// createReport creates a compliance report.
func (t *T) createReport(kind, tenant string) m {
	t.Helper()
	body := m{"type": kind, "from": firstDay, "to": lastDay}
	if tenant != "" {
		body["tenant_id"] = tenant
	}
	return t.owner().post(reports, body).is(201).object()
}

// requireFile requires a file with a name.
func (a *answer) requireFile(kind, name string) []byte {
	a.t.Helper()
	a.is(200)
	assert.True(a.t, strings.HasPrefix(a.header.Get("Content-Type"), kind), a.header.Get("Content-Type"))
	assert.Contains(a.t, a.header.Get("Content-Disposition"), "attachment")
	assert.Contains(a.t, a.header.Get("Content-Disposition"), name)
	return a.body
}

// readPDF returns the text of a PDF, where the tool that reads it is installed, as it is in CI.
func (t *T) readPDF(pdf []byte) (string, bool) {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "pdftotext is not installed")
		return "", false
	}
	cmd := exec.Command("pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	text, err := cmd.Output()
	require.NoError(t, err)
	return string(text), true
}

var chargebackRows = rows{
	"admin.chargeback.create": func(t *T) {
		report, tenant := t.createChargeback()
		assert.Equal(t, tenant, report["tenant_id"])
		t.requireSame(report, t.owner().get(chargeback+"/"+t.id(report)).is(200).object(), "from", "to", "generated_at")
		t.owner().post(chargeback, m{"tenant_id": tenant, "from": firstDay}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(chargeback, m{"from": "soon", "to": lastDay}).requireRefusal(400, "invalid_request_error", "")
		t.useVariant(unlicensed).owner().post(chargeback, m{"from": firstDay, "to": lastDay}).requireRefusal(400, "", "CHARGEBACK_NOT_AVAILABLE")
	},
	"admin.chargeback.list": func(t *T) {
		report, tenant := t.createChargeback()
		l := t.owner().get(chargeback + "?tenant_id=" + tenant).is(200).list()
		require.Len(t, l, 1)
		t.requireRecord(l, "id", t.id(report))
		t.requireRecord(t.owner().get(chargeback).is(200).list(), "id", t.id(report))
		assert.Empty(t, t.owner().get(chargeback+"?tenant_id="+t.tenant()).is(200).list())
	},
	"admin.chargeback.get": func(t *T) {
		report, _ := t.createChargeback()
		a := t.owner().get(chargeback + "/" + t.id(report)).is(200)
		t.requireSame(report, a.object(), "id", "tenant_id", "from", "to", "generated_at", "generated_by")
		assert.NotContains(t, strings.ToLower(string(a.body)), `"pdf`)
		t.owner().get(chargeback+"/nothing").requireRefusal(404, "not_found_error", "CHARGEBACK_NOT_FOUND")
	},
	"admin.chargeback.pdf": func(t *T) {
		report, _ := t.createChargeback()
		id := t.id(report)
		pdf := t.owner().get(chargeback+"/"+id+"/pdf").requireFile("application/pdf", "chargeback-report-"+id+".pdf")
		assert.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
		t.owner().get(chargeback+"/nothing/pdf").requireRefusal(404, "not_found_error", "CHARGEBACK_NOT_FOUND")
	},
	"admin.chargeback.csv": func(t *T) {
		report, tenant := t.createChargeback()
		id := t.id(report)
		text := t.owner().get(chargeback+"/"+id+"/csv").requireFile("text/csv", "chargeback-report-"+id+".csv")
		lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(lines), 1)
		assert.Equal(t, []string{"total", "", tenant}, lines[1][:3])
		t.owner().get(chargeback+"/nothing/csv").requireRefusal(404, "not_found_error", "CHARGEBACK_NOT_FOUND")
	},
	"admin.chargeback.delete": func(t *T) {
		report, _ := t.createChargeback()
		path := chargeback + "/" + t.id(report)
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.owner().get(path).requireRefusal(404, "not_found_error", "CHARGEBACK_NOT_FOUND")
	},
	"chargeback.fields": func(t *T) {
		report, tenant := t.createChargeback()
		o := t.owner().get(chargeback + "/" + t.id(report)).is(200).object()
		assert.Equal(t, tenant, o["tenant_id"])
		t.text(o, "generated_by")
		t.time(o, "generated_at")
		t.time(o, "from")
		t.time(o, "to")
		sections, _ := o["sections"].(m)
		for _, name := range []string{"tenantSummary", "apiKeySummary", "modelSummary", "providerSummary", "dailyBreakdown"} {
			assert.NotEmpty(t, sections[name], name)
			assert.IsType(t, []any{}, sections[name], name)
		}
		assert.IsType(t, []any{}, sections["anomalies"])
		forecast, _ := sections["forecast"].(m)
		assert.IsType(t, []any{}, forecast["trailing7d"])
		assert.IsType(t, []any{}, forecast["trailing30d"])
		whole := t.owner().post(chargeback, m{"from": firstDay, "to": lastDay}).is(201).object()
		t.fields(whole, "tenant_id")
		assert.Nil(t, whole["tenant_id"], "null means all")
	},
	"unlicensed.chargeback": func(t *T) {
		t = t.useVariant(unlicensed)
		t.owner().post(chargeback, m{"from": firstDay, "to": lastDay}).requireRefusal(400, "", "CHARGEBACK_NOT_AVAILABLE")
		t.owner().get(chargeback).requireRefusal(400, "", "CHARGEBACK_NOT_AVAILABLE")
	},
	"error.chargeback_not_available": func(t *T) {
		t.useVariant(unlicensed).owner().post(chargeback, m{"from": firstDay, "to": lastDay}).requireRefusal(400, "", "CHARGEBACK_NOT_AVAILABLE")
	},
	"error.chargeback_not_found": func(t *T) {
		t.owner().get(chargeback+"/"+t.name("none")).requireRefusal(404, "not_found_error", "CHARGEBACK_NOT_FOUND")
	},
}

var reportRows = rows{
	"admin.reports.create": func(t *T) {
		for _, kind := range []string{"SOC2", "HIPAA", "GDPR"} {
			assert.Equal(t, kind, t.createReport(kind, "")["type"])
		}
		t.owner().post(reports, m{"type": "ISO", "from": firstDay, "to": lastDay}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(reports, m{"from": firstDay, "to": lastDay}).requireRefusal(400, "invalid_request_error", "")
		t.owner().post(reports, m{"type": "SOC2", "from": firstDay}).requireRefusal(400, "invalid_request_error", "")
		t.useVariant(
			unlicensed,
		).owner().post(
			reports,
			m{"type": "SOC2", "from": firstDay, "to": lastDay},
		).requireRefusal(
			400,
			"invalid_request_error",
			"compliance_not_available",
		)
	},
	"admin.reports.list": func(t *T) {
		tenant := t.tenant()
		id := t.id(t.createReport("SOC2", tenant))
		l := t.owner().get(reports + "?tenant_id=" + tenant).is(200).list()
		require.Len(t, l, 1)
		t.requireRecord(l, "id", id)
		assert.NotContains(t, l[0], "sections")
	},
	"admin.reports.get": func(t *T) {
		made := t.createReport("HIPAA", t.tenant())
		o := t.owner().get(reports + "/" + t.id(made)).is(200).object()
		t.requireSame(made, o, "id", "type", "tenant_id", "generated_at", "sections")
		t.owner().get(reports+"/nothing").requireRefusal(404, "not_found_error", "report_not_found")
	},
	"admin.reports.pdf": func(t *T) {
		for kind, name := range map[string]string{"SOC2": "soc2", "GDPR": "gdpr"} {
			tenant := t.tenant()
			id := t.id(t.createReport(kind, tenant))
			for range 2 { // rendered, and then stored or rendered again
				pdf := t.owner().get(reports+"/"+id+"/pdf").requireFile("application/pdf", name+"-report-"+id+".pdf")
				assert.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
				if text, ok := t.readPDF(pdf); ok {
					assert.Contains(t, text, id, "another report")
					assert.Contains(t, text, tenant, "the report of another tenant")
				}
			}
		}
		t.owner().get(reports+"/nothing/pdf").requireRefusal(404, "not_found_error", "report_not_found")
	},
	"admin.reports.delete": func(t *T) {
		path := reports + "/" + t.id(t.createReport("SOC2", ""))
		assert.Empty(t, t.owner().delete(path).is(204).body)
		t.owner().get(path).requireRefusal(404, "not_found_error", "report_not_found")
		t.owner().delete(path).requireRefusal(404, "not_found_error", "report_not_found")
	},
	"report.fields": func(t *T) {
		tenant := t.tenant()
		c := t.caller(tenant)
		c.chat("mock-echo", "hello")
		t.eventually("the exchange is in the chain", func() bool { return len(t.events(tenant, "GATEWAY_RESPONSE")) > 0 })
		o := t.owner().get(reports + "/" + t.id(t.createReport("SOC2", tenant))).is(200).object()
		assert.Equal(t, tenant, o["tenant_id"])
		t.text(o, "generated_by")
		t.time(o, "generated_at")
		t.time(o, "from")
		t.time(o, "to")
		sections, _ := o["sections"].(m)
		for section, counts := range map[string][]string{
			"auditChainIntegrity": {"verifiedCount"}, "accessControlSummary": {"authSuccessCount", "authFailureCount"},
			"policyEnforcementSummary": {"policyDeniedCount"},
		} {
			s, _ := sections[section].(m)
			for _, count := range counts {
				t.number(s, count)
			}
		}
		assert.Equal(t, true, sections["auditChainIntegrity"].(m)["valid"])
		assert.IsType(t, []any{}, sections["tokenUsageSummary"])
		byType, _ := sections["eventCountByType"].(m)
		assert.GreaterOrEqual(t, t.number(byType, "GATEWAY_RESPONSE"), 1.0)
		whole := t.createReport("GDPR", "")
		t.fields(whole, "tenant_id")
		assert.Nil(t, whole["tenant_id"], "null means all")
	},
	"report.list_entry": func(t *T) {
		made := t.createReport("SOC2", "")
		l := t.owner().get(reports).is(200).list()
		t.requireSame(made, t.requireRecord(l, "id", t.id(made)), "type", "tenant_id", "from", "to", "generated_at", "generated_by")
		for _, v := range l {
			assert.NotContains(t, v, "sections")
			t.fields(v.(m), "id", "type", "tenant_id", "from", "to", "generated_at", "generated_by")
		}
	},
	"unlicensed.reports": func(t *T) {
		t = t.useVariant(unlicensed)
		t.owner().get(reports).requireRefusal(400, "invalid_request_error", "compliance_not_available")
		t.owner().post(
			reports,
			m{"type": "SOC2", "from": firstDay, "to": lastDay},
		).requireRefusal(
			400,
			"invalid_request_error",
			"compliance_not_available",
		)
	},
	"error.compliance_not_available": func(t *T) {
		t.useVariant(
			unlicensed,
		).owner().post(
			reports,
			m{"type": "GDPR", "from": firstDay, "to": lastDay},
		).requireRefusal(
			400,
			"invalid_request_error",
			"compliance_not_available",
		)
	},
	"error.report_not_found": func(t *T) {
		t.owner().get(reports+"/"+t.name("none")).requireRefusal(404, "not_found_error", "report_not_found")
	},
}
