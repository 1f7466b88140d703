package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

const editorPath = "/v1/ide/chat/completions"

func TestTheRulesOfTheEditorsClient(t *testing.T) {
	named := func(model, body string) string { return strings.Replace(body, `"M"`, `"`+model+`"`, 1) }
	rulings := []ruling{
		{
			sentence: "-fast is routed as the name",
			provider: "openai",
			body:     named("openai/gpt-5.4-fast", asksChat(`"max_completion_tokens":50`)),
			sent:     []string{`"model":"gpt-5.4"`},
			unsent:   []string{"fast", "effort"},
		},
		{
			sentence: "-fast is routed as the name, in agent mode",
			provider: "openai",
			body:     named("openai/gpt-5.4-fast", asksResponses(`"max_output_tokens":50`)),
			sent:     []string{`"model":"gpt-5.4"`},
			gives:    []string{`"object":"chat.completion"`},
		},
		{
			sentence: "a bare -thinking stays",
			provider: "openai",
			body:     named("openai/gpt-5.4-thinking", asksChat(`"max_completion_tokens":50`)),
			sent:     []string{`"model":"gpt-5.4-thinking"`},
			unsent:   []string{"effort"},
		},
		{
			sentence: "an unknown effort stays",
			provider: "openai",
			body:     named("openai/gpt-5.4-thinking-more", asksChat(`"max_completion_tokens":50`)),
			sent:     []string{`"model":"gpt-5.4-thinking-more"`},
			unsent:   []string{"effort"},
		},
		{
			sentence: "the effort in the name wins",
			provider: "openai",
			body:     named("openai/gpt-5.4-thinking-high", asksChat(`"reasoning_effort":"low"`)),
			sent:     []string{`"reasoning_effort":"high"`},
			unsent:   []string{`"low"`},
		},
		{
			sentence: "tools with the name's effort go to the Responses API",
			provider: "openai",
			at:       "/v1/responses",
			body:     named("openai/gpt-5.4-thinking-high", asksChat(chatTool)),
			sent:     []string{`"reasoning":{"effort":"high"}`},
			gives:    []string{`"object":"chat.completion"`},
		},
		{
			sentence: "an agent's tools with an effort go to the Responses API",
			provider: "openai",
			at:       "/v1/responses",
			body:     asksResponses(`"reasoning":{"effort":"low"},"tools":[{"type":"function","name":"f","parameters":{}}]`),
			gives:    []string{`"object":"chat.completion"`},
		},
		{
			sentence: "an agent's body is read like Responses",
			provider: "anthropic",
			body: asksResponses(
				`"instructions":"sys","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"reasoning":{"effort":"medium"},"max_output_tokens":10`,
			),
			sent:  []string{`"system":[{"type":"text","text":"sys"}]`, `"name":"f"`, `"budget_tokens":4096`, `"max_tokens":4106`},
			gives: []string{`"object":"chat.completion"`, `"content":"ok"`},
		},
		{
			sentence: "a request that Responses refuses is refused from an agent",
			provider: "openai",
			body:     asksResponses(`"store":true`),
			refused:  `"param":"store"`,
		},
		{
			sentence: "a request that Responses refuses is refused from an agent, with an effort",
			provider: "openai",
			body:     named("openai/gpt-5.4-thinking-high", asksResponses(`"tools":[{"type":"web_search"}]`)),
			refused:  `unsupported_parameter`,
		},
		{
			sentence: "a request that chat refuses is refused",
			provider: "openai",
			body:     asksChat(`"tools":[{"type":"web_search"}]`),
			refused:  `unsupported_parameter`,
		},
	}
	for _, effort := range []string{"minimal", "low", "medium", "high", "xhigh"} {
		rulings = append(
			rulings,
			ruling{
				sentence: "-thinking-" + effort + " is an effort",
				provider: "openai",
				body:     named("openai/gpt-5.4-thinking-"+effort, asksChat(`"max_completion_tokens":50`)),
				sent:     []string{`"model":"gpt-5.4"`, `"reasoning_effort":"` + effort + `"`},
			},
			ruling{
				sentence: "-thinking-" + effort + " is an effort, in agent mode",
				provider: "openai",
				body:     named("openai/gpt-5.4-thinking-"+effort, asksResponses(`"max_output_tokens":50`)),
				sent:     []string{`"model":"gpt-5.4"`, `"reasoning_effort":"` + effort + `"`},
			},
		)
	}
	for i := range rulings {
		rulings[i].path = editorPath
	}
	tryAll(t, rulings)
}

func TestTheEditorsKeyNeedsBothScopes(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "openai", newFake(t, answersBriefly).url)})
	for key, want := range map[string]string{"dev": "", "chat": "models:read", "models": "completions:write"} {
		a := g.callPath(editorPath, chat("x"), "Authorization", "Bearer "+g.key[key])
		if want == "" {
			assert.Equal(t, 200, a.status, a.body)
			continue
		}
		assert.Equal(t, 403, a.status, key)
		assert.Contains(t, errorOf(t, a)["message"], want)
	}
	for key, want := range map[string]int{"dev": 200, "chat": 403, "models": 200, "": 401} {
		r := g.request(key, nil)
		r.Method, r.URL.Path = http.MethodGet, "/v1/ide/models"
		assert.Equal(t, want, g.do(r).status, key)
	}
}

func TestADeploymentStylePathIsNotServed(t *testing.T) {
	g := open(t, setup{listens: true})
	for _, path := range []string{"/openai/deployments/gpt-test/chat/completions", "/v1/ide/openai/deployments/gpt-test/chat/completions"} {
		a := g.callPath(path, chat("x"))
		assert.Equal(t, 404, a.status, path)
	}
}

func TestTheEditorIsAlwaysAnsweredInTheChatShape(t *testing.T) {
	for _, body := range []string{`{"model":"gpt-test","stream":true,"input":"x"}`, `{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"x"}]}`, `{"model":"gpt-test-thinking-low","stream":true,"input":"x"}`} {
		up := newFake(t, says(stream(roleEvent, textEvent("one"), stopEvent, doneEvent)))
		g := open(t, setup{provider: newProvider(t, "openai", up.url), chain: redacting(t, "")})
		a := g.callPath(editorPath, body)
		require.Equal(t, 200, a.status, a.body)
		h := listen(t, a.body)
		assert.Equal(t, "one", h.content)
		assert.True(t, h.done)
		_, res := g.pair()
		assert.Equal(t, "gpt-test", res["model"], "the same records as for chat")
	}
	for _, body := range []string{`{"model":"none","input":"x"}`, `{"model":"gpt-test","input":5}`, `{"model":`} {
		a := open(t, setup{}).callPath(editorPath, body)
		assert.Equal(t, "invalid_request_error", strings.Replace(errorOf(t, a)["type"].(string), "not_found_error", "invalid_request_error", 1))
	}
}

func TestALinkForAModelOrForChatHoldsForItsVariants(t *testing.T) {
	for name, narrow := range map[string]chain.Filter{"a model": {Models: []string{"gpt-test"}}, "chat": {Dialects: []string{"openai.chat"}}} {
		for _, model := range []string{"gpt-test", "gpt-test-fast", "gpt-test-thinking-low", "gpt-test-thinking-high-fast"} {
			up := newFake(t, answersBriefly)
			g := open(t, setup{provider: newProvider(t, "openai", up.url), chain: func(tok core.Tokens) []chain.Link {
				links := redacting(t, "")(tok)
				links[0].For = narrow
				return links
			}})
			for _, body := range []string{`{"model":"` + model + `","input":"my card is ` + card + `"}`, `{"model":"` + model + `","messages":[{"role":"user","content":"my card is ` + card + `"}]}`} {
				a := g.callPath(editorPath, body)
				require.Equal(t, 200, a.status, a.body)
				assert.NotContains(t, up.last(t).body, card, "%s, %s", name, model)
			}
		}
	}
}

func TestAnAgentsToolsInNamespacesAreCalledByJoinedNames(t *testing.T) {
	const body = `{"model":"gpt-test","input":"x","tools":[{"type":"namespace","name":"crm","description":"d","tools":[{"type":"function","name":"get","parameters":{"type":"object"}}]}]}`
	for name, raw := range map[string]string{"whole": buildWhole(200, "application/json", callsOne("crm__get", `{"a":1}`)), "streamed": stream(callsInPieces("crm__get", `"{}"`))} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(raw))
			g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
			a := g.callPath(editorPath, strings.Replace(body, "{", map[string]string{"whole": "{", "streamed": `{"stream":true,`}[name], 1))
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, `"function":{"name":"crm__get"`)
			assert.Contains(t, up.last(t).body, `"name":"crm__get","description":"d","input_schema"`)
		})
	}
}
