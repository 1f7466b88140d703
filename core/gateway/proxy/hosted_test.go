package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// hostedCase is a request with its own tool and tools that the provider runs.
type hostedCase struct {
	name, path, kind, body string
	stripped               string // what a provider gets if they are removed
	names                  string
}

var hostedCases = []hostedCase{
	{
		"responses", "/v1/responses", "openai",
		`{"tools":[{"type":"web_search","filters":{"a":[1]}}, {"type":"function","name":"f","parameters":{}},{"type":"mcp","server_label":"m"}],"tool_choice":{"type":"mcp","server_label":"m"},"model":"M","input":"x"}`,
		`{"tools":[ {"type":"function","name":"f","parameters":{}}],"model":"M","input":"x"}`, "web_search, mcp",
	},
	{
		"responses, no other tool", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"web_search"}] , "tool_choice":"required"}`, `{"model":"M","input":"x"}`, "web_search",
	},
	{
		"responses, allowed tools", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"function","name":"f"},{"type":"web_search"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"web_search"}]}}`,
		`{"model":"M","input":"x","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}}`, "web_search",
	},
	{
		"chat", "/v1/chat/completions", "openai",
		`{"web_search_options":{"search_context_size":"low"},"model":"M","messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search"},{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"web_search"}}`,
		`{"model":"M","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]}`, "web_search_options, web_search",
	},
	{
		"chat, members of other providers", "/v1/chat/completions", "openai",
		`{"model":"M","enable_search":true,"messages":[{"role":"user","content":"x"}],"plugins":[{"id":"web"}],"search_parameters":{"mode":"on"}}`,
		`{"model":"M","messages":[{"role":"user","content":"x"}]}`, "enable_search, plugins, search_parameters",
	},
	{
		"responses, members", "/v1/responses", "openai",
		`{"model":"M","input":"x","search_parameters":{},"plugins":[{"id":"web"}]}`, `{"model":"M","input":"x"}`, "search_parameters, plugins",
	},
	{
		"messages, members", "/v1/messages", "anthropic",
		`{"model":"M","max_tokens":9,"plugins":[{"id":"web"}],"messages":[{"role":"user","content":"x"}]}`,
		`{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, "plugins",
	},
	{
		"messages", "/v1/messages", "anthropic",
		`{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}],"mcp_servers":[{"url":"https://m.example"}],"tools":[{"name":"f","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"web_search"}}`,
		`{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		"mcp_servers, web_search_20250305",
	},
	{
		"generateContent", "/v1/gen/v1beta/models/M:generateContent", "gemini",
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"googleSearch":{}},{"url_context":{},"functionDeclarations":[{"name":"f"}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}`, "googleSearch, urlContext",
	},
	{
		"generateContent, no other tool", "/v1/gen/v1beta/models/M:generateContent", "gemini",
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":{"googleSearch":{}},"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`,
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, "googleSearch",
	},
	{
		"responses, namespaces", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search"},{"type":"mcp","server_label":"m"}]},{"tools":[{"type":"web_search"},{"type":"function","name":"f"}],"type":"namespace","name":"o"}]}`,
		`{"model":"M","input":"x","tools":[{"tools":[{"type":"function","name":"f"}],"type":"namespace","name":"o"}]}`, "web_search, mcp",
	},
	{
		"responses, a namespace with no other tool", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"web_search"}]}],"tool_choice":"required"}`,
		`{"model":"M","input":"x"}`, "web_search",
	},
	{
		"responses, a function of the same name", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"web_search"},{"type":"function","name":"web_search"}],"tool_choice":{"name":"web_search","type":"function"}}`,
		`{"model":"M","input":"x","tools":[{"type":"function","name":"web_search"}],"tool_choice":{"name":"web_search","type":"function"}}`, "web_search",
	},
	{
		"responses, an allowed function of the same name", "/v1/responses", "openai",
		`{"model":"M","input":"x","tools":[{"type":"web_search"},{"type":"custom","name":"web_search"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"web_search"},{"type":"custom","name":"web_search"}]}}`,
		`{"model":"M","input":"x","tools":[{"type":"custom","name":"web_search"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"custom","name":"web_search"}]}}`, "web_search",
	},
	{
		"generateContent, an empty list of functions", "/v1/gen/v1beta/models/M:generateContent", "gemini",
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"googleSearch":{},"functionDeclarations":[]},{"functionDeclarations":null}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`,
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, "googleSearch",
	},
	{
		"generateContent, an empty list beside another", "/v1/gen/v1beta/models/M:generateContent", "gemini",
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":null,"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}`, "googleSearch",
	},
	{
		"messages, servers alone", "/v1/messages", "anthropic",
		`{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}],"mcp_servers":[{"url":"https://m.example"}],"tool_choice":{"type":"any"}}`,
		`{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`, "mcp_servers",
	},
	{
		"countTokens of a whole request", "/v1/gen/v1beta/models/M:countTokens", "gemini",
		`{"generateContentRequest":{"model":"models/M","tools":[{"googleSearch":{}}],"contents":[{"role":"user","parts":[{"text":"x"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}}`,
		`{"generateContentRequest":{"model":"models/M","contents":[{"role":"user","parts":[{"text":"x"}]}]}}`, "googleSearch",
	},
	{
		"countTokens, one tool without a list", "/v1/gen/v1beta/models/M:countTokens", "gemini",
		`{"generate_content_request":{"model":"models/M","tools":{"google_search":{}},"tool_config":{},"contents":[{"role":"user","parts":[{"text":"x"}]}]}}`,
		`{"generate_content_request":{"model":"models/M","contents":[{"role":"user","parts":[{"text":"x"}]}]}}`, "googleSearch",
	},
}

// send posts a request for a model and returns the answer and what the provider was sent.
func (h *hostedCase) send(g *gate, up *fake, key, model string) (answer, []sent) {
	before := len(up.requests())
	a := g.postTo(strings.Replace(h.path, "/M:", "/"+model+":", 1), key, forModel(h.body, model))
	return a, up.requests()[before:]
}

// forModel writes a model's name into a body.
func forModel(body, model string) string {
	return strings.NewReplacer(`"model":"M"`, `"model":"`+model+`"`, `"models/M"`, `"models/`+model+`"`).Replace(body)
}

func withHosted(rule hosted.Rule) func(*snapshot.Runtime) {
	return func(rt *snapshot.Runtime) { rt.HostedTools = rule }
}

func TestHostedToolsAreRemovedAndNamedWhereTheRuleIsStrip(t *testing.T) {
	for _, h := range hostedCases {
		t.Run(h.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
			g := open(t, setup{provider: newProvider(t, h.kind, up.url), runtime: withHosted(hosted.Strip)})
			a, got := h.send(g, up, "dev", "gpt-test")
			require.Len(t, got, 1, a.body)
			assert.Equal(t, forModel(h.stripped, "gpt-test"), got[0].body)
			assert.Equal(t, h.names, a.header.Get("X-Gateway-Stripped-Tools"))
			request, _ := g.pair()
			assert.Equal(t, h.names, request["stripped_tools"])
			assert.NotContains(t, request, "hosted_tools")
		})
	}
}

func TestHostedToolsReachOnlyProvidersOfTheClientsShapeWhereTheRuleIsPass(t *testing.T) {
	other := map[string]string{"openai": "anthropic", "anthropic": "gemini", "gemini": "openai"}
	for _, h := range hostedCases {
		t.Run(h.name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
			g := open(t, setup{provider: newProvider(t, h.kind, up.url), runtime: withHosted(hosted.Pass)})
			a, got := h.send(g, up, "dev", "gpt-test")
			require.Len(t, got, 1, a.body)
			assert.Equal(t, forModel(h.body, "gpt-test"), got[0].body, "every byte as it came")
			assert.Empty(t, a.header.Get("X-Gateway-Stripped-Tools"))
			request, _ := g.pair()
			assert.Equal(t, h.names, request["hosted_tools"])

			g = open(t, setup{provider: newProvider(t, other[h.kind], up.url), runtime: withHosted(hosted.Pass)})
			a, got = h.send(g, up, "dev", "gpt-test")
			assert.Equal(t, 400, a.status, a.body)
			assert.Empty(t, got, "a provider of another shape cannot run them")
		})
	}
}

func TestMembersThatAskForNoHostedToolAreNoneOfThem(t *testing.T) {
	up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), runtime: withHosted(hosted.Refuse)})
	for _, member := range []string{`"web_search_options":null`, `"enable_search":false`, `"plugins":[]`, `"plugins": [ ] `, `"web_search":"as text"`} {
		before := len(up.requests())
		body := `{"model":"gpt-test","messages":[{"role":"user","content":"x"}],` + member + `}`
		a := g.post("dev", body)
		require.Len(t, up.requests()[before:], 1, a.body)
		assert.Equal(t, body, up.requests()[before].body)
	}
	for _, member := range []string{`"web_search_options":{}`, `"\u0077eb_search_options":{}`, `"enable_search":1`, `"plugins":["x"]`, `"tools":[{"type":"mcp"}]`} {
		before := len(up.requests())
		a := g.post("dev", `{"model":"gpt-test","messages":[{"role":"user","content":"x"}],`+member+`}`)
		assert.Equal(t, 400, a.status, member)
		assert.Contains(t, a.body, "hosted_tools")
		assert.Len(t, up.requests(), before)
	}
}

func TestTheStricterRuleOfTenantAndRouteHoldsForHostedTools(t *testing.T) {
	h := hostedCases[0]
	up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
	for _, x := range []struct {
		gateway, route hosted.Rule
		key            string // the tenant of "foreign" has the rule strip
		calls          int
		stripped       string
	}{
		{hosted.Refuse, hosted.Unset, "dev", 0, ""},
		{hosted.Unset, hosted.Unset, "dev", 0, ""},
		{hosted.Refuse, hosted.Pass, "dev", 1, ""},
		{hosted.Refuse, hosted.Strip, "dev", 1, h.names},
		{hosted.Pass, hosted.Refuse, "dev", 0, ""},
		{hosted.Refuse, hosted.Unset, "foreign", 1, h.names},
		{hosted.Pass, hosted.Unset, "foreign", 1, h.names},
		{hosted.Pass, hosted.Pass, "foreign", 1, h.names},
		{hosted.Pass, hosted.Refuse, "foreign", 0, ""},
	} {
		g := open(t, setup{provider: newProvider(t, h.kind, up.url), runtime: func(rt *snapshot.Runtime) {
			rt.HostedTools = x.gateway
			routes := rt.Router.Routes()
			for i := range routes {
				routes[i].HostedTools = x.route
			}
			require.NoError(t, rt.Router.Replace(routes))
		}})
		a, got := h.send(g, up, x.key, "gpt-test")
		assert.Len(t, got, x.calls, "%+v: %s", x, a.body)
		assert.Equal(t, x.stripped, a.header.Get("X-Gateway-Stripped-Tools"), "%+v", x)
		if x.calls == 0 {
			assert.Equal(t, 400, a.status, a.body)
			assert.Contains(t, a.body, "hosted_tools", "the refusal names the setting")
			request, _ := g.pair()
			assert.NotContains(t, request, "hosted_tools", "the audit log names what was allowed")
		}
	}
}

func TestGuardsReadARequestWhoseHostedToolsWereRemoved(t *testing.T) {
	up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
	g := open(t, setup{
		provider: newProvider(t, "openai", up.url), chain: redacting(t, "action: redact"), runtime: withHosted(hosted.Strip),
	})
	a := g.postTo("/v1/responses", "dev", `{"tools":[{"type":"web_search"}],"model":"gpt-test","input":"mail jo@example.com","stream":true}`)
	require.Len(t, up.requests(), 1, a.body)
	assert.NotContains(t, up.requests()[0].body, "jo@example.com")
	assert.NotContains(t, up.requests()[0].body, "web_search")
	assert.Contains(t, up.requests()[0].body, "{{PII_EMAIL_")
}

func TestAPrefixOrAnAliasDoesNotGetRoundARoutesRuleForHostedTools(t *testing.T) {
	h := hostedCases[0]
	up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
	for rule, calls := range map[hosted.Rule]int{hosted.Refuse: 0, hosted.Strip: 1} {
		g := open(t, setup{provider: newProvider(t, h.kind, up.url), runtime: func(rt *snapshot.Runtime) {
			rt.HostedTools = hosted.Pass
			routes := rt.Router.Routes()
			for i := range routes {
				if routes[i].Pattern == "gpt-test" {
					routes[i].HostedTools = rule
				}
			}
			require.NoError(t, rt.Router.Replace(append(routes, route.Route{
				Pattern: "alias", HostedTools: hosted.Pass, Targets: []route.Target{{Provider: h.kind, ModelOverride: "gpt-test"}},
			})))
		}})
		for _, model := range []string{"gpt-test", "openai/gpt-test", "OpenAI/gpt-test", "alias"} {
			a, got := h.send(g, up, "dev", model)
			require.Len(t, got, calls, "%s: %s", model, a.body)
			for _, s := range got {
				assert.NotContains(t, s.body, "web_search", model)
			}
		}
		_, got := h.send(g, up, "dev", "glob-1")
		require.Len(t, got, 1)
		assert.Contains(t, got[0].body, "web_search", "a model whose route has no rule")
	}
}

func TestTheAuditLogDoesNotCallHostedToolsOfARefusedRequestAllowed(t *testing.T) {
	h := hostedCases[0]
	for name, v := range map[string]core.Verdict{
		"a link routes it to a model whose rule forbids them": {Action: core.Rewrite, Patch: core.Patch{Model: "glob-1"}},
		"a link blocks it": {Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(buildWhole(418, "application/json", `{}`)))
			decides := link("decides", acts{check: runInPhase(core.Request, func() (core.Verdict, error) { return v, nil })}, core.Request)
			g := open(t, setup{provider: newProvider(t, h.kind, up.url), links: []chain.Link{decides}, runtime: func(rt *snapshot.Runtime) {
				rt.HostedTools = hosted.Refuse
				routes := rt.Router.Routes()
				for i := range routes {
					if routes[i].Pattern == "gpt-test" {
						routes[i].HostedTools = hosted.Pass
					}
				}
				require.NoError(t, rt.Router.Replace(routes))
			}})
			a, got := h.send(g, up, "dev", "gpt-test")
			assert.GreaterOrEqual(t, a.status, 400, a.body)
			assert.Empty(t, got)
			request, _ := g.pair()
			assert.NotContains(t, request, "hosted_tools")
		})
	}
}
