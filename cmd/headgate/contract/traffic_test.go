package contract_test

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	placeholderText = regexp.MustCompile(`\{\{PII_[A-Z_]+_[0-9a-f]{16,24}\}\}`)
	patText         = regexp.MustCompile(`headgate_pat_[A-Za-z0-9_-]+`)
	signatureHeader = regexp.MustCompile(`(?i)signature`)
)

const generate = "/v1/gen/v1beta/models/mock-echo:"

// anybody returns a client with the key of the configuration file.
func (t *T) anybody() *client { t.Helper(); return t.bearer(fileKey) }

var contents = m{"contents": []m{{"role": "user", "parts": []m{{"text": "hello there"}}}}}

// echoes requires that the answer's text at a path equals the text sent to the mock. In a list the path continues in the first element.
func (t *T) echoes(answer m, text string, path ...string) {
	t.Helper()
	var at any = answer
	for _, name := range path {
		o, _ := at.(m)
		if at = o[name]; at != nil {
			if l, ok := at.([]any); ok && len(l) > 0 {
				at = l[0]
			}
		}
	}
	assert.Equal(t, text, at, "%v of %v", path, answer)
}

var trafficRows = rows{
	"v1.chat": func(t *T) {
		o := t.anybody().chat("mock-echo", "hello there").object()
		assert.Equal(t, "chat.completion", o["object"])
		t.fields(o, "id", "created", "usage")
		t.echoes(o, "hello there", "choices", "message", "content")
		body := buildChat("mock-echo", "hello there")
		body["stream"] = true
		a := t.anybody().post("/v1/chat/completions", body).is(200)
		assert.True(t, strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream"))
		assert.Contains(t, string(a.body), `"chat.completion.chunk"`)
		assert.True(t, bytes.HasSuffix(bytes.TrimSpace(a.body), []byte("data: [DONE]")))
	},
	"v1.completions": func(t *T) {
		o := t.anybody().post("/v1/completions", m{"model": "mock-echo", "prompt": "hello there", "max_tokens": 50}).is(200).object()
		assert.Equal(t, "text_completion", o["object"])
		choices, _ := o["choices"].([]any)
		require.Len(t, choices, 1)
		t.fields(choices[0].(m), "text", "index", "finish_reason")
		t.echoes(o, "hello there", "choices", "text")
		t.anybody().post("/v1/completions", m{"prompt": "a"}).requireRefusal(400, "invalid_request_error", "")
		t.anybody().post("/v1/completions", m{"model": "mock-echo"}).requireRefusal(400, "invalid_request_error", "")
	},
	"v1.embeddings": func(t *T) {
		o := t.anybody().post("/v1/embeddings", m{"model": "text-embedding-mock", "input": []string{"a", "b"}}).is(200).object()
		assert.Equal(t, "list", o["object"])
		data, _ := o["data"].([]any)
		require.Len(t, data, 2)
		assert.Equal(t, "embedding", data[1].(m)["object"])
		assert.EqualValues(t, 1, data[1].(m)["index"])
		assert.Equal(t, "text-embedding-mock", o["model"])
		// The vectors are those of these texts, in their order: alone, each text has the same one.
		for i, text := range []string{"a", "b"} {
			alone := t.anybody().post("/v1/embeddings", m{"model": "text-embedding-mock", "input": text}).is(200).object()["data"].([]any)
			require.Len(t, alone, 1)
			assert.NotEmpty(t, alone[0].(m)["embedding"])
			assert.Equal(t, alone[0].(m)["embedding"], data[i].(m)["embedding"])
		}
		assert.NotEqual(t, data[0].(m)["embedding"], data[1].(m)["embedding"])
		t.anybody().post("/v1/embeddings", m{"model": "mock-echo", "input": "a"}).requireRefusal(400, "invalid_request_error", "")
	},
	"v1.models": func(t *T) { t.requireRecord(t.anybody().get("/v1/models").is(200).list(), "id", "mock-echo") },
	"v1.estimate": func(t *T) {
		o := t.anybody().post("/v1/budget/estimate", m{"model": "mock-echo", "max_tokens": 10}).is(200).object()
		t.fields(o, "estimated_cost_usd")
		assert.Equal(t, false, o["would_exceed_budget"], "there is no budget")
		t.anybody().post("/v1/budget/estimate", m{"max_tokens": 10}).requireRefusal(400, "invalid_request_error", "")
	},
	"v1.messages": func(t *T) {
		o := t.anybody().post(
			"/v1/messages",
			m{"model": "mock-echo", "max_tokens": 50, "messages": []m{{"role": "user", "content": "hello there"}}},
		).is(
			200,
		).object()
		assert.Equal(t, "message", o["type"])
		t.echoes(o, "hello there", "content", "text")
	},
	"v1.count_tokens": func(t *T) {
		o := t.anybody().post(
			"/v1/messages/count_tokens",
			m{"model": "mock-echo", "messages": []m{{"role": "user", "content": "hello there"}}},
		).is(
			200,
		).object()
		assert.InDelta(t, 3, t.number(o, "input_tokens"), 0)
	},
	"v1.responses": func(t *T) {
		o := t.anybody().post("/v1/responses", m{"model": "mock-echo", "input": "hello there"}).is(200).object()
		assert.Equal(t, "response", o["object"])
		t.echoes(o, "hello there", "output", "content", "text")
		a := t.anybody().post("/v1/responses", m{"model": "mock-echo", "input": "hello there", "stream": true}).is(200)
		assert.Contains(t, string(a.body), "event: response.completed")
	},
	"v1.generate": func(t *T) {
		o := t.anybody().post(generate+"generateContent", contents).is(200).object()
		t.echoes(o, "hello there", "candidates", "content", "parts", "text")
		o = t.client().addHeader("x-gen-api-key", fileKey).post(generate+"generateContent", contents).is(200).object()
		t.echoes(o, "hello there", "candidates", "content", "parts", "text")
	},
	"v1.stream_generate": func(t *T) {
		a := t.anybody().post(generate+"streamGenerateContent?alt=sse", contents).is(200)
		assert.True(t, strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream"))
		assert.True(t, bytes.HasPrefix(a.body, []byte("data: {")))
	},
	"v1.count_contents": func(t *T) {
		assert.InDelta(t, 3, t.number(t.anybody().post(generate+"countTokens", contents).is(200).object(), "totalTokens"), 0)
	},
	"v1.ide_models": func(t *T) { t.requireRecord(t.anybody().get("/v1/ide/models").is(200).list(), "id", "mock-echo") },
	"v1.ide_chat": func(t *T) {
		for _, body := range []m{buildChat("mock-echo", "hello"), {"model": "mock-echo", "input": "hello"}} {
			o := t.anybody().post("/v1/ide/chat/completions", body).is(200).object()
			assert.Equal(t, "chat.completion", o["object"])
			t.echoes(o, "hello", "choices", "message", "content")
		}
	},
	"model.fields": func(t *T) {
		o := t.requireRecord(t.anybody().get("/v1/models").is(200).list(), "owned_by", "mock")
		assert.Equal(t, "model", o["object"])
		t.id(o)
		assert.InDelta(t, float64(int64(t.number(o, "created"))), o["created"], 0)
		capabilities, _ := o["capabilities"].(m)
		t.capable(capabilities)
	},
	"auth.data.1": func(t *T) {
		for _, c := range []*client{t.client(), t.bearer("gw_nobody-has-this-key-0123456789"), t.bearer("")} {
			c.get("/v1/models").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
			c.post("/v1/chat/completions", buildChat("mock-echo", "hi")).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		}
		t.client().get("/v1/models?key="+fileKey).requireRefusal(401, "authentication_error", "UNAUTHORIZED")
		t.requireRecord(t.anybody().get("/v1/models").is(200).list(), "id", "mock-echo")
	},
	"auth.data.2": func(t *T) {
		tenant := t.tenant()
		k := t.owner().post(keysOf(tenant), m{"name": "a", "scopes": []string{"models:read"}}).is(201).object()
		c := t.bearer(t.text(k, "key"))
		t.opens(t.text(k, "key"))
		assert.Contains(
			t,
			c.post("/v1/chat/completions", buildChat("mock-echo", "hi")).requireRefusal(403, "authorization_error", "FORBIDDEN"),
			"completions:write",
		)
		assert.Contains(
			t,
			c.post("/v1/embeddings", m{"model": "text-embedding-mock", "input": "a"}).requireRefusal(403, "authorization_error", "FORBIDDEN"),
			"embeddings:write",
		)
		assert.Contains(t, c.get("/v1/batches").requireRefusal(403, "authorization_error", "FORBIDDEN"), "batches:write")
	},
	"error.both_limits": func(t *T) {
		body := buildChat("mock-echo", "hi")
		body["max_tokens"], body["max_completion_tokens"] = 10, 20
		t.anybody().post("/v1/chat/completions", body).requireRefusal(400, "invalid_request_error", "")
	},
	"decision.mcp_a2a": func(t *T) {
		for _, path := range []string{"/mcp", "/mcp/x", "/a2a", "/a2a/x"} {
			t.anybody().get(path).requireRefusal(404, "not_found_error", "")
			t.anybody().post(path, m{}).requireRefusal(404, "not_found_error", "")
		}
	},
}

var headerRows = rows{
	"header.trace_request": func(t *T) {
		for _, path := range []string{"/status", "/v1/models", "/admin/v1/tenants", "/no-such-path"} {
			assert.Equal(t, "trace-of-mine-1", t.client().addHeader("X-Trace-ID", "trace-of-mine-1").get(path).header.Get("X-Trace-ID"), path)
		}
		answer := t.anybody().addHeader("X-Trace-ID", "trace-of-mine-2").chat("mock-echo", "hello")
		assert.Equal(t, "trace-of-mine-2", answer.header.Get("X-Trace-ID"))
	},
	"header.trace_response": func(t *T) {
		seen := map[string]bool{}
		for _, path := range []string{
			"/", "/try", "/status", "/v1/models", "/admin/v1/tenants", "/admin/v1/no-such", "/internal/v1/config/version", "/actuator/license",
			"/v3/api-docs/public", "/no-such-path",
		} {
			id := t.client().get(path).header.Get("X-Trace-ID")
			assert.Regexp(t, `^[0-9a-f]{32}$`, id, path)
			assert.False(t, seen[id], "an id is used twice")
			seen[id] = true
		}
		tenant := t.tenant()
		id := t.caller(tenant).chat("mock-echo", "hello").header.Get("X-Trace-ID")
		assert.Regexp(t, `^[0-9a-f]{32}$`, id)
		t.awaitEvent(tenant, "GATEWAY_RESPONSE", id)
	},
	"header.cache": func(t *T) {
		c := t.caller(t.tenant())
		assert.Equal(t, "MISS", c.chat("mock-echo", "one question").header.Get("X-Cache"))
		assert.Equal(t, "HIT", c.chat("mock-echo", "one question").header.Get("X-Cache"))
		body := buildChat("mock-echo", "one question")
		body["stream"] = true
		assert.Empty(t, c.post("/v1/chat/completions", body).is(200).header.Get("X-Cache"))
		bare := t.useVariant(unlicensed)
		assert.Empty(t, bare.anybody().chat("mock-echo", "one question").header.Get("X-Cache"), "the cache is off there")
	},
	"header.cache_control": func(t *T) {
		c := t.caller(t.tenant())
		c.chat("mock-echo", "another question")
		assert.Equal(t, "HIT", c.chat("mock-echo", "another question").header.Get("X-Cache"))
		assert.Equal(t, "MISS", c.addHeader("X-Cache-Control", "no-cache").chat("mock-echo", "another question").header.Get("X-Cache"))
	},
	"header.authorization": func(t *T) {
		t.requireRecord(t.anybody().get("/v1/models").is(200).list(), "id", "mock-echo")
		t.client().addHeader("Authorization", "Basic "+fileKey).get("/v1/models").requireRefusal(401, "authentication_error", "UNAUTHORIZED")
	},
	"header.budget_warning": func(t *T) {
		tenant := t.tenant()
		c := t.caller(tenant)
		assert.Empty(t, c.chat("mock-echo", "hi").header.Get("X-Budget-Warning"))
		t.becomes(
			t.policy(tenant, "version: 1\nrules:\n  - id: w\n    conditions:\n      model.allowlist: [nothing]\n    action: WARN_AGENT\n"),
			"ACTIVE",
		)
		t.becomes(
			t.policy(tenant, "version: 1\nrules:\n  - id: w\n    conditions:\n      model.denylist: [mock-echo]\n    action: WARN_AGENT\n"),
			"ACTIVE",
		)
		t.eventually("the rule fires", func() bool { return c.chat("mock-echo", "hi").header.Get("X-Budget-Warning") == "true" })
	},
}
