package providers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAzuresBaseURLIsWhatStandsBeforeV1(t *testing.T) {
	for base, want := range map[string]string{
		"https://r.openai.azure.com":                 "https://r.openai.azure.com/openai/v1/",
		"https://r.openai.azure.com/":                "https://r.openai.azure.com/openai/v1/",
		"https://r.openai.azure.com/openai":          "https://r.openai.azure.com/openai/v1/",
		"https://r.openai.azure.com/openai/v1/":      "https://r.openai.azure.com/openai/v1/",
		"https://r.cognitiveservices.azure.com":      "https://r.cognitiveservices.azure.com/openai/v1/",
		"https://r.services.ai.azure.com":            "https://r.services.ai.azure.com/openai/v1/",
		"https://r.openai.azure.us":                  "https://r.openai.azure.us/openai/v1/",
		"https://apim.example/team/openai":           "https://apim.example/team/openai/v1/",
		"http://127.0.0.1:9000":                      "http://127.0.0.1:9000/v1/",
		"https://openai.azure.com.evil.example/base": "https://openai.azure.com.evil.example/base/v1/",
	} {
		p := newProvider(t, Settings{Name: "azure-openai", BaseURL: base})
		for dialect, path := range map[string]string{openAIChat: "chat/completions", openAIResponses: "responses", openAIEmbeddings: "embeddings"} {
			assert.Equal(t, want+path, request(t, p, exchange(dialect, "d", false)).URL.String(), base)
		}
	}
	_, err := New(Settings{Name: "azure-openai"})
	require.ErrorContains(t, err, "base_url is missing")
}

func TestAnAPIVersionLeadsToTheDeploymentsOwnAddress(t *testing.T) {
	p := newProvider(t, Settings{Name: "azure", BaseURL: "https://r.openai.azure.com", APIVersion: "2024-10-21", ResponsesAPIVersion: "preview"})
	for dialect, want := range map[string]string{
		openAIChat:       "https://r.openai.azure.com/openai/deployments/my%2Fgpt/chat/completions?api-version=2024-10-21",
		openAIEmbeddings: "https://r.openai.azure.com/openai/deployments/my%2Fgpt/embeddings?api-version=2024-10-21",
		openAIResponses:  "https://r.openai.azure.com/openai/v1/responses?api-version=preview",
		openAICompact:    "https://r.openai.azure.com/openai/v1/responses/compact?api-version=preview",
	} {
		assert.Equal(t, want, request(t, p, exchange(dialect, "my/gpt", true)).URL.String())
	}
	p = newProvider(t, Settings{Name: "azure", BaseURL: "https://r.openai.azure.com", ResponsesAPIVersion: "a&b"})
	assert.Equal(
		t,
		"https://r.openai.azure.com/openai/v1/responses?api-version=a%26b",
		request(t, p, exchange(openAIResponses, "d", false)).URL.String(),
	)
	assert.Equal(t, "https://r.openai.azure.com/openai/v1/chat/completions", request(t, p, exchange(openAIChat, "d", false)).URL.String())
}

func TestAzureIsAnotherNameOfAzureOpenAI(t *testing.T) {
	for _, s := range []Settings{{Name: "azure"}, {Name: "azure-openai"}, {Name: "mine", Type: "azure"}} {
		s.BaseURL = "https://r.openai.azure.com"
		assert.Equal(t, "Azure OpenAI", newProvider(t, s).Label())
	}
	assert.Equal(t, "azure-openai", NormalizeName("azure"))
	assert.Equal(t, "openai", NormalizeName("openai"))
	assert.Contains(t, ListNames(), "azure")
	assert.NotContains(t, ListTypes(), "azure")
}
