package clients

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// presidioConfig is a gateway whose personal data is found by an analyzer of Presidio's alone; pii restores what it redacted.
const presidioConfig = `server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers: {openai: {api_key: ` + providerKey + `, base_url: "UPSTREAM/openai", models: [gpt-4o]}}
routes: [{model_pattern: "gpt-*", providers: [{provider: openai}]}]
tenants: [{id: default, keys: [{name: dev, key: ` + gatewayKey + `, scopes: []}]}]
chain:
  - {stage: pii, config: {types: [US_SSN]}}
  - {guard: presidio, name: analyzer, timeout: 30s, allow_raw: true, allow_private: true, config: {url: "ANALYZER/analyze", labels: [LABELS]}}
`

// TestPresidiosAnalyzerRedactsAChat asks the real analyzer, with its recognizers that need no language model.
func TestPresidiosAnalyzerRedactsAChat(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	dir := filepath.Join("testdata", "python")
	server := exec.Command(installPython(ctx, t, filepath.Join(dir, "presidio.txt")), "-B", filepath.Join(dir, "presidio_server.py"))
	input, err := server.StdinPipe() // the server ends with it
	require.NoError(t, err)
	printed, err := server.StdoutPipe()
	require.NoError(t, err)
	log := new(output)
	server.Stderr = log
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		assert.NoError(t, input.Close())
		assert.NoError(t, server.Wait(), log)
	})
	port, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err, "the analyzer did not start: %s", log)
	analyzer := "http://127.0.0.1:" + strings.TrimSpace(port)

	const mail, address = "bob@example.org", "DE89370400440532013000"
	ask := func(t *testing.T, labels, model string) (status int, body string, sent string) {
		t.Helper()
		s := newScripted(t)
		base := serveWith(t, strings.NewReplacer("ANALYZER", analyzer, "LABELS", labels).Replace(presidioConfig), s.URL)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+base+"/v1/chat/completions",
			strings.NewReader(`{"model":"`+model+`","messages":[{"role":"user","content":"Ä 😀 \t`+mail+`, `+address+`, `+card+`"}]}`))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+gatewayKey)
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		answer, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, call := range s.got {
			sent += string(call.body)
		}
		return res.StatusCode, string(answer), sent
	}
	t.Run("what it finds leaves as placeholders, behind characters of several bytes", func(t *testing.T) {
		status, body, sent := ask(t, "EMAIL_ADDRESS, IBAN_CODE, CREDIT_CARD", "gpt-4o")
		require.Equal(t, http.StatusOK, status, body)
		require.Contains(t, sent, "Ä 😀 \\t")
		for _, value := range []string{mail, address, card} {
			assert.NotContains(t, sent, value)
		}
	})
	t.Run("only the labels that are named count", func(t *testing.T) {
		status, body, sent := ask(t, "EMAIL_ADDRESS", "gpt-4o")
		require.Equal(t, http.StatusOK, status, body)
		assert.NotContains(t, sent, mail)
		assert.Contains(t, sent, address)
	})
	t.Run("a label that it has no recognizer for is a failure, which blocks", func(t *testing.T) {
		status, body, sent := ask(t, "PASSPORT", "gpt-4o")
		assert.Equal(t, http.StatusServiceUnavailable, status, body)
		assert.Contains(t, body, "guard_unavailable")
		assert.Empty(t, sent)
	})
}
