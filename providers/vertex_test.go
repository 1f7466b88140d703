package providers

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// The addresses are those of https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude,
// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest and
// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/openai.
func TestVertexCallsEachModelInItsVendorsShape(t *testing.T) {
	const claude, llama = "claude-sonnet-4-5@20250929", "meta/llama-4-maverick-17b-128e-instruct-maas"
	const global = "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global"
	const beta = "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google/models/"
	p := newProvider(t, settings("vertex"))
	for _, c := range []struct {
		dialect, model string
		stream         bool
		wire, url      string
	}{
		{anthropicMessages, claude, false, anthropicMessages, global + "/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict"},
		{anthropicMessages, claude, true, anthropicMessages, global + "/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict"},
		{openAIChat, claude, true, anthropicMessages, global + "/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict"},
		{geminiGenerate, claude, false, anthropicMessages, global + "/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict"},
		{anthropicCount, claude, false, anthropicCount, global + "/publishers/anthropic/models/count-tokens:rawPredict"},
		{geminiCount, claude, false, "", ""},
		{geminiGenerate, "gemini-2.5-pro", true, geminiGenerate, beta + "gemini-2.5-pro:streamGenerateContent?alt=sse"},
		{anthropicMessages, "gemini-2.5-pro", false, geminiGenerate, beta + "gemini-2.5-pro:generateContent"},
		{geminiCount, "gemini-2.5-pro", false, geminiCount, beta + "gemini-2.5-pro:countTokens"},
		{anthropicCount, "gemini-2.5-pro", false, "", ""},
		{openAIChat, llama, true, openAIChat, global + "/endpoints/openapi/chat/completions"},
		{openAIResponses, llama, false, openAIChat, global + "/endpoints/openapi/chat/completions"},
		{openAIEmbeddings, llama, false, "", ""},
	} {
		x := exchange(c.dialect, c.model, c.stream)
		require.Equal(t, c.wire, p.ChooseWire(x), "%s %s", c.dialect, c.model)
		if c.wire != "" {
			assert.Equal(t, c.url, request(t, p, x).URL.String())
		}
	}
	for region, host := range map[string]string{
		"europe-west4": "europe-west4-aiplatform.googleapis.com", "eu": "aiplatform.eu.rep.googleapis.com", "us": "aiplatform.us.rep.googleapis.com",
	} {
		s := settings("vertex")
		s.Region = region
		u := request(t, newProvider(t, s), exchange(geminiGenerate, "gemini-2.5-pro", false)).URL
		assert.Equal(t, host, u.Host)
		assert.Contains(t, u.Path, "/locations/"+region+"/")
	}
}

// body returns the body of a call.
func body(t *testing.T, s Settings, dialect, model, text string, stream bool, header http.Header) (string, *upstream.Request) {
	p := newProvider(t, s)
	x := exchange(dialect, model, stream)
	x.Request.Header = header
	x.Target.Wire = p.ChooseWire(x)
	r := &upstream.Request{Body: []byte(text)}
	require.NoError(t, p.NewRequest(x, r))
	return string(r.Body), r
}

func TestTheBodyForAnthropicsModelsHasTheCloudsVersion(t *testing.T) {
	const claude = "claude-sonnet-4-5@20250929"
	const sent = `{"model": "claude-sonnet-4-5@20250929", "max_tokens":1.0, "stream":true,"system":[{"type":"text","text":"\u00fc","cache_control":{"type":"ephemeral"}}]}`
	header := http.Header{"Anthropic-Beta": {"context-1m-2025-08-07, interleaved-thinking-2025-05-14"}, "Anthropic-Version": {"2023-06-01"}}
	got, r := body(t, settings("vertex"), anthropicMessages, claude, sent, true, header)
	assert.Equal(t, `{"anthropic_version":"vertex-2023-10-16","max_tokens":1.0, "stream":true,"system":[{"type":"text","text":"\u00fc","cache_control":{"type":"ephemeral"}}]}`, got)
	assert.Equal(t, "context-1m-2025-08-07, interleaved-thinking-2025-05-14", field(r, "Anthropic-Beta"))
	assert.Empty(t, field(r, "Anthropic-Version"))
	got, _ = body(t, settings("vertex"), anthropicCount, claude, sent, false, nil)
	assert.Equal(t, `{"anthropic_version":"vertex-2023-10-16",`+sent[1:], got)
	got, _ = body(t, settings("vertex"), geminiGenerate, "gemini-2.5-pro", `{"model":1}`, false, nil)
	assert.Equal(t, `{"model":1}`, got)

	const onBedrock = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
	got, r = body(t, settings("bedrock"), anthropicMessages, onBedrock, sent, true, header)
	assert.Equal(t, `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["context-1m-2025-08-07","interleaved-thinking-2025-05-14"],`+
		`"max_tokens":1.0, "system":[{"type":"text","text":"\u00fc","cache_control":{"type":"ephemeral"}}]}`, got)
	assert.Empty(t, field(r, "Anthropic-Beta"), "Bedrock reads it in the body")
	assert.Equal(t, "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream", r.URL.String())
	s := settings("bedrock")
	s.Header = []upstream.Field{{Name: "anthropic-beta", Value: "own"}}
	got, r = body(t, s, anthropicMessages, onBedrock, `{"a":1}`, false, header)
	assert.Equal(t, `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["own"],"a":1}`, got)
	assert.Empty(t, field(r, "anthropic-beta"))
	assert.Equal(t, "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke", r.URL.String())
}

func TestBedrockCallsModelsInTheirVendorsShapeWhereTheClientSpeaksIt(t *testing.T) {
	p := newProvider(t, settings("bedrock"))
	for _, c := range []struct{ dialect, model, wire string }{
		{anthropicMessages, "anthropic.claude-opus-4-1-20250805-v1:0", anthropicMessages},
		{anthropicMessages, "global.anthropic.claude-opus-5-5-v1:0", anthropicMessages},
		{anthropicMessages, "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0", anthropicMessages},
		{anthropicMessages, "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0", anthropicMessages},
		{anthropicMessages, "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", bedrockConverse},
		{anthropicMessages, "amazon.nova-lite-v1:0", bedrockConverse},
		{openAIChat, "anthropic.claude-opus-4-1-20250805-v1:0", bedrockConverse},
		{anthropicCount, "anthropic.claude-opus-4-1-20250805-v1:0", ""},
		{openAIChat, "openai.gpt-oss-120b-1:0", openAIChat},
		{openAIResponses, "openai.gpt-oss-120b-1:0", bedrockConverse},
		{anthropicMessages, "openai.gpt-oss-120b-1:0", bedrockConverse},
		{openAIChat, "amazon.nova-lite-v1:0", bedrockConverse},
	} {
		assert.Equal(t, c.wire, p.ChooseWire(exchange(c.dialect, c.model, false)), "%s %s", c.dialect, c.model)
	}
	_, r := body(t, settings("bedrock"), openAIChat, "openai.gpt-oss-120b-1:0", `{"model":"openai.gpt-oss-120b-1:0"}`, true, nil)
	assert.Equal(t, "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions", r.URL.String())
	assert.Equal(t, "Bearer "+secret, field(r, "Authorization"))
}

func TestVertexNeedsAProjectAndAValidCredential(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"type":"s3cret"}`), 0o600))
	user := filepath.Join(dir, "user.json")
	require.NoError(t, os.WriteFile(user, []byte(`{"type":"authorized_user","client_id":"c","client_secret":"s3cret","refresh_token":"r"}`), 0o600))
	for name, c := range map[string]struct {
		s    Settings
		want string
	}{
		"no project":               {Settings{APIKey: "k"}, "project is missing"},
		"a project that is a path": {Settings{APIKey: "k", Project: "../x"}, "not the id of a project"},
		"a region that is a host":  {Settings{APIKey: "k", Project: "my-project", Region: "evil.example/"}, "not a location"},
		"a file that is missing":   {Settings{Project: "my-project", CredentialsFile: filepath.Join(dir, "none")}, "credentials_file cannot be read"},
		"a file that is none":      {Settings{Project: "my-project", CredentialsFile: bad}, "credentials_file: not a credentials file"},
	} {
		c.s.Name = "vertex"
		_, err := New(c.s)
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), "s3cret", name)
	}
	p := newProvider(t, Settings{Name: "vertex", Env: func(name string) string {
		return map[string]string{"GOOGLE_CLOUD_PROJECT": "from-env", "GOOGLE_CLOUD_LOCATION": "us-east5", "GOOGLE_APPLICATION_CREDENTIALS": user}[name]
	}})
	assert.Contains(t, request(t, p, exchange(geminiGenerate, "gemini-2.5-pro", false)).URL.String(), "https://us-east5-aiplatform.googleapis.com/v1beta1/projects/from-env/")
	assert.Contains(t, p.(*hosted).Catalogue(), "claude-opus-4-5")
	assert.IsType(t, &authorized{}, p.Client().(*embedding).Client)
	assert.Contains(t, traits(t, "vertex", "claude-opus-4-5@20251101"), "parallel")
	assert.Equal(t, traits(t, "gemini", "gemini-2.5-pro"), traits(t, "vertex", "gemini-2.5-pro"))
}

func TestEntraNeedsWhatItsIdentityNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		e    Entra
		key  string
		want string
	}{
		"a key beside it":    {Entra{Identity: "managed_identity"}, "k", "api_key is set beside entra"},
		"an unknown word":    {Entra{Identity: "me"}, "", "entra.identity: must be"},
		"no secret":          {Entra{Identity: "client_secret", TenantID: "t", ClientID: "c"}, "", "entra.client_secret is missing"},
		"no token file":      {Entra{Identity: "workload_identity", TenantID: "t", ClientID: "c"}, "", "entra.token_file is missing"},
		"no tenant":          {Entra{Identity: "client_secret", ClientID: "c", ClientSecret: "s3cret"}, "", "entra.tenant_id is missing"},
		"no client":          {Entra{Identity: "client_secret", TenantID: "t", ClientSecret: "s3cret"}, "", "entra.client_id is missing"},
		"no authority":       {Entra{Identity: "client_secret", TenantID: "t", ClientID: "c", ClientSecret: "s3cret", Authority: "login"}, "", "entra.authority is not"},
		"a whole one":        {Entra{Identity: "client_secret", TenantID: "t", ClientID: "c", ClientSecret: "s3cret"}, "", ""},
		"a managed identity": {Entra{Identity: "managed_identity"}, "", ""},
	} {
		p, err := New(Settings{Name: "azure", APIKey: c.key, BaseURL: "https://res.openai.azure.com", Entra: c.e})
		if c.want == "" {
			require.NoError(t, err, name)
			assert.IsType(t, &authorized{}, p.Client())
			continue
		}
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), "s3cret", name)
	}
}
