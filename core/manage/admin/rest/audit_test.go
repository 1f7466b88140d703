package rest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	licence "github.com/headgate-dev/headgate/core/records/license"
)

// record writes an event.
func (a *api) record(tenant, kind, payload string) {
	a.t.Helper()
	require.NoError(a.t, a.log.Append(a.t.Context(), audit.Event{Tenant: tenant, Type: kind, Payload: []byte(payload)}))
	require.NoError(a.t, a.log.Sync(a.t.Context()))
}

func TestAuditEventsAreListedNewestFirstWithFilters(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		began := time.Now().UTC()
		for i := range 6 {
			a.record(
				[]string{"t1", "t2"}[i%2],
				[]string{"GATEWAY_REQUEST", "GATEWAY_RESPONSE", "AUTH_FAILURE"}[i%3],
				fmt.Sprintf(`{"request_id":"%d"}`, i),
			)
		}
		const path = "/admin/v1/audit/events"
		all := a.do("GET", path, nil).is(200)
		assert.Equal(t, 7, all.len(), "the six events and the start of the chain")
		assert.Equal(t, "5", all.str(0, "payload", "request_id"))
		assert.Equal(t, "CHAIN_OPENED", all.str(6, "eventType"))
		assert.Nil(t, all.field(6, "tenantId"))
		for _, f := range []string{"eventId", "timestamp", "tenantId", "eventType", "payload"} {
			all.field(0, f)
		}
		assert.Equal(t, 3, a.do("GET", path+"?tenant_id=t1", nil).is(200).len())
		assert.Equal(t, 2, a.do("GET", path+"?event_type=GATEWAY_REQUEST", nil).is(200).len())
		assert.Equal(t, 1, a.do("GET", path+"?event_type=GATEWAY_REQUEST&tenant_id=t1", nil).is(200).len())
		assert.Equal(t, "[]", strings.TrimSpace(a.do("GET", path+"?from="+began.Add(time.Hour).Format(time.RFC3339), nil).is(200).text))
		assert.Equal(
			t,
			7,
			a.do(
				"GET",
				path+"?from="+began.Add(-time.Hour).Format(time.RFC3339)+"&to="+began.Add(time.Hour).Format(time.RFC3339),
				nil,
			).is(
				200,
			).len(),
		)

		var paged []string
		next := path + "?limit=3"
		for pages := 0; next != ""; pages++ {
			r := a.do("GET", next, nil).is(200)
			for i := range r.len() {
				paged = append(paged, r.str(i, "eventId"))
			}
			next = r.readNextPath()
			require.Less(t, pages, 5)
		}
		require.Len(t, paged, 7)
		for i, id := range paged {
			assert.Equal(t, all.str(i, "eventId"), id)
		}
		a.do("GET", path+"?limit=3&cursor=xx", nil).requireRefusal(400, "invalid_value")
		a.sendAs("viewer@t1", "GET", path, nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("viewer@t1", "GET", path+"?tenant_id=t2", nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("billing-admin", "GET", path, nil).requireRefusal(403, "FORBIDDEN")
		a.sendAs("policy-admin", "GET", path, nil).is(200)
	})
}

func TestAnUnreadableDateIsRefusedOnListsAndExportsAlike(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for _, path := range []string{"/admin/v1/audit/events", "/admin/v1/audit/events/export", "/admin/v1/audit/events/export/json"} {
			for _, field := range []string{"from", "to"} {
				for _, text := range []string{"yesterday", "2026-13-01", "01.02.2026", "2026-01-01T00:00:00", "0000-00-00", "1e3"} {
					r := a.do("GET", path+"?"+field+"="+text, nil)
					says := r.requireRefusal(400, "invalid_value")
					assert.Contains(t, says, field+":", path)
					assert.Equal(t, field, r.str("error", "param"))
					assert.NotContains(t, says, text)
				}
				a.do("GET", path+"?"+field+"=2026-01-31", nil).is(200)
			}
		}
	})
}

func TestAuditEventsAreExportedAsCSVAndJSON(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.record("=t1", "GATEWAY_REQUEST", `{"model":"a \"b\", c"}`)
		r := a.do("GET", "/admin/v1/audit/events/export?event_type=GATEWAY_REQUEST", nil).is(200)
		assert.Equal(t, "text/csv", r.header.Get("Content-Type"))
		assert.Equal(t, `attachment; filename="audit-events.csv"`, r.header.Get("Content-Disposition"))
		rows, err := csv.NewReader(strings.NewReader(r.text)).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 2)
		assert.Equal(t, []string{"event_id", "timestamp", "tenant_id", "event_type", "payload"}, rows[0])
		assert.Equal(t, []string{"'=t1", "GATEWAY_REQUEST", `{"model":"a \"b\", c"}`}, rows[1][2:])

		r = a.do("GET", "/admin/v1/audit/events/export/json", nil).is(200)
		assert.Equal(t, "application/json", r.header.Get("Content-Type"))
		assert.Equal(t, `attachment; filename="audit-events.json"`, r.header.Get("Content-Disposition"))
		var list []map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.text), &list))
		assert.GreaterOrEqual(t, len(list), 2)
		rep, err := audit.VerifyExport(strings.NewReader(r.text), nil, a.auditKey)
		require.NoError(t, err)
		assert.True(t, rep.Valid())
		assert.Contains(t, a.events(""), "CONFIG_CHANGED", "the export is audited")
	})
}

func TestTheChainsAreVerifiedByTheAPI(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.record("t1", "GATEWAY_REQUEST", `{}`)
		r := a.do("GET", "/admin/v1/audit/verify", nil).is(200)
		assert.Equal(t, true, r.field("valid"))
		assert.Equal(t, 1, r.len("chains"))
		assert.Len(t, r.str("public_key"), 44)
		assert.Len(t, r.str("chains", 0, "head"), 64)
		a.sendAs("developer@t1", "GET", "/admin/v1/audit/verify", nil).requireRefusal(403, "FORBIDDEN")
	})
}

func TestAReportCountsWhatTheChainsHold(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		day := time.Now().UTC()
		body := map[string]any{
			"type": "SOC2",
			"from": day.AddDate(0, 0, -1).Format(time.DateOnly),
			"to":   day.AddDate(0, 0, 2).Format(time.DateOnly),
		}
		assert.Contains(t, a.do("POST", "/admin/v1/reports", body).requireRefusal(400, "compliance_not_available"), "licence")
		a.license.features = map[string]bool{licence.Reports: true}
		for range 3 {
			a.record("t1", audit.GatewayRequest, `{}`)
		}
		a.record("t1", audit.AuthFailure, `{}`)
		a.record("t2", audit.PolicyDecision, `{"decision":"DENIED","rules":[{"rule":"no-secrets","phase":"request"}]}`)
		a.record("t2", audit.PolicyDecision, `{"decision":"ALLOWED","rules":[{"rule":"flag","phase":"request"}]}`)
		a.record("t2", audit.PIIRedacted, `{"types":{"EMAIL":2},"total":2}`)

		r := a.do("POST", "/admin/v1/reports", body).is(201)
		id := r.str("id")
		assert.Equal(t, "/admin/v1/reports/"+id, r.header.Get("Location"))
		assert.Nil(t, r.field("tenant_id"))
		assert.Equal(t, "user:owner", r.str("generated_by"))
		assert.Equal(t, true, r.field("sections", "auditChainIntegrity", "valid"))
		assert.Equal(t, json.Number("8"), r.field("sections", "auditChainIntegrity", "verifiedCount"))
		assert.Equal(t, json.Number("3"), r.field("sections", "accessControlSummary", "authSuccessCount"))
		assert.Equal(t, json.Number("1"), r.field("sections", "accessControlSummary", "authFailureCount"))
		assert.Equal(t, json.Number("1"), r.field("sections", "policyEnforcementSummary", "policyDeniedCount"))
		assert.Equal(t, json.Number("2"), r.field("sections", "eventCountByType", "POLICY_DECISION"))
		assert.Equal(t, 0, r.len("sections", "tokenUsageSummary"))

		body["tenant_id"] = "t2"
		own := a.do("POST", "/admin/v1/reports", body).is(201)
		assert.Equal(t, "t2", own.str("tenant_id"))
		assert.Equal(t, json.Number("0"), own.field("sections", "accessControlSummary", "authFailureCount"))
		assert.Equal(t, json.Number("1"), own.field("sections", "policyEnforcementSummary", "policyDeniedCount"))

		list := a.do("GET", "/admin/v1/reports", nil).is(200)
		assert.Equal(t, "list", list.str("object"))
		assert.Equal(t, 2, list.len("data"))
		assert.NotContains(t, list.text, "sections")
		assert.Equal(t, 1, a.do("GET", "/admin/v1/reports?tenant_id=t2", nil).is(200).len("data"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/reports?limit=1", nil).is(200).len("data"))
		assert.Equal(t, r.field("sections"), a.do("GET", "/admin/v1/reports/"+id, nil).is(200).field("sections"))

		for range 2 { // rendered, and then stored
			pdf := a.do("GET", "/admin/v1/reports/"+id+"/pdf", nil).is(200)
			assert.Equal(t, "application/pdf", pdf.header.Get("Content-Type"))
			assert.Equal(t, `attachment; filename="soc2-report-`+id+`.pdf"`, pdf.header.Get("Content-Disposition"))
			assert.True(t, strings.HasPrefix(pdf.text, "%PDF-"))
		}
		kept, err := a.db.ComplianceReports().GetPDF(t.Context(), id)
		require.NoError(t, err)
		assert.NotEmpty(t, kept)
		require.NoError(t, a.db.ComplianceReports().SavePDF(t.Context(), id, nil))
		again := a.do("GET", "/admin/v1/reports/"+id+"/pdf", nil).is(200)
		assert.Equal(t, string(kept), again.text, "rendered again if it is not stored")

		a.license.features = nil
		for _, p := range []string{"", "/" + id, "/" + id + "/pdf", "/none"} {
			a.do("GET", "/admin/v1/reports"+p, nil).requireRefusal(400, "compliance_not_available")
		}
		a.do("DELETE", "/admin/v1/reports/"+id, nil).requireRefusal(400, "compliance_not_available")
		a.license.features = map[string]bool{licence.Reports: true}

		a.sendAs("billing-admin", "GET", "/admin/v1/reports", nil).requireRefusal(403, "FORBIDDEN")
		a.do("DELETE", "/admin/v1/reports/"+id, nil).is(204)
		for _, p := range []string{"", "/pdf"} {
			a.do("GET", "/admin/v1/reports/"+id+p, nil).requireRefusal(404, "report_not_found")
		}
		a.do("DELETE", "/admin/v1/reports/"+id, nil).requireRefusal(404, "report_not_found")
	})
}

func TestWhatIsWrongWithAReportsRequestIsNamed(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{licence.Reports: true}
		for name, c := range map[string]struct{ body, code, says string }{
			"no type":      {`{"from":"2026-01-01","to":"2026-02-01"}`, "missing_required_field", "type"},
			"another type": {`{"type":"ISO","from":"2026-01-01","to":"2026-02-01"}`, "invalid_value", "type"},
			"no from":      {`{"type":"SOC2","to":"2026-02-01"}`, "missing_required_field", "from"},
			"no to":        {`{"type":"SOC2","from":"2026-02-01"}`, "missing_required_field", "to"},
			"a bad date":   {`{"type":"GDPR","from":"January","to":"2026-02-01"}`, "invalid_value", "from"},
			"backwards":    {`{"type":"HIPAA","from":"2026-02-01","to":"2026-01-01"}`, "invalid_value", "to"},
			"more":         {`{"type":"HIPAA","from":"2026-01-01","to":"2026-02-01","x":1}`, "invalid_value", "x"},
		} {
			r := a.do("POST", "/admin/v1/reports", c.body)
			require.Equal(t, 400, r.status, "%s: %s", name, r.text)
			assert.Contains(t, r.str("error", "message"), c.says, name)
		}
	})
}

func TestOnlyAnOwnerSetsTheLicence(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/license"
		require.NoError(t, a.keeper.Refresh(t.Context()))
		r := a.do("GET", path, nil).is(200)
		assert.Equal(t, "DEVELOPMENT", r.str("posture"))
		assert.Equal(t, "NONE", r.str("status"))
		assert.Equal(t, json.Number("3"), r.field("tenants", "limit"))
		assert.Equal(t, json.Number("100000"), r.field("governedCalls", "limit"))
		file, err := licence.Sign(licence.License{
			ID: "l1", Licensee: "Acme", Type: licence.Trial, IssuedAt: start, ExpiresAt: start.AddDate(0, 0, 60),
		}, a.signer)
		require.NoError(t, err)
		for _, role := range []string{"policy-admin", "billing-admin", "admin@t1", "viewer@t1"} {
			a.sendAs(role, "PUT", path, map[string]any{"license": string(file)}).requireRefusal(403, "FORBIDDEN")
			own := a.sendAs(role, "GET", path, nil).is(200)
			assert.Equal(t, "NONE", own.str("status"))
			assert.Equal(t, !strings.Contains(role, "@"), strings.Contains(own.text, "tenants"), "%s sees the number of tenants", role)
			assert.Equal(t, !strings.Contains(role, "@"), strings.Contains(own.text, "governedCalls"), role)
		}
		a.do("PUT", path, map[string]any{"license": "nonsense"}).requireRefusal(400, "invalid_value")
		changed := strings.Replace(string(file), "Acme", "Acne", 1)
		assert.Contains(t, a.do("PUT", path, map[string]any{"license": changed}).requireRefusal(400, "invalid_value"), "does not match")
		r = a.do("PUT", path, map[string]any{"license": string(file)}).is(200)
		assert.Equal(t, "PRODUCTION", r.str("posture"))
		assert.Equal(t, "VALID", r.str("status"))
		assert.Equal(t, "Acme", r.str("licensee"))
		assert.Equal(t, "TRIAL", r.str("type"))
		assert.Nil(t, r.field("tenants", "limit"))
		assert.Nil(t, r.field("governedCalls", "limit"))
		a.record("t1", audit.GatewayRequest, `{}`)
		assert.Equal(t, 6, a.do("GET", path, nil).is(200).len("features"))
		a.do("DELETE", path, nil).is(http.StatusNoContent)
		assert.Equal(t, "NONE", a.do("GET", path, nil).is(200).str("status"))
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")
	})
}

func TestEachTransitionOfTheLicenceIsToldOnce(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		require.NoError(t, a.keeper.Refresh(t.Context()))
		other := &admin.LicenseKeeper{Store: a.db, Audit: a.log, Keys: a.keeper.Keys, Now: a.keeper.Now} // of another node, or after a restart
		file, err := licence.Sign(licence.License{
			ID: "l1", Licensee: "Acme", Type: licence.Production, IssuedAt: start, ExpiresAt: start.AddDate(0, 0, 60),
		}, a.signer)
		require.NoError(t, err)
		a.do("PUT", "/admin/v1/license", map[string]any{"license": string(file)}).is(200)
		told := func() (out []string) {
			r := a.do("GET", "/admin/v1/audit/events?event_type=LICENSE_TRANSITION", nil).is(200)
			for i := range r.len() {
				out = append(out, r.str(i, "payload", "to"))
			}
			return out
		}
		assert.Equal(t, []string{"VALID"}, told())
		for _, c := range []struct {
			days int
			want string
		}{{29, "VALID"}, {30, "EXPIRING_SOON"}, {59, "EXPIRING_SOON"}, {60, "GRACE_PERIOD"}, {73, "GRACE_PERIOD"}, {74, "DEGRADED"}, {900, "DEGRADED"}} {
			a.now.Store(start.AddDate(0, 0, c.days).UnixMicro())
			require.NoError(t, a.keeper.Refresh(t.Context()))
			require.NoError(t, other.Refresh(t.Context()))
			require.NoError(t, other.Refresh(t.Context()))
			state, _ := other.State()
			assert.Equal(t, c.want, string(state), "day %d", c.days)
			assert.Equal(t, c.want, told()[0])
			assert.Equal(t, c.want != "DEGRADED", other.IsLicensed(licence.Chargeback))
			assert.Equal(t, c.want != "DEGRADED", a.keeper.AllowsMoreTenants(3))
		}
		assert.Equal(t, []string{"DEGRADED", "GRACE_PERIOD", "EXPIRING_SOON", "VALID"}, told())
		a.now.Store(start.UnixMicro()) // the clock is set back
		for _, k := range []*admin.LicenseKeeper{a.keeper, other} {
			require.NoError(t, k.Refresh(t.Context()))
			state, _ := k.State()
			assert.Equal(t, licence.Degraded, state, "setting the clock back does not revive the licence")
		}
		assert.Len(t, told(), 4)
		require.True(t, a.keeper.AllowsMoreTenants(2), "three tenants are free")

		renewed, err := licence.Sign(licence.License{
			ID: "l2", Licensee: "Acme", Type: licence.Production, IssuedAt: start, ExpiresAt: start.AddDate(1, 0, 0),
		}, a.signer)
		require.NoError(t, err)
		assert.Equal(t, "VALID", a.do("PUT", "/admin/v1/license", map[string]any{"license": string(renewed)}).is(200).str("status"))
		assert.Len(t, told(), 5)
	})
}

func TestAClockThatRanAheadEndsNoLicence(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		file, err := licence.Sign(licence.License{
			ID: "l1", Licensee: "Acme", Type: licence.Production, IssuedAt: start, ExpiresAt: start.AddDate(0, 0, 60),
		}, a.signer)
		require.NoError(t, err)
		now, settled := start, start
		k := &admin.LicenseKeeper{
			Store: a.db, Audit: a.log, Keys: a.keeper.Keys, File: file,
			Now: func() time.Time { return now }, Settled: func() time.Time { return settled },
		}
		check := func(want licence.State) {
			t.Helper()
			require.NoError(t, k.Refresh(t.Context()))
			state, _ := k.State()
			assert.Equal(t, want, state)
		}
		check(licence.Valid)
		now = start.AddDate(4, 0, 0)
		check(licence.Degraded)
		now = start.Add(time.Hour)
		check(licence.Valid)
		now, settled = start.AddDate(4, 0, 0), start.AddDate(4, 0, 0) // the state has not changed
		check(licence.Degraded)
		now, settled = start, start
		check(licence.Degraded)
		if k.File, err = licence.Sign(licence.License{
			ID: "l2", Licensee: "Acme", Type: licence.Production, IssuedAt: start, ExpiresAt: start.AddDate(0, 0, 90),
		}, a.signer); err != nil {
			t.Fatal(err)
		}
		check(licence.Valid)
		check(licence.Valid)
		now = start.AddDate(0, 0, 80)
		settled = now
		check(licence.ExpiringSoon)
		now, settled = start, start
		check(licence.ExpiringSoon)
	})
}

func TestAReportSaysOnEachPageThatTheLicenceHasExpired(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.license.features = map[string]bool{licence.Reports: true}
		id := a.do("POST", "/admin/v1/reports", `{"type":"GDPR","from":"2026-01-01","to":"2026-02-01"}`).is(201).str("id")
		fine := a.do("GET", "/admin/v1/reports/"+id+"/pdf", nil).is(200).text
		file, err := licence.Sign(licence.License{
			ID: "l1", Licensee: "Acme", Type: licence.Production, IssuedAt: start.AddDate(-1, 0, 0), ExpiresAt: start.AddDate(0, 0, -15),
		}, a.signer)
		require.NoError(t, err)
		a.do("PUT", "/admin/v1/license", map[string]any{"license": string(file)}).is(200)
		expired := a.do("GET", "/admin/v1/reports/"+id+"/pdf", nil).is(200)
		assert.NotEqual(t, fine, expired.text)
		assert.Contains(t, expired.header.Get("Content-Disposition"), "gdpr-report-"+id+".pdf")
		kept, err := a.db.ComplianceReports().GetPDF(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, fine, string(kept), "a report with the notice is not stored")
	})
}
