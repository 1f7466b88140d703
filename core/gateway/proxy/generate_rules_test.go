package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asksGenerate returns a generateContent request with additional members.
func asksGenerate(members string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"x"}]}],` + members + `}`
}

func TestTheRulesOfGenerateContent(t *testing.T) {
	const conversation = `{"systemInstruction":{"parts":[{"text":"sys"}]},"tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":{"type":"OBJECT"}}]}],"contents":[{"role":"user","parts":[{"text":"x"}]},` +
		`{"role":"model","parts":[{"text":"a secret thought","thought":true},{"functionCall":{"id":"id-1","name":"f","args":{"a":1}},"thoughtSignature":"c2ln"}]},{"role":"user","parts":[{"functionResponse":{"id":"id-1","name":"f","response":{"output":"found"}}}]}]`
	rulings := []ruling{
		{
			sentence: "the request goes through unchanged",
			provider: "gemini",
			asSent:   true,
			at:       "/v1beta/models/gemini-2.5-pro:generateContent",
			body:     conversation + `,"generationConfig":{"maxOutputTokens":50,"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":true},"topK":40.0},"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"x":1.50}`,
		},
		{
			sentence: "instructions, declarations, calls and results are translated",
			provider: "openai",
			body:     conversation + `}`,
			sent: []string{
				`{"role":"system","content":"sys"}`,
				`"type":"function","function":{"name":"f"`,
				`"tool_calls":[{"id":"id-1"`,
				`"arguments":"{\"a\":1}"`,
				`"role":"tool","tool_call_id":"id-1"`,
				`found`,
			},
			unsent: []string{
				"a secret thought",
				"c2ln",
			},
			omits: []string{"contents.parts.thought", "contents.parts.thoughtSignature"},
			gives: []string{`"parts":[{"text":"ok"}]`, `"finishReason":"STOP"`, `"promptTokenCount":3`},
		},
		{
			sentence: "one of temperature and topP is sent, and no topK, thinkingConfig and safetySettings",
			provider: "anthropic",
			sent:     []string{`"temperature":0.4`},
			unsent:   []string{"top_p", "top_k", "thinking", "safety"},
			body: asksGenerate(
				`"generationConfig":{"temperature":0.4,"topP":0.5,"topK":7,"thinkingConfig":{"thinkingBudget":2048}},"safetySettings":[{"category":"a","threshold":"b"}]`,
			),
			omits: []string{"generationConfig.thinkingConfig", "generationConfig.topK", "generationConfig.topP", "safetySettings"},
		},
		{
			sentence: "topP alone is sent",
			provider: "anthropic",
			body:     asksGenerate(`"generationConfig":{"topP":0.5}`),
			sent:     []string{`"top_p":0.5`},
		},
		{
			sentence: "the default cap is the limit",
			provider: "gemini",
			cap:      4096,
			body:     asksGenerate(`"x":1`),
			sent:     []string{`"maxOutputTokens":4096`},
		},
		{
			sentence: "the default cap is the limit, thinking too",
			provider: "gemini",
			cap:      4096,
			body:     asksGenerate(`"generationConfig":{"thinkingConfig":{"thinkingBudget":9000}}`),
			sent:     []string{`"maxOutputTokens":4096`, `"thinkingBudget":9000`},
		},
		{
			sentence: "the client's limit stays",
			provider: "gemini",
			cap:      4096,
			asSent:   true,
			body:     asksGenerate(`"generationConfig":{"maxOutputTokens":9000}`),
		},
		{
			sentence: "the default cap is the limit on other providers",
			provider: "openai",
			model:    "gpt-4.1",
			cap:      4096,
			body:     asksGenerate(`"x":1`),
			sent:     []string{`"max_tokens":4096`},
			omits:    []string{"x"},
		},
		{
			sentence: "the model in the path may have slashes",
			provider: "openai",
			model:    "ft/gpt-4.1",
			body:     asksGenerate(`"systemInstruction":{"parts":[{"text":"s"}]}`),
			sent:     []string{`"model":"ft/gpt-4.1"`},
		},
		{
			sentence: "the provider counts",
			provider: "gemini",
			path:     "/v1/gen/v1beta/models/M:countTokens",
			body:     `{"contents":[{"parts":[{"text":"x"}]}]}`,
			at:       "/v1beta/models/gemini-2.5-pro:countTokens",
			gives:    []string{`{"totalTokens":77}`},
		},
		{
			sentence: "the query is not forwarded",
			provider: "gemini",
			path:     "/v1/gen/v1beta/models/M:generateContent?key=AIza&x=y",
			body:     asksGenerate(`"x":1`),
			at:       "/v1beta/models/gemini-2.5-pro:generateContent",
		},
	}
	for _, p := range []string{"gemini", "openai", "anthropic", "bedrock"} {
		for _, tool := range []string{"googleSearch", "urlContext", "codeExecution", "googleSearchRetrieval", "google_search"} {
			rulings = append(
				rulings,
				ruling{
					sentence: tool + " is refused",
					provider: p,
					body:     asksGenerate(`"tools":[{"` + tool + `":{}}]`),
					refused:  `"status":"INVALID_ARGUMENT"`,
				},
			)
		}
		rulings = append(
			rulings,
			ruling{
				sentence: "cachedContent is refused",
				provider: p,
				body:     asksGenerate(`"cachedContent":"cachedContents/1"`),
				refused:  "cachedContent",
			},
			ruling{
				sentence: "more than one candidate is refused",
				provider: p,
				body:     asksGenerate(`"generationConfig":{"candidateCount":2}`),
				refused:  "candidate",
			},
		)
	}
	for i := range rulings {
		if rulings[i].path == "" {
			rulings[i].path = "/v1/gen/v1beta/models/M:generateContent"
		}
	}
	tryAll(t, rulings)
}

func TestAKeyInTheQueryIsNotRead(t *testing.T) {
	up := newFake(t, answersBriefly)
	g := open(t, setup{provider: newProvider(t, "gemini", up.url)})
	for _, c := range []struct {
		name, query, header, value string
		status                     int
	}{
		{"in the query", "?key=" + g.key["dev"], "Authorization", "", 401},
		{"in the header of the specification", "", "x-gen-api-key", g.key["dev"], 200},
		{"in the header of Google's clients", "", "x-goog-api-key", g.key["dev"], 200},
		{"as a bearer token", "", "Authorization", "Bearer " + g.key["dev"], 200},
		{"in both, the header wins", "?key=" + g.key["dev"], "x-gen-api-key", "gw_none", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/v1/gen/v1beta/models/gpt-test:generateContent", "/v1/gen/v1/models/gpt-test:generateContent"} {
				r := g.request("", strings.NewReader(asksGenerate(`"x":1`)), c.header, c.value)
				if c.value == "" {
					r.Header.Del(c.header)
				}
				r.URL.Path, r.URL.RawQuery = path, strings.TrimPrefix(c.query, "?")
				a := g.do(r)
				assert.Equal(t, c.status, a.status, a.body)
				if c.status == 401 {
					assert.Contains(t, a.body, `"status":"UNAUTHENTICATED"`)
				}
			}
		})
	}
}

func TestARefusalBeforeTheStreamIsAnErrorInGooglesShape(t *testing.T) {
	for provider, body := range map[string]string{
		"gemini": `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`,
		"openai": `{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}`,
	} {
		for _, call := range []string{"generateContent", "streamGenerateContent", "streamGenerateContent?alt=sse"} {
			g := open(t, setup{provider: newProvider(t, provider, newFake(t, says(buildWhole(429, "application/json", body))).url)})
			a := g.callPath("/v1/gen/v1beta/models/gpt-test:"+call, asksGenerate(`"x":1`))
			assert.Equal(t, 429, a.status, call)
			assert.Contains(t, a.header.Get("Content-Type"), "application/json")
			assert.Contains(t, a.body, `"status":"RESOURCE_EXHAUSTED"`)
			assert.Contains(t, a.body, "API error 429: ")
			assert.Contains(t, a.body, "slow down")
		}
	}
}

func TestACountOfContentsOnAnotherProviderAsksNobody(t *testing.T) {
	up := newFake(t, says(buildWhole(500, "application/json", "{}")))
	for _, p := range []string{"openai", "anthropic", "bedrock"} {
		g := open(t, setup{provider: newProvider(t, p, up.url)})
		a := g.callPath("/v1/gen/v1beta/models/gpt-test:countTokens", `{"contents":[{"parts":[{"text":"hello world"}]}]}`)
		require.Equal(t, 200, a.status, a.body)
		assert.Regexp(t, `^\{"totalTokens":[1-9][0-9]*\}$`, a.body)
		g.outcome()
		assert.Zero(t, g.usage().Input, "the count is metered at zero")
	}
	assert.Empty(t, up.requests())
}
