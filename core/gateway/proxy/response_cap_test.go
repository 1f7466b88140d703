package proxy_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// limited is a way to send a limit: the body, with LIMIT in place of the client's limit, and what the provider
// receives, with N for the number.
type limited struct {
	name, provider, model string
	path, body, limit     string
	field                 string
	needs                 bool // the provider requires a limit
}

const chatLimit, newLimit = `"max_tokens":N,`, `"max_completion_tokens":N,`

var limits = []limited{
	{
		name:     "chat",
		provider: "openai",
		model:    "gpt-4.1",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    chatLimit,
	},
	{
		name:     "chat with the new name",
		provider: "openai",
		model:    "gpt-4.1",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    newLimit,
		field:    chatLimit,
	},
	{
		name:     "chat of a reasoning model",
		provider: "openai",
		model:    "gpt-5.4",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    newLimit,
	},
	{
		name:     "chat of the o-series",
		provider: "openai",
		model:    "o3",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    newLimit,
		field:    newLimit,
	},
	{
		name:     "chat of a reasoning deployment",
		provider: "azure-openai",
		model:    "gpt-5-mini",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    newLimit,
	},
	{
		name:     "chat by the Responses API",
		provider: "openai",
		model:    "gpt-5.4",
		body:     `{LIMIT"model":"M","reasoning_effort":"high","messages":[{"role":"user","content":"x"}],` + chatTool + `}`,
		limit:    newLimit,
		field:    `"max_output_tokens":N`,
	},
	{
		name:     "chat",
		provider: "mistral",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    newLimit,
		field:    chatLimit,
	},
	{
		name:     "chat",
		provider: "anthropic",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"max_tokens":N`,
		needs:    true,
	},
	{
		name:     "chat",
		provider: "gemini",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"maxOutputTokens":N`,
	},
	{
		name:     "chat",
		provider: "bedrock",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"maxTokens":N`,
	},
	{
		name:     "chat",
		provider: "ollama",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"num_predict":N`,
	},
	{
		name:     "completions",
		provider: "openai",
		model:    "gpt-4.1",
		path:     "/v1/completions",
		body:     `{LIMIT"model":"M","prompt":"x"}`,
		limit:    chatLimit,
		field:    `"max_tokens":N`,
	},
	{
		name:     "messages",
		provider: "openai",
		model:    "gpt-4.1",
		path:     "/v1/messages",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"max_tokens":N`,
	},
	{
		name:     "messages for a reasoning model",
		provider: "openai",
		model:    "gpt-5.4",
		path:     "/v1/messages",
		body:     `{LIMIT"model":"M","messages":[{"role":"user","content":"x"}]}`,
		limit:    chatLimit,
		field:    `"max_completion_tokens":N`,
	},
	{
		name:     "responses",
		provider: "openai",
		path:     "/v1/responses",
		body:     `{LIMIT"model":"M","input":"x"}`,
		limit:    `"max_output_tokens":N,`,
		field:    `"max_output_tokens":N`,
	},
	{
		name:     "responses",
		provider: "anthropic",
		path:     "/v1/responses",
		body:     `{LIMIT"model":"M","input":"x"}`,
		limit:    `"max_output_tokens":N,`,
		field:    `"max_tokens":N`,
		needs:    true,
	},
	{
		name:     "generateContent",
		provider: "gemini",
		path:     "/v1/gen/v1beta/models/M:generateContent",
		body:     `{LIMIT"contents":[{"role":"user","parts":[{"text":"x"}]}]}`,
		limit:    `"generationConfig":{"maxOutputTokens":N},`,
		field:    `"maxOutputTokens":N`,
	},
	{
		name:     "generateContent",
		provider: "openai",
		model:    "gpt-4.1",
		path:     "/v1/gen/v1beta/models/M:generateContent",
		body:     `{LIMIT"contents":[{"role":"user","parts":[{"text":"x"}]}]}`,
		limit:    `"generationConfig":{"maxOutputTokens":N},`,
		field:    `"max_tokens":N`,
	},
	{
		name:     "the editor's agent",
		provider: "openai",
		model:    "gpt-4.1",
		path:     "/v1/ide/chat/completions",
		body:     `{LIMIT"model":"M","input":"x"}`,
		limit:    `"max_output_tokens":N,`,
		field:    `"max_tokens":N`,
	},
}

// capping is a stage that caps answers.
func capping(n int64) chain.Link {
	return link("caps", acts{check: runInPhase(core.Request, func() (core.Verdict, error) {
		return core.Verdict{Action: core.Rewrite, Patch: core.Patch{MaxTokens: n}}, nil
	})}, core.Request)
}

func TestTheResponseCapIsTheLimitOfARequestWithoutOne(t *testing.T) {
	for _, l := range limits {
		for _, c := range []struct {
			name                        string
			standard, client, stage, is int64
		}{
			{"the default where the client sets none", 1234, 0, 0, 1234},
			{"0 turns the default off", 0, 0, 0, 0},
			{"the client's limit stays, though it is higher", 1234, 5678, 0, 5678},
			{"the client's limit stays, though it is lower", 1234, 56, 0, 56},
			{"a stage's cap is lower than the client's limit", 1234, 5678, 77, 77},
			{"a stage's cap is higher than the client's limit", 1234, 56, 77, 56},
			{"a stage's cap is lower than the default", 1234, 0, 77, 77},
			{"a stage's cap is higher than the default", 1234, 0, 7700, 1234},
			{"a stage's cap where the default is off", 0, 0, 77, 77},
		} {
			t.Run(l.name+", "+l.provider+", "+c.name, func(t *testing.T) {
				up := newFake(t, answersBriefly)
				s := setup{provider: newProvider(t, l.provider, up.url), cap: c.standard}
				if c.stage > 0 {
					s.links = []chain.Link{capping(c.stage)}
				}
				g := open(t, s)
				model := l.model
				if model == "" {
					model = usual[l.provider]
				}
				asked := ""
				if c.client > 0 {
					asked = strings.Replace(l.limit, "N", strconv.FormatInt(c.client, 10), 1)
				}
				path := l.path
				if path == "" {
					path = "/v1/chat/completions"
				}
				fill := strings.NewReplacer(`"M"`, `"`+l.provider+"/"+model+`"`, "/M:", "/"+l.provider+"/"+model+":", "LIMIT", asked)
				a := g.callPath(fill.Replace(path), fill.Replace(l.body))
				require.Equal(t, 200, a.status, a.body)
				body := up.last(t).body
				name, _, _ := strings.Cut(l.field, "N")
				if c.is == 0 && !l.needs {
					assert.NotContains(t, body, name)
					return
				}
				if c.is > 0 {
					assert.Contains(t, body, strings.TrimSuffix(strings.Replace(l.field, "N", strconv.FormatInt(c.is, 10), 1), ","))
				}
				assert.Equal(t, 1, strings.Count(body, name), body)
				for _, other := range []string{`"max_tokens"`, `"max_completion_tokens"`, `"max_output_tokens"`} {
					if !strings.HasPrefix(name, other) {
						assert.NotContains(t, body, other, "one limit is sent, under the name that the model takes")
					}
				}
			})
		}
	}
}

func TestMessagesForAnthropicNeedALimitFromSomebody(t *testing.T) {
	up := newFake(t, answersBriefly)
	a := open(
		t,
		setup{provider: newProvider(t, "anthropic", up.url)},
	).callPath(
		"/v1/messages",
		`{"model":"gpt-test","messages":[{"role":"user","content":"x"}]}`,
	)
	assert.Equal(t, 400, a.status, "the default is off, and the provider would refuse the request")
	assert.Contains(t, a.body, "max_tokens")
	assert.Empty(t, up.requests())
}

func TestWhatGeneratesNothingIsNotCapped(t *testing.T) {
	for _, c := range []struct{ provider, path, body string }{
		{"openai", "/v1/embeddings", `{"model":"openai/text-embedding-3-small","input":"x"}`},
		{"anthropic", "/v1/messages/count_tokens", `{"model":"anthropic/claude-sonnet-4-5","messages":[{"role":"user","content":"x"}]}`},
		{"gemini", "/v1/gen/v1beta/models/gemini/gemini-2.5-pro:countTokens", `{"contents":[{"parts":[{"text":"x"}]}]}`},
		{"openai", compactPath, `{"model":"openai/gpt-5.4","input":"x"}`}, // its API has no such field
	} {
		up := newFake(t, func(conn netConn, r sent) {
			if strings.HasSuffix(r.path, "/embeddings") {
				says(
					buildWhole(
						200,
						"application/json",
						`{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":[1]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
					),
				)(
					conn,
					r,
				)
				return
			}
			if r.path == compactPath {
				says(buildWhole(200, "application/json", buildCompacted("x", "")))(conn, r)
				return
			}
			answersBriefly(conn, r)
		})
		a := open(t, setup{provider: newProvider(t, c.provider, up.url), cap: 1234, links: []chain.Link{capping(77)}}).callPath(c.path, c.body)
		require.Equal(t, 200, a.status, a.body)
		for _, s := range []string{"1234", "77", "ax_tokens", "axOutput"} {
			assert.NotContains(t, up.last(t).body, s, c.path)
		}
	}
}
