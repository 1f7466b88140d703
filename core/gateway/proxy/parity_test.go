package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// governed are all endpoints that accept a request, each with a request that the mock answers.
var governed = []struct {
	path, body, scope string
	free              bool // no model is called
}{
	{"/v1/chat/completions", `{"model":"mock-echo","messages":[{"role":"user","content":"to ann@example.com"}]}`, "completions:write", false},
	{"/v1/completions", `{"model":"mock-echo","prompt":"to ann@example.com"}`, "completions:write", false},
	{"/v1/embeddings", `{"model":"mock/text-embedding-3","input":"to ann@example.com"}`, "embeddings:write", false},
	{
		"/v1/messages",
		`{"model":"mock-echo","max_tokens":9,"messages":[{"role":"user","content":"to ann@example.com"}]}`,
		"completions:write",
		false,
	},
	{
		"/v1/messages/count_tokens",
		`{"model":"mock-echo","messages":[{"role":"user","content":"to ann@example.com"}]}`,
		"completions:write",
		true,
	},
	{"/v1/responses", `{"model":"mock-echo","input":"to ann@example.com"}`, "completions:write", false},
	{compactPath, `{"model":"mock-echo","input":"to ann@example.com"}`, "completions:write", false},
	{
		"/v1/gen/v1beta/models/mock-echo:generateContent",
		`{"contents":[{"parts":[{"text":"to ann@example.com"}]}]}`,
		"completions:write",
		false,
	},
	{
		"/v1/gen/v1beta/models/mock-echo:streamGenerateContent?alt=sse",
		`{"contents":[{"parts":[{"text":"to ann@example.com"}]}]}`,
		"completions:write",
		false,
	},
	{"/v1/gen/v1beta/models/mock/text-embedding-3:embedContent", `{"content":{"parts":[{"text":"to ann@example.com"}]}}`, "embeddings:write", false},
	{
		"/v1beta/models/mock/text-embedding-3:batchEmbedContents",
		`{"requests":[{"model":"models/text-embedding-3","content":{"parts":[{"text":"to ann@example.com"}]}}]}`,
		"embeddings:write",
		false,
	},
	{"/v1/gen/v1beta/models/mock-echo:countTokens", `{"contents":[{"parts":[{"text":"to ann@example.com"}]}]}`, "completions:write", true},
	{
		"/v1/ide/chat/completions",
		`{"model":"mock-echo","messages":[{"role":"user","content":"to ann@example.com"}]}`,
		"completions:write",
		false,
	},
	{"/v1/ide/chat/completions", `{"model":"mock-echo","input":"to ann@example.com"}`, "completions:write", false},
}

func (g *gate) callAs(key, path, body string) answer {
	r := g.request(key, strings.NewReader(body))
	path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	r.URL.Path = path
	return g.do(r)
}

func TestEveryRequestIsCheckedMeteredAndAuditedAsChatIs(t *testing.T) {
	for _, c := range governed {
		t.Run(c.path, func(t *testing.T) {
			t.Run("served", func(t *testing.T) {
				g := open(t, setup{chain: redacting(t, "")})
				a := g.callAs("dev", c.path, c.body)
				require.Equal(t, 200, a.status, a.body)
				assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
				req, res := g.pair()
				assert.NotEmpty(t, req["findings"], "the address is found")
				assert.Equal(t, "served", res["outcome"])
				assert.Equal(t, "mock", res["provider"])
				assert.Equal(t, "served", g.outcome()["outcome"])
				u := g.usage()
				if c.free {
					assert.Zero(t, u.Input+u.Output, "a count costs nothing")
				} else {
					assert.Positive(t, u.Input)
				}
			})
			t.Run("blocked", func(t *testing.T) {
				g := open(t, setup{chain: redacting(t, "action: block")})
				a := g.callAs("dev", c.path, c.body)
				assert.Equal(t, 400, a.status, a.body)
				res := g.outcome()
				assert.Equal(t, "blocked", res["outcome"])
				assert.InDelta(t, 400, res["status"], 0)
			})
			for key, status := range map[string]int{"": 401, "headgate_pat_0123456789": 401, "models": 403, "suspended": 403, "limited": 403} {
				t.Run("refused to "+key, func(t *testing.T) {
					g := open(t, setup{})
					a := g.callAs(key, c.path, c.body)
					assert.Equal(t, status, a.status, a.body)
					assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
					switch key {
					case "models":
						assert.Contains(t, a.body, c.scope)
					case "suspended":
						assert.Contains(t, a.body, "suspended")
					case "limited":
						assert.Contains(t, a.body, "must not use this model")
					}
				})
			}
		})
	}
}

func TestACountIsTheProvidersOwnWhereItHasOne(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", `{"input_tokens":2095}`)))
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
	const body = `{"model":"gpt-test","messages":[{"role":"user","content":"x"}]}`
	a := g.callAs("dev", "/v1/messages/count_tokens", body)
	assert.Equal(t, 200, a.status)
	assert.JSONEq(t, `{"input_tokens":2095}`, a.body)
	assert.JSONEq(t, body, up.last(t).body)
	assert.Equal(t, "served", g.outcome()["outcome"])
	u := g.usage()
	assert.Zero(t, u.Input+u.Output, "nothing was generated")
}

func TestASchemaThatIsNotStrictAnyMoreIsTold(t *testing.T) {
	const schema = `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":STRICT,"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}`
	openAIs := buildWhole(200, "application/json", completion("{}"))
	claudes := buildWhole(
		200,
		"application/json",
		`{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`,
	)
	bedrocks := buildWhole(
		200,
		"application/json",
		`{"output":{"message":{"role":"assistant","content":[{"text":"{}"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`,
	)
	for _, c := range []struct{ typ, answer, strict, want string }{
		{"openai", openAIs, "true", ""},
		{"anthropic", claudes, "true", "true"},
		{"bedrock", bedrocks, "true", "true"},
		{"anthropic", claudes, "false", ""},
	} {
		t.Run(c.typ+", strict "+c.strict, func(t *testing.T) {
			g := open(t, setup{provider: newProvider(t, c.typ, newFake(t, says(c.answer)).url)})
			a := g.post("dev", `{"model":"gpt-test","messages":[{"role":"user","content":"x"}],`+strings.Replace(schema, "STRICT", c.strict, 1)+`}`)
			require.Equal(t, 200, a.status, a.body)
			assert.Equal(t, c.want, a.header.Get("X-Gateway-Strict-Downgraded"))
		})
	}
}
