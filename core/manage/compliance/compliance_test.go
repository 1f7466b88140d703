package compliance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/compliance"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

var key = []byte(strings.Repeat("k", 32))

func TestEachTypeHasControlsWhoseEvidenceExists(t *testing.T) {
	types := map[string]bool{}
	for _, e := range audit.ListTypes() {
		types[e.Name] = true
	}
	for _, kind := range compliance.ListTypes() {
		list, source, err := compliance.ListControls(kind)
		require.NoError(t, err)
		assert.NotEmpty(t, source)
		assert.GreaterOrEqual(t, len(list), 6)
		for _, c := range list {
			assert.NotEmpty(t, c.Title)
			require.NotEmpty(t, c.Evidence, c.ID)
			for _, e := range c.Evidence {
				assert.True(t, types[e], "%s %s: there is no event %s", kind, c.ID, e)
			}
		}
	}
}

// makePaper creates a database with the traffic of two nodes, and generates a report of it.
func makePaper(t testing.TB) compliance.Paper {
	ctx := context.Background()
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"), store.WithClock(func() time.Time { return now }))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(ctx)) }()
	for n, node := range []string{"edge-1", "edge-2"} {
		w := store.NewWriter(db, store.WriterOptions{})
		log, _, err := audit.Open(ctx, db, w, key, audit.WithNode(node))
		require.NoError(t, err)
		add := func(tenant, kind, payload string) {
			now = now.Add(7 * time.Second)
			require.NoError(t, log.Append(ctx, audit.Event{Tenant: tenant, Type: kind, Payload: []byte(payload)}))
		}
		for i := range 400 {
			tenant := []string{"research", "sales", "support"}[i%3]
			id := fmt.Sprintf("%d-%d", n, i)
			add(tenant, audit.GatewayRequest, `{"request_id":"`+id+`"}`)
			add(tenant, audit.GatewayResponse, `{"request_id":"`+id+`","status":200}`)
			model := []string{"gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash"}[i%3]
			require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{
				ExchangeID: id, Tenant: tenant, KeyID: "k", Provider: []string{"openai", "anthropic", "gemini"}[i%3], Model: model,
				Outcome: "served", Status: 200, Input: 800 + int64(i), Output: 200, Counted: true, At: now,
			}))
			switch {
			case i%9 == 0:
				add(tenant, audit.PIIRedacted, `{"types":{"EMAIL":2,"CREDIT_CARD":1},"total":3}`)
			case i%40 == 0:
				add(tenant, audit.PolicyDecision, `{"decision":"DENIED","rules":[{"rule":"no-secrets","phase":"request"}]}`)
			case i%23 == 0:
				add("", audit.AuthFailure, `{"status":401}`)
			case i%61 == 0:
				add("", audit.ConfigChanged, `{"actor":"user:ann","action":"update","resource":"route","id":"r1"}`)
			}
		}
		require.NoError(t, log.Close(ctx))
		require.NoError(t, w.Close(ctx))
	}
	p := compliance.Paper{
		ID:          "k3vqx7mz2hj4n6ta",
		Type:        compliance.SOC2,
		GeneratedAt: time.Date(2026, 12, 1, 8, 30, 0, 0, time.UTC),
		GeneratedBy: "user:ann",
		Version:     "0.9.0",
		Scope:       compliance.Scope{From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
	}
	p.Sections, p.Proof, err = compliance.Generate(ctx, db, key, p.Scope)
	require.NoError(t, err)
	return p
}

func TestAReportIsOfRealCounts(t *testing.T) {
	p := makePaper(t)
	s := p.Sections
	assert.True(t, s.Integrity.Valid)
	require.Len(t, p.Proof.Chains, 2)
	assert.Equal(t, p.Proof.Chains[0].Records+p.Proof.Chains[1].Records, s.Integrity.Verified)
	assert.EqualValues(t, 800, s.Access.Success)
	assert.Equal(t, s.Events[audit.AuthFailure], s.Access.Failure)
	assert.Positive(t, s.Policy.Denied)
	assert.Equal(t, s.Policy.Denied, p.Proof.Denied["no-secrets"])
	assert.Equal(t, 2*s.Events[audit.PIIRedacted], p.Proof.Redacted["EMAIL"])
	require.Len(t, s.Tokens, 3)
	var requests int64
	for _, u := range s.Tokens {
		requests += u.Requests
		assert.Equal(t, u.Input+u.Output, u.Total)
	}
	assert.EqualValues(t, 800, requests)
	b, err := json.Marshal(s)
	require.NoError(t, err)
	for _, name := range []string{
		`"auditChainIntegrity":{"valid":true,"verifiedCount":`, `"accessControlSummary":{"authSuccessCount":800,"authFailureCount":`,
		`"policyEnforcementSummary":{"policyDeniedCount":`, `"tokenUsageSummary":[{"tenantId":"research"`, `"eventCountByType":{`,
	} {
		assert.Contains(t, string(b), name)
	}
}

func TestEachTypeIsRendered(t *testing.T) {
	p := makePaper(t)
	for _, kind := range compliance.ListTypes() {
		for _, expired := range []bool{false, true} {
			p.Type, p.Expired = kind, expired
			file, err := compliance.Render(&p)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(file), "%PDF-"))
			again, err := compliance.Render(&p)
			require.NoError(t, err)
			assert.Equal(t, file, again, "the same report gives the same bytes")
			if dir := os.Getenv("HEADGATE_TEST_PAGES"); dir != "" { // for visual inspection
				require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%v.pdf", kind, expired)), file, 0o644))
			}
		}
	}
	assert.Equal(t, "soc2-report-a.pdf", compliance.FormatFileName(compliance.SOC2, "a"))
}

func TestABrokenChainIsSaidSo(t *testing.T) {
	p := makePaper(t)
	p.Sections.Integrity.Valid = false
	p.Proof.Chains[0].Valid, p.Proof.Chains[0].Broken = false, "record 7: the record's content, its place or its tag was changed"
	file, err := compliance.Render(&p)
	require.NoError(t, err)
	assert.NotEmpty(t, file)
}

func BenchmarkAdminPDF(b *testing.B) {
	p := makePaper(b)
	for i := range 2500 { // about 50 pages
		p.Sections.Tokens = append(
			p.Sections.Tokens,
			compliance.ModelTokens{TenantID: fmt.Sprint("tenant-", i), Provider: "openai", Model: "gpt-4o-mini", Requests: 1},
		)
	}
	for b.Loop() {
		_, err := compliance.Render(&p)
		require.NoError(b, err)
	}
}
