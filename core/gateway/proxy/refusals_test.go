package proxy_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/audit"
)

func TestARequestIsRefusedWithAClearError(t *testing.T) {
	big := chat(strings.Repeat("a", 4096))
	for _, c := range []struct {
		name, key, body string
		header          []string
		status          int
		typ, code, says string
	}{
		{"without a key", "", chat("x"), nil, 401, "authentication_error", "UNAUTHORIZED", "gw_"},
		{"with a wrong key", "gw_0123456789012345678901234567890123456789012", chat("x"), nil, 401, "authentication_error", "UNAUTHORIZED", "not valid"},
		{"with a personal access token", "headgate_pat_0123456789", chat("x"), nil, 401, "authentication_error", "UNAUTHORIZED", "gw_"},
		{"without the scope", "models", chat("x"), nil, 403, "authorization_error", "FORBIDDEN", "completions:write"},
		{"of a suspended tenant", "suspended", chat("x"), nil, 403, "authorization_error", "TENANT_SUSPENDED", "suspended"},
		{"for a model that no provider serves", "dev", `{"model":"nope","messages":[{"role":"user","content":"x"}]}`, nil, 404, "not_found_error", "model_not_found", "/v1/models"},
		{"that is too large", "dev", big, nil, 413, "invalid_request_error", "request_too_large", "2048"},
		{"that is compressed", "dev", chat("x"), []string{"Content-Encoding", "gzip"}, 400, "invalid_request_error", "unsupported_parameter", "compressed"},
		{"without a body", "dev", "", nil, 400, "invalid_request_error", "invalid_json", ""},
		{"that is not an object", "dev", `[]`, nil, 400, "invalid_request_error", "invalid_value", "object"},
		{"that is cut off", "dev", `{"model":"gpt-test","messages":[`, nil, 400, "invalid_request_error", "invalid_json", "byte"},
		{"that is not JSON", "dev", `{"model":nope}`, nil, 400, "invalid_request_error", "invalid_json", "byte"},
		{"with data after the JSON", "dev", chat("x") + "{}", nil, 400, "invalid_request_error", "invalid_json", "byte"},
		{"with a key twice", "dev", `{"model":"gpt-test","model":"gpt-test","messages":[{"role":"user","content":"x"}]}`, nil, 400, "invalid_request_error", "duplicate_key", "twice"},
		{"with a key twice by an escape", "dev", `{"model":"gpt-test","mod\u0065l":"gpt-test","messages":[{"role":"user","content":"x"}]}`, nil, 400, "invalid_request_error", "duplicate_key", "twice"},
		{"with invalid UTF-8", "dev", "{\"model\":\"gpt-test\",\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", nil, 400, "invalid_request_error", "invalid_json", "byte"},
		{"that is nested very deeply", "dev", `{"model":"gpt-test","messages":` + strings.Repeat("[", 1500), nil, 400, "invalid_request_error", "", ""},
		{"with a wrong type", "dev", `{"model":7,"messages":[]}`, nil, 400, "invalid_request_error", "invalid_value", "model"},
		{"without a model", "dev", `{"messages":[{"role":"user","content":"x"}]}`, nil, 400, "invalid_request_error", "missing_required_parameter", "model"},
		{"without messages", "dev", `{"model":"gpt-test","messages":[]}`, nil, 400, "invalid_request_error", "invalid_value", "messages"},
		{"with two limits that differ", "dev", `{"model":"gpt-test","max_tokens":1,"max_completion_tokens":2,"messages":[{"role":"user","content":"x"}]}`, nil, 400, "invalid_request_error", "invalid_value", "max_tokens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, "application/json", "{}")))
			g := open(t, setup{url: up.url, chain: redacting(t, ""), maxBody: 2048})
			a := g.post(c.key, c.body, c.header...)
			assert.Equal(t, c.status, a.status, a.body)
			e := errorOf(t, a)
			assert.Equal(t, c.typ, e["type"])
			if c.code != "" {
				assert.Equal(t, c.code, e["code"])
			}
			assert.Contains(t, e["message"], c.says)
			assert.Empty(t, up.requests(), "the provider was not called")
			if c.status == http.StatusUnauthorized {
				assert.Equal(t, "Bearer", a.header.Get("Www-Authenticate"))
				assert.Equal(t, "false", a.header.Get("X-Should-Retry"), "a client that repeats it only waits")
				require.Eventually(t, func() bool { return len(g.records()) > 0 }, generous, 5*time.Millisecond)
				all := g.records()
				require.Len(t, all, 1)
				assert.Equal(t, audit.AuthFailure, all[0].kind)
				assert.InDelta(t, 401, all[0].payload["status"], 0)
				assert.Zero(t, g.usage().Records)
				return
			}
			res := g.outcome()
			assert.InDelta(t, c.status, res["status"], 0)
			assert.Equal(t, "refused", res["outcome"])
		})
	}
}

func TestABodyOfUnknownLengthIsBoundToo(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: up.url, maxBody: 2048})
	a := g.do(g.request("dev", io.MultiReader(strings.NewReader(chat(strings.Repeat("a", 4096))))))
	assert.Equal(t, 413, a.status)
	assert.Equal(t, "request_too_large", errorOf(t, a)["code"])
	a = g.do(g.request("dev", io.MultiReader(strings.NewReader(chat("small")))))
	assert.Equal(t, 200, a.status, a.body)
}

func TestABodyThatEndsTooEarlyIsTheClientsFault(t *testing.T) {
	g := open(t, setup{})
	c, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(
		c,
		"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+g.key["dev"]+"\r\nContent-Length: 100\r\n\r\n{\"model\":",
	)
	require.NoError(t, err)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	b, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(b, []byte("HTTP/1.1 400")), "%s", b)
	assert.Contains(t, string(b), "before all of it had arrived")
	assert.Equal(t, "refused", g.outcome()["outcome"])
}

func TestAProviderOfAnotherShapeIsRefusedUntilThereIsTranslation(t *testing.T) {
	g := open(t, setup{provider: alien{openAI(t, "openai", "", nil, noTimeouts)}})
	a := g.post("dev", chat("x"))
	assert.Equal(t, 400, a.status)
	assert.Equal(t, "unsupported_parameter", errorOf(t, a)["code"])
}

type alien struct{ route.Provider }

func (alien) ChooseWire(*core.Exchange) string { return "other.shape" }
