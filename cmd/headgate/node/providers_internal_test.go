package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// build creates a provider as the gateway does, and returns a call to it.
func build(t *testing.T, name, text, wire string) *upstream.Request {
	t.Helper()
	cfg, warnings, err := config.Load(config.Source{
		Default: configs.Gateway, Set: []string{"routes=[]", "providers={" + name + ": " + text + "}"},
		Known: config.Known{Providers: providers.ListNames(), Stages: []string{"pii"}},
	})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	rt := &snapshot.Runtime{}
	p, err := buildProvider(rt, name, cfg.Providers[name])
	for _, c := range rt.Clients {
		t.Cleanup(func() { assert.NoError(t, c.Close()) })
	}
	require.NoError(t, err)
	x := &core.Exchange{Target: core.TargetRef{Provider: name, Model: "m", Wire: wire}}
	r := &upstream.Request{}
	require.NoError(t, p.NewRequest(x, r))
	return r
}

func TestEveryTypeOfProviderIsBuiltFromTheConfiguration(t *testing.T) {
	wires := map[string]string{
		"anthropic": "anthropic.messages",
		"bedrock":   "bedrock.converse",
		"cohere":    "cohere.chat",
		"gemini":    "gemini.generate",
		"ollama":    "ollama.chat",
		"vertex":    "gemini.generate",
	}
	for _, name := range providers.ListNames() {
		text := "{api_key: k}"
		switch name {
		case "azure", "azure-openai":
			text = "{api_key: k, base_url: https://r.openai.azure.com}"
		case "bedrock":
			text = "{api_key: k, region: eu-west-1}"
		case "vertex":
			text = "{api_key: k, project: my-project}"
		}
		wire := wires[name]
		if wire == "" {
			wire = "openai.chat"
		}
		assert.NotEmpty(t, build(t, name, text, wire).URL.Host, name)
	}
}

func TestTheSettingsOfBedrockAndAzureReachThem(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"} {
		t.Setenv(name, "")
	}
	header := func(r *upstream.Request, name string) string {
		for _, f := range r.Header {
			if f.Name == name {
				return f.Value
			}
		}
		return ""
	}
	r := build(t, "bedrock", "{region: eu-west-1, access_key_id: AKID, secret_access_key: s, session_token: tok}", "bedrock.converse")
	assert.Equal(t, "bedrock-runtime.eu-west-1.amazonaws.com", r.URL.Host)
	assert.Contains(t, header(r, "Authorization"), "Credential=AKID/")
	assert.Equal(t, "tok", header(r, "X-Amz-Security-Token"))
	t.Setenv("AWS_REGION", "us-east-2")
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer")
	r = build(t, "bedrock", "{}", "bedrock.converse")
	assert.Equal(t, "bedrock-runtime.us-east-2.amazonaws.com", r.URL.Host)
	assert.Equal(t, "Bearer bearer", header(r, "Authorization"))
	const azure = "{base_url: https://r.openai.azure.com, api_version: 2024-10-21, responses_api_version: preview}"
	assert.Equal(
		t,
		"https://r.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21",
		build(t, "azure", azure, "openai.chat").URL.String(),
	)
	assert.Equal(
		t,
		"https://r.openai.azure.com/openai/v1/responses?api-version=preview",
		build(t, "azure", azure, "openai.responses").URL.String(),
	)
}
