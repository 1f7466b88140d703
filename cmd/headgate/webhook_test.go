package main_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

const hookSecret = "hook-secret-of-the-tests-0123456789"

// guardOverHTTP is a receiver that finds project names, blocks texts with FORBIDDEN and remembers the texts that it
// received.
type guardOverHTTP struct {
	*httptest.Server
	fails atomic.Bool
	mu    sync.Mutex
	texts []string
}

func newGuardOverHTTP(t *testing.T) *guardOverHTTP {
	g := new(guardOverHTTP)
	g.Server = httptest.NewServer(webhook.Handler(&webhook.Verifier{Secrets: []string{hookSecret}}, g.judge))
	t.Cleanup(g.Close)
	return g
}

func (g *guardOverHTTP) judge(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := &webhook.Verdict{Action: webhook.Pass}
	if g.fails.Load() {
		v.Action = "no action at all"
	}
	for i, s := range r.Segments {
		g.texts = append(g.texts, s.Text)
		if strings.Contains(s.Text, "FORBIDDEN") {
			return &webhook.Verdict{Action: webhook.Block, Message: "Not about this."}, nil
		}
		if at := strings.Index(s.Text, "PROJECT-APOLLO"); at >= 0 {
			v.Action = webhook.Redact
			v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at, End: at + len("PROJECT-APOLLO"), Label: "project"})
		}
	}
	return v, nil
}

func (g *guardOverHTTP) joinTexts() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Join(g.texts, "\n")
}

// seal runs the command with a password.
func (s *site) seal(secret string) string {
	s.t.Helper()
	cmd := exec.Command(verbs, "webhook", "seal")
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(secret+"\n")
	out, err := cmd.Output()
	require.NoError(s.t, err)
	return strings.TrimSpace(string(out))
}

func TestAWebhookGuardsWhatThePIIStageLeaves(t *testing.T) {
	t.Parallel()
	s, up, guard := newSite(t), newUpstream(t), newGuardOverHTTP(t)
	s.env = append(s.env, passwordVar+"correct horse battery staple")
	sealed := s.seal(hookSecret)
	assert.NotContains(t, sealed, hookSecret)
	link := "  - {webhook: \"" + guard.URL + "/check?token=" + canary + "\", name: projects, secret_sealed: " + sealed + ", allow_private: true, fail_mode: CLOSED}\n"
	s.configure(up.URL, "  - stage: pii\n"+link)
	f := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)

	a := c.chat(t, "gpt-4o", "card "+card+" of PROJECT-APOLLO")
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "card "+card+" of PROJECT-APOLLO", a.content(), "the caller's own values come back, whoever took them out")
	assert.NotContains(t, up.last(), card)
	assert.NotContains(t, up.last(), "APOLLO")
	assert.Contains(t, up.last(), "{{PII_PROJECT_")
	assert.Contains(t, guard.joinTexts(), "{{PII_CREDIT_CARD_")
	assert.NotContains(t, guard.joinTexts(), card, "links after pii see no personal data, in requests and answers")

	a = c.chat(t, "gpt-4o", "FORBIDDEN")
	assert.Equal(t, 400, a.status)
	assert.Equal(t, "content_filter", a.code())
	assert.Contains(t, a.body, "Not about this.")

	close(up.goOn) // lets streams finish
	body, err := json.Marshal(
		map[string]any{"model": "gpt-4o", "stream": true, "messages": []any{map[string]any{"role": "user", "content": "tell me"}}},
	)
	require.NoError(t, err)
	a, err = c.do("POST", "/v1/chat/completions", body)
	require.NoError(t, err)
	assert.Contains(t, a.body, "second half")
	assert.Contains(t, guard.joinTexts(), "first half, second half", "an answer is checked in windows, not in chunks")

	guard.fails.Store(true)
	a = c.chat(t, "gpt-4o", "hello")
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "guard_unavailable", a.code())
	assert.Positive(t, g.metric("headgate_verdicts_total", `link="projects"`))

	// The chain in force stays if a new one would leak.
	s.configure(up.URL, link+"  - stage: pii\n")
	eventually(t, "the order is refused", func() bool { return g.status().warned("refused", "WEBHOOK_BEFORE_PII", "gateway.yaml:13") })
	assert.Equal(t, []string{"pii", "projects"}, g.status().links())
	f = s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "WEBHOOK_BEFORE_PII")

	// Fail mode OPEN on the same link: a failure is an empty result.
	s.configure(up.URL, "  - stage: pii\n"+strings.Replace(link, "CLOSED", "OPEN", 1))
	eventually(t, "the new chain is in force", func() bool { a, err := c.try("gpt-4o", "hello"); return err == nil && a.status == 200 })

	// In shadow mode it would block, which is logged, and changes nothing.
	guard.fails.Store(false)
	s.configure(up.URL, "  - stage: pii\n"+strings.Replace(link, "fail_mode: CLOSED", "mode: shadow, allow_raw: true", 1))
	eventually(t, "the guard is in shadow", func() bool { a, err := c.try("gpt-4o", "FORBIDDEN"); return err == nil && a.status == 200 })
	eventually(t, "its verdict is logged", func() bool { return g.findLogLine("a webhook in shadow was asked")["action"] == "block" })
	g.stop()
	for _, hidden := range []string{hookSecret, canary, card, sealed} {
		assert.NotContains(t, g.out.String()+g.errs.String(), hidden)
	}
}

func TestASealedSecretNeedsItsPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	plain := s.env
	s.env = append(plain[:len(plain):len(plain)], passwordVar+"one")
	sealed := s.seal(hookSecret)
	s.configure("", "  - stage: pii\n  - {webhook: \"https://guard.example.com\", secret_sealed: "+sealed+"}\n")
	f := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	for password, says := range map[string]string{"two": "another password", "": "HEADGATE_ENCRYPTION_MASTER_PASSWORD is not set"} {
		s.env = append(plain[:len(plain):len(plain)], passwordVar+password)
		f := s.run("validate", "--config", "gateway.yaml")
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, `chain link "webhook": secret_sealed: `)
		assert.Contains(t, f.err, says)
	}
	f = s.run("webhook", "seal")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "fewer than 16")
}
