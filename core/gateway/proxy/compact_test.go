package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// buildCompacted returns a provider's compacted conversation: one message of the user, more items, and what is sealed.
func buildCompacted(text, more string) string {
	return `{"id":"resp_1","object":"response.compaction","created_at":1,"output":[{"id":"m","type":"message","status":"completed","role":"user",` +
		`"content":[{"type":"input_text","text":"` + text + `"}]}` + more + `,{"id":"cmp_1","type":"compaction","encrypted_content":"gAAA"}],` +
		`"usage":{"input_tokens":139,"input_tokens_details":{"cached_tokens":0},"output_tokens":438,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":577}}`
}

func TestACompactedConversationReachesBothSidesAsItWasSent(t *testing.T) {
	body := `{ "model":"M","instructions":"be brief","prompt_cache_key":"k","x":1.50,"input":[{"role":"user","content":"to @1"},` +
		`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":\"@1\"}"},{"type":"function_call_output","call_id":"c","output":"@2"},` +
		`{"type":"compaction","encrypted_content":"gBBB"}] }`
	for _, vendor := range []string{"openai", "azure-openai"} {
		t.Run(vendor, func(t *testing.T) {
			echoes := func(conn netConn, r sent) {
				email := mailToken.FindString(r.body)
				says(buildWhole(200, "application/json", buildCompacted("to "+email, "")))(conn, r)
			}
			up := newFake(t, echoes)
			g := open(t, setup{provider: newProvider(t, vendor, up.url), chain: redacting(t, ""), runtime: setPrices})
			sent := strings.NewReplacer("M", vendor+"/gpt-5.4", "@1", "ann@example.com", "@2", "bo@example.com").Replace(body)
			a := g.callPath(compactPath, sent)
			require.Equal(t, 200, a.status, a.body)
			got := up.last(t)
			assert.True(t, strings.HasSuffix(got.path, compactPath), got.path)
			emails := mailToken.FindAllString(got.body, -1)
			require.Len(t, emails, 3, "the message, the arguments and the result: %s", got.body)
			assert.Equal(t, emails[0], emails[1])
			assert.Equal(t, strings.NewReplacer("M", "gpt-5.4", "@1", emails[0], "@2", emails[2]).Replace(body), got.body)
			assert.Equal(t, buildCompacted("to ann@example.com", ""), a.body)
			req, res := g.pair()
			assert.NotEmpty(t, req["findings"])
			assert.Equal(t, "served", res["outcome"])
			u := g.usage()
			assert.EqualValues(t, 139, u.Input)
			assert.EqualValues(t, 438, u.Output)
			assert.EqualValues(t, 139*1_500+438*6_000, u.Cost)
			assert.Zero(t, u.Estimated)
		})
	}
}

func TestWhatACompactionWithoutUsageCostsIsWhatWasHeld(t *testing.T) {
	answer, _, _ := strings.Cut(buildCompacted("x", ""), `,"usage"`)
	up := newFake(t, says(buildWhole(200, "application/json", answer+"}")))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), runtime: setPrices})
	require.Equal(t, 200, g.callPath(compactPath, `{"model":"gpt-test","input":"x"}`).status)
	u := g.usage()
	assert.EqualValues(t, 4096, u.Output)
	assert.EqualValues(t, 1, u.Estimated)
}

func TestWhatCannotBeCompactedIsRefusedBeforeAProviderIsAsked(t *testing.T) {
	for name, c := range map[string]struct{ vendor, body, code, says string }{
		"no model":                         {"openai", `{"input":"x"}`, core.CodeMissingField, `model`},
		"a model that is null":             {"openai", `{"model":null,"input":"x"}`, core.CodeInvalidValue, `model`},
		"no input":                         {"openai", `{"model":"gpt-test"}`, core.CodeMissingField, `input`},
		"a stream":                         {"openai", `{"model":"gpt-test","input":"x","stream":true}`, core.CodeUnsupported, `leave it out`},
		"a conversation that is elsewhere": {"openai", `{"model":"gpt-test","previous_response_id":"resp_1"}`, core.CodeUnsupported, `whole conversation`},
		"a provider without the API":       {"anthropic", `{"model":"gpt-test","input":"x"}`, core.CodeUnsupported, `Anthropic does not serve requests of this API`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(200, "application/json", buildCompacted("x", ""))))
			a := open(t, setup{provider: newProvider(t, c.vendor, up.url)}).callPath(compactPath, c.body)
			assert.Equal(t, 400, a.status, a.body)
			assert.Contains(t, a.body, `"code":"`+c.code+`"`)
			assert.Contains(t, a.body, c.says)
			assert.Empty(t, up.requests())
		})
	}
}

func TestLinksForResponsesApplyToCompactions(t *testing.T) {
	g := open(t, setup{chain: func(tok core.Tokens) []chain.Link {
		links := redacting(t, "action: block")(tok)
		links[0].For.Dialects = []string{"openai.responses"}
		return links
	}})
	assert.Equal(t, 400, g.callPath(compactPath, `{"model":"mock-echo","input":"to ann@example.com"}`).status)
	assert.Equal(t, 200, g.callPath(chatPath, `{"model":"mock-echo","messages":[{"role":"user","content":"to ann@example.com"}]}`).status, "the link is for another shape")
}

// TestTheMockContinuesWhatItHasCompacted sends the mock's own output back to it, whole, streamed and with a tool.
func TestTheMockContinuesWhatItHasCompacted(t *testing.T) {
	g := open(t, setup{chain: redacting(t, "")})
	const input = `[{"role":"user","content":"to ann@example.com"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"from bo@example.com"}]},{"role":"user","content":[{"type":"input_text","text":"go on"}]}]`
	a := g.callPath(compactPath, `{"model":"mock-echo","input":`+input+`}`)
	require.Equal(t, 200, a.status, a.body)
	var c struct {
		Object string
		Output []json.RawMessage
		Usage  struct {
			In  int `json:"input_tokens"`
			Out int `json:"output_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &c))
	assert.Equal(t, "response.compaction", c.Object)
	require.Len(t, c.Output, 3, "two messages of the user, and what is sealed: %s", a.body)
	assert.Contains(t, string(c.Output[0]), `"text":"to ann@example.com"`)
	assert.Contains(t, string(c.Output[2]), `"type":"compaction"`)
	assert.NotContains(t, a.body, "bo@example.com")
	assert.Positive(t, c.Usage.In)
	assert.Positive(t, c.Usage.Out)
	again := func(model, more string) string {
		items, err := json.Marshal(append(c.Output, json.RawMessage(`{"role":"user","content":"and ann@example.com"}`)))
		require.NoError(t, err)
		return `{"model":"` + model + `","input":` + string(items) + more + `}`
	}
	b := g.callPath(answersPath, again("mock-echo", ""))
	require.Equal(t, 200, b.status, b.body)
	assert.Contains(t, b.body, `"text":"and ann@example.com"`)
	assert.Positive(t, g.usage().Output)
	b = g.callPath(answersPath, again("mock-echo", `,"stream":true`))
	require.Equal(t, 200, b.status, b.body)
	assert.Contains(t, b.body, `"text":"and ann@example.com"`)
	assert.Contains(t, b.body, "event: response.completed\n")
	b = g.callPath(answersPath, again("mock-tools", `,"stream":true,"tools":[{"type":"function","name":"send","parameters":{"type":"object","properties":{"to":{"type":"string"}}}}]`))
	require.Equal(t, 200, b.status, b.body)
	assert.Contains(t, b.body, "event: response.function_call_arguments.done\n")
	b = g.callPath(answersPath, again("mock-error-429", ""))
	assert.Equal(t, 429, b.status)
	b = g.callPath(compactPath, `{"model":"mock-error-503","input":"x"}`)
	assert.Equal(t, 503, b.status)
	b = g.callPath(compactPath, `{"model":"mock-echo","input":`+strings.Replace(input, "[", "["+string(c.Output[2])+",", 1)+`}`)
	require.Equal(t, 200, b.status, b.body)
}
