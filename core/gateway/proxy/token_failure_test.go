package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

func TestAProviderWithoutAnAccessTokenIs502InTheClientsShape(t *testing.T) {
	lean := upstream.NewLean(upstream.LeanOptions{})
	t.Cleanup(func() { _ = lean.Close() })
	p, err := providers.New(providers.Settings{Name: "azure-openai", BaseURL: "http://127.0.0.1:1", Client: lean, Entra: providers.Entra{
		Identity: "client_secret", TenantID: "t", ClientID: "c", ClientSecret: "s3cret", Authority: "http://127.0.0.1:1",
	}})
	require.NoError(t, err)
	g := open(t, setup{provider: p})
	const why = "Azure OpenAI cannot be called: the gateway could not obtain an access token"
	for path, c := range map[string][2]string{
		"/v1/chat/completions": {chatBody("x", true), `{"error":{"message":"` + why + `","type":"server_error"`},
		"/v1/messages":         {`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, `{"type":"error","error":{"type":"api_error","message":"` + why},
	} {
		a := g.callPath(path, c[0])
		assert.Equal(t, 502, a.status, a.body)
		assert.Contains(t, a.body, c[1])
		assert.NotContains(t, a.body, "s3cret")
	}
	g.end()
	assert.NotContains(t, g.lines.String(), "s3cret")
}
