package proxy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRulesOfMessages(t *testing.T) {
	const asked = `{"model":"M","max_tokens":100,"messages":[{"role":"user","content":"x"}]`
	const path = "/v1/messages"
	rulings := []ruling{
		{
			sentence: "every field, role and block goes through as sent",
			provider: "anthropic",
			asSent:   true,
			at:       "/v1/messages",
			body: `{"model":"M","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":2048},"cache_control":{"type":"ephemeral"},"service_tier":"auto","context_management":{"edits":[]},"x":1.50,` +
				`"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}},{"type":"hologram","y":1}]}]}`,
		},
		{
			sentence: "an object in metadata.user_id is forwarded as sent",
			provider: "anthropic",
			asSent:   true,
			body:     asked + `,"metadata":{"user_id":{"device_id":"d","session":"s-1"}}}`,
		},
		{
			sentence: "an object as text in metadata.user_id is forwarded as sent",
			provider: "anthropic",
			asSent:   true,
			body:     asked + `,"metadata":{"user_id":"{\"device_id\":\"d\"}"}}`,
		},
		{
			sentence: "a mail address in metadata.user_id is redacted like any other",
			provider: "anthropic",
			body:     asked + `,"metadata":{"user_id":{"mail":"ann@example.com"}}}`,
			sent:     []string{`{"mail":"{{PII_EMAIL_`},
			unsent:   []string{"ann@example.com"},
		},
		{
			sentence: "a plain id is the end user elsewhere",
			provider: "openai",
			body:     asked + `,"metadata":{"user_id":"user-7"}}`,
			sent:     []string{`"user":"user-7"`},
		},
		{
			sentence: "an object in metadata.user_id is not an end user elsewhere",
			provider: "openai",
			body:     asked + `,"metadata":{"user_id":{"id":"user-7"}}}`,
			unsent:   []string{"user-7"},
			omits:    []string{"metadata.user_id"},
		},
		{
			sentence: "fields and blocks that are not modelled are dropped",
			provider: "openai",
			omits:    []string{"cache_control", "content.hologram", "context_management", "service_tier"},
			body:     `{"model":"M","max_tokens":100,"service_tier":"auto","context_management":{"edits":[1]},"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},{"type":"hologram","z":1}]}]}`,
			sent: []string{
				`"content":"x"`,
			},
			unsent: []string{"cache_control", "hologram", "service_tier", "context_management"},
			gives:  []string{`{"type":"text","text":"ok"}`, `"stop_reason":"end_turn"`},
		},
		{
			sentence: "a file is dropped as a block type that is not modelled",
			provider: "openai",
			omits:    []string{"content.document"},
			unsent:   []string{"JVBERi0"},
			sent:     []string{`"content":"x"`},
			body:     `{"model":"M","max_tokens":100,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},{"type":"text","text":"x"}]}]}`,
		},
		{
			sentence: "a text document becomes text",
			provider: "gemini",
			sent:     []string{`{"text":"all of it"}`, `{"text":"x"}`},
			body:     `{"model":"M","max_tokens":100,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"all of it"}},{"type":"text","text":"x"}]}]}`,
		},
		{
			sentence: "a tool whose schema only the vendor's models know is refused",
			provider: "openai",
			body:     asked + `,"tools":[{"type":"bash_20250124","name":"bash"}]}`,
			refused:  "bash_20250124",
		},
		{
			sentence: "a tool whose schema only the vendor's models know is refused",
			provider: "gemini",
			body:     asked + `,"tools":[{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"}]}`,
			refused:  "text_editor_20250728",
		},
		{
			sentence: "a tool whose schema only the vendor's models know is sent to them",
			provider: "anthropic",
			asSent:   true,
			body:     asked + `,"tools":[{"type":"bash_20250124","name":"bash"},{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"}]}`,
		},
		{
			sentence: "tools with an effort go to the API that accepts both",
			provider: "openai",
			at:       "/v1/responses",
			sent:     []string{`"reasoning":{"effort":"medium"}`, `"name":"f"`},
			gives:    []string{`{"type":"text","text":"ok"}`, `"stop_reason":"end_turn"`},
			body:     asked + `,"output_config":{"effort":"medium"},"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		},
		{
			sentence: "the provider counts",
			provider: "anthropic",
			path:     path + "/count_tokens",
			body:     `{"model":"M","messages":[{"role":"user","content":"x"}]}`,
			at:       "/v1/messages/count_tokens",
			gives:    []string{`{"input_tokens":77}`},
		},
	}
	for p, at := range map[string]string{
		"bedrock": "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke",
		"vertex":  "/v1/projects/my-project/locations/eu-central-1/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict",
	} {
		const rest = `"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":2048},` +
			`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"tools":[{"type":"bash_20250124","name":"bash"}],"messages":[{"role":"user","content":"x"}]}`
		rulings = append(rulings, ruling{
			sentence: "a cloud is sent its version in place of the model, and all else as it is", provider: p, at: at,
			body: `{"model":"M",` + rest, sent: []string{`"anthropic_version":"` + p + `-202`, "," + rest}, unsent: []string{`"model"`},
			gives: []string{`{"type":"text","text":"ok"}`},
		})
	}
	for _, p := range []string{"openai", "azure-openai", "gemini", "groq", "mistral", "ollama", "xai"} {
		rulings = append(rulings, ruling{
			sentence: "extended thinking is refused by the provider's name", provider: p, refused: newProvider(t, p, "http://127.0.0.1:1").Label(),
			body: `{"model":"M","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":2048},"messages":[{"role":"user","content":"x"}]}`,
		})
	}
	for _, p := range []string{"anthropic", "openai", "bedrock"} {
		for name, field := range map[string]string{
			"server tools": `"tools":[{"type":"web_search_20250305","name":"web_search"}]`, "mcp_servers": `"mcp_servers":[{"type":"url","url":"https://x.example","name":"s"}]`,
			"container": `"container":"container_1"`,
		} {
			rulings = append(
				rulings,
				ruling{sentence: name + " are refused", provider: p, body: asked + "," + field + "}", refused: `"type":"invalid_request_error"`},
			)
		}
	}
	for i := range rulings {
		if rulings[i].path == "" {
			rulings[i].path = path
		}
	}
	tryAll(t, rulings)
}

func TestTheBetaHeaderGoesThrough(t *testing.T) {
	for _, header := range []string{"Anthropic-Beta", "msgapi-beta"} {
		up := newFake(t, says(buildWhole(200, "application/json", briefly["/messages"])))
		g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
		a := g.callPath(
			"/v1/messages",
			`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`,
			header,
			"context-1m-2026-01-01",
		)
		require.Equal(t, 200, a.status)
		assert.Equal(t, briefly["/messages"], a.body)
		assert.Equal(t, "context-1m-2026-01-01", up.last(t).header.Get("Anthropic-Beta"))
	}
}

func TestTheBetaHeaderGoesNoFurtherThanItsOwnShape(t *testing.T) {
	up := newFake(t, answersBriefly)
	g := open(t, setup{provider: newProvider(t, "openai", up.url)})
	a := g.callPath(
		"/v1/messages",
		`{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`,
		"Anthropic-Beta",
		"b",
		"msgapi-beta",
		"b",
		"x-api-key",
		g.key["dev"],
	)
	require.Equal(t, 200, a.status, a.body)
	for _, name := range []string{"Anthropic-Beta", "Msgapi-Beta", "X-Api-Key"} {
		assert.Empty(t, up.last(t).header.Get(name), name)
	}
}

func TestACountOnAnotherProviderAsksNobody(t *testing.T) {
	for _, p := range []string{"openai", "gemini", "bedrock"} {
		up := newFake(t, says(buildWhole(500, "application/json", "{}")))
		g := open(t, setup{provider: newProvider(t, p, up.url)})
		a := g.callPath("/v1/messages/count_tokens", `{"model":"gpt-test","messages":[{"role":"user","content":"hello world"}]}`)
		require.Equal(t, 200, a.status, a.body)
		assert.Regexp(t, `^\{"input_tokens":[1-9][0-9]*\}$`, a.body)
		assert.Empty(t, up.requests())
		assert.Equal(t, 401, g.callPath("/v1/messages/count_tokens", `{}`, "Authorization", "Bearer none").status)
		assert.Equal(t, 403, g.callPath("/v1/messages/count_tokens", `{}`, "Authorization", "Bearer "+g.key["models"]).status)
	}
}

func TestTheVersionHeaderAsksForTheMessagesListOfModels(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "anthropic", "")})
	for _, header := range []string{"anthropic-version", "msgapi-version"} {
		r := g.request("dev", nil, header, "2023-06-01")
		r.Method, r.URL.Path = http.MethodGet, "/v1/models"
		a := g.do(r)
		require.Equal(t, 200, a.status)
		assert.Contains(t, a.body, `"type":"model","id":"gpt-test"`, header)
		assert.NotContains(t, a.body, "mock-echo", "no other provider's models")
		r.Header.Set("Authorization", "Bearer none")
		assert.Contains(t, g.do(r).body, `{"type":"error","error":{"type":"authentication_error"`, header)
	}
}
