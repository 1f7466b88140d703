package rest_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// newPerson returns a person with a role of the platform.
func newPerson(name string, r auth.Role) *auth.Actor {
	return &auth.Actor{ID: "user:" + name, UserID: name, Roles: []auth.Role{r}, Via: auth.ViaSession}
}

// code returns the code of a refusal, or describes another error.
func code(err error) string {
	if err == nil {
		return ""
	}
	return core.ConvertError(err).Code
}

// atRealTime sets the clock of the API to that of the audit log.
func (a *api) atRealTime() { a.now.Store(time.Now().UnixMicro()) }

func TestAnExportOfTheConsoleWaitsForASecondPerson(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.atRealTime()
		ctx, s := t.Context(), a.mounted.Service
		ada, bob := newPerson("ada", auth.RoleOwner), newPerson("bob", auth.RolePolicyAdmin)
		for _, tenant := range []string{"t1", "t2", "t1"} {
			a.record(tenant, "GATEWAY_REQUEST", `{}`)
		}
		a.atRealTime()
		asked, err := s.AuditLog().RequestExport(
			ctx,
			ada,
			admin.ExportRequest{TenantID: "t1", EventType: "GATEWAY_REQUEST", Reason: "yearly audit"},
		)
		require.NoError(t, err)
		again, err := s.AuditLog().RequestExport(ctx, ada, admin.ExportRequest{Format: "csv", TenantID: "t1", EventType: "GATEWAY_REQUEST"})
		require.NoError(t, err)
		assert.Equal(t, asked.ID, again.ID)
		download := func(who *auth.Actor, id string) (string, error) {
			f, err := s.AuditLog().DownloadExport(ctx, who, id)
			if err != nil {
				return "", err
			}
			var b strings.Builder
			require.NoError(t, f.Write(ctx, &b))
			assert.Equal(t, "audit-events.csv", f.Name)
			return b.String(), nil
		}
		_, err = download(ada, asked.ID)
		assert.Equal(t, admin.CodeApprovalRequired, code(err))
		_, err = s.Approvals().Decide(ctx, ada, asked.ID, true, admin.Decision{})
		assert.Equal(t, "APPROVER_IS_REQUESTER", code(err))
		_, err = s.Approvals().Decide(ctx, newPerson("eve", auth.RoleBillingAdmin), asked.ID, true, admin.Decision{})
		assert.Equal(t, "FORBIDDEN", code(err))
		_, err = s.Approvals().Decide(ctx, bob, asked.ID, true, admin.Decision{Hours: 2})
		require.NoError(t, err)

		a.record("t1", "GATEWAY_REQUEST", `{"model":"behind the consent"}`)
		_, err = download(bob, asked.ID)
		assert.Equal(t, "not_found", code(err), "the person who consented has no requests")
		demoted := newPerson("ada", auth.RoleBillingAdmin)
		_, err = download(demoted, asked.ID)
		assert.Equal(t, "FORBIDDEN", code(err), "after losing the permission to read the chain")
		for range 2 {
			text, err := download(ada, asked.ID)
			require.NoError(t, err)
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			require.NoError(t, err)
			assert.Len(t, rows, 3, "the two events of t1 before the consent, and the names")
			assert.NotContains(t, text, "behind")
		}
		exports := 0
		require.NoError(t, a.db.Audit().Visit(ctx, store.AuditFilter{Tenant: "t1", Type: "CONFIG_CHANGED"}, func(r *store.AuditRecord) error {
			if strings.Contains(r.Payload, `"action":"export"`) {
				exports++
				assert.Contains(t, r.Payload, asked.ID)
				assert.Contains(t, r.Payload, "user:ada")
			}
			return nil
		}))
		assert.Equal(t, 2, exports)

		a.now.Add((2 * time.Hour).Microseconds())
		_, err = download(ada, asked.ID)
		assert.Equal(t, admin.CodeApprovalRequired, code(err))
		assert.Contains(t, core.ConvertError(err).Public, "expired")
		refused, err := s.AuditLog().RequestExport(ctx, ada, admin.ExportRequest{Format: "json"})
		require.NoError(t, err)
		_, err = s.Approvals().Decide(ctx, bob, refused.ID, false, admin.Decision{Reason: "not now"})
		require.NoError(t, err)
		_, err = download(ada, refused.ID)
		assert.Contains(t, core.ConvertError(err).Public, "denied")
		list, err := s.AuditLog().ListExports(ctx, ada)
		require.NoError(t, err)
		require.Len(t, list, 2)
		assert.Equal(t, []string{"DENIED", "EXPIRED"}, []string{list[0].Status, list[1].Status}, "newest first")
		none, err := s.AuditLog().ListExports(ctx, bob)
		require.NoError(t, err)
		assert.Empty(t, none)
	})
}

func TestOnlyAnExportIsDownloadedByAnApprovalOfOne(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		ada := newPerson("ada", auth.RoleOwner)
		asked, err := admin.NewRequest(admin.ApprovalPolicy, "t1", "r", ada.Person(), map[string]any{"rule": "r", "model": "m"})
		require.NoError(t, err)
		asked.ID, asked.ExpiresAt = "p1", a.mounted.Service.Now().Add(time.Hour)
		_, err = a.db.Approvals().AddRequest(t.Context(), asked)
		require.NoError(t, err)
		_, err = a.mounted.Service.Approvals().Decide(t.Context(), newPerson("bob", auth.RoleOwner), "p1", true, admin.Decision{})
		require.NoError(t, err)
		_, err = a.mounted.Service.AuditLog().DownloadExport(t.Context(), ada, "p1")
		assert.Equal(t, "not_found", code(err))
	})
}

func TestWhatIsWrongWithARequestForAnExportIsNamed(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		for body, says := range map[string]string{
			`{"format":"xml"}`:     "format",
			`{"from":"yesterday"}`: "from",
			`{"to":"2026-13-01"}`:  "to",
			`{"from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}`: "to",
		} {
			r := a.do("POST", "/admin/v1/approvals", body)
			r.requireRefusal(400, "invalid_value")
			assert.Equal(t, says, r.str("error", "param"), body)
		}
		_, err := a.mounted.Service.AuditLog().RequestExport(t.Context(), newPerson("ada", auth.RoleOwner), admin.ExportRequest{Format: "xml"})
		assert.Equal(t, "invalid_value", code(err))
	})
}

func TestTheAPIExportsFreelyUnlessTheInstallationGuardsIt(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.atRealTime()
		const csvPath, jsonPath = "/admin/v1/audit/events/export?event_type=GATEWAY_REQUEST", "/admin/v1/audit/events/export/json?event_type=GATEWAY_REQUEST"
		a.record("t1", "GATEWAY_REQUEST", `{}`)
		a.do("GET", csvPath, nil).is(200)
		a.guarded.Store(true)
		for _, path := range []string{csvPath, jsonPath} {
			assert.Contains(t, a.do("GET", path, nil).requireRefusal(403, "APPROVAL_REQUIRED"), "POST /admin/v1/approvals")
		}
		a.do("GET", csvPath+"&from=yesterday", nil).requireRefusal(400, "invalid_value")
		a.atRealTime()
		id := a.do("POST", "/admin/v1/approvals", `{"event_type":"GATEWAY_REQUEST","from":"2020-01-01"}`).is(201).str("id")
		a.do("GET", csvPath+"&from=2020-01-01", nil).requireRefusal(403, "APPROVAL_REQUIRED")
		a.sendAs("policy-admin", "POST", "/admin/v1/approvals/"+id+"/approve", nil).is(200)
		assert.Equal(t, 2, strings.Count(a.do("GET", csvPath+"&from=2020-01-01T00:00:00Z", nil).is(200).text, "\n"))
		a.do("GET", csvPath, nil).requireRefusal(403, "APPROVAL_REQUIRED")                                        // another period
		a.do("GET", jsonPath+"&from=2020-01-01", nil).requireRefusal(403, "APPROVAL_REQUIRED")                    // another format
		a.sendAs("policy-admin", "GET", csvPath+"&from=2020-01-01", nil).requireRefusal(403, "APPROVAL_REQUIRED") // another person
		a.now.Add((25 * time.Hour).Microseconds())
		a.do("GET", csvPath+"&from=2020-01-01", nil).requireRefusal(403, "APPROVAL_REQUIRED")
	})
}
