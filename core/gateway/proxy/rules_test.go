package proxy_test

import (
	"encoding/json"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ruling is one sentence of the specification: a request, and its expected result.
type ruling struct {
	sentence, provider string
	path, body         string // "M" in both is the model
	model              string // "": the provider's usual model
	header             []string
	reply              string // the provider's whole answer; "": a short text
	cap                int64

	refused string   // in the client's error; "": the request is answered
	at      string   // the path at which the provider was called
	sent    []string // parts of what it was sent
	unsent  []string
	gives   []string // parts of what the client gets
	omits   []string // what is counted and logged as left out
	asSent  bool     // the body reaches the provider unchanged
}

// usual are the models used by default.
var usual = map[string]string{
	"openai":       "gpt-5.4",
	"azure-openai": "gpt-5.4",
	"anthropic":    "claude-sonnet-4-5",
	"gemini":       "gemini-2.5-pro",
	"mistral":      "mistral-large-2512",
	"groq":         "llama-3.3-70b-versatile",
	"bedrock":      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
	"ollama":       "llama3",
	"xai":          "grok-4",
	"cohere":       "command-a-03-2025",
	"vertex":       "claude-sonnet-4-5@20250929",
}

// briefly is a short answer in each provider's API.
var briefly = map[string]string{
	"/chat/completions": `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
	"/responses":        `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ok","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
	"/messages":         `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
	"/invoke":           `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
	":rawPredict":       `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
	":generateContent":  `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`,
	"/converse":         `{"output":{"message":{"role":"assistant","content":[{"text":"ok"}]}},"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":2,"totalTokens":5}}`,
	"/api/chat":         `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}`,
	"/count_tokens":     `{"input_tokens":77}`,
	":countTokens":      `{"totalTokens":77}`,
}

// answersBriefly returns the short answer of the API that was called.
func answersBriefly(c net.Conn, r sent) {
	path, _, _ := strings.Cut(r.path, "?")
	for end, body := range briefly {
		if strings.HasSuffix(path, end) {
			_, _ = io.WriteString(c, buildWhole(200, "application/json", body))
		}
	}
}

func (r *ruling) try(t *testing.T) {
	up := newFake(t, func(c net.Conn, s sent) {
		if r.reply != "" {
			_, _ = io.WriteString(c, r.reply)
			return
		}
		answersBriefly(c, s)
	})
	g := open(t, setup{provider: newProvider(t, r.provider, up.url), cap: r.cap, chain: redacting(t, "")})
	m := r.model
	if m == "" {
		m = usual[r.provider]
	}
	path, body := strings.Replace(r.path, "/M:", "/"+r.provider+"/"+m+":", 1), strings.Replace(r.body, `"M"`, `"`+r.provider+"/"+m+`"`, 1)
	a := g.callPath(path, body, r.header...)
	require.NoError(t, a.err)
	if r.refused != "" {
		assert.Equal(t, 400, a.status, a.body)
		assert.Contains(t, a.body, r.refused)
		assert.Empty(t, up.requests(), "no provider is called")
		return
	}
	require.Equal(t, 200, a.status, a.body)
	for _, s := range r.gives {
		assert.Contains(t, a.body, s)
	}
	var got sent
	if r.at != "" || r.sent != nil || r.unsent != nil || r.asSent {
		got = up.last(t)
	}
	if r.at != "" {
		assert.Equal(t, r.at, got.path)
	}
	for _, s := range r.sent {
		assert.Contains(t, got.body, s)
	}
	for _, s := range r.unsent {
		assert.NotContains(t, got.body, s)
	}
	if r.asSent {
		assert.Equal(t, strings.Replace(r.body, `"M"`, `"`+m+`"`, 1), got.body)
	}
	g.end()
	assert.ElementsMatch(t, r.omits, g.listDropped(t))
}

// listDropped returns the dropped fields that the log names at DEBUG.
func (g *gate) listDropped(t *testing.T) (fields []string) {
	for line := range strings.Lines(g.lines.String()) {
		var v struct {
			Level  string
			Fields []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		if len(v.Fields) > 0 {
			assert.Equal(t, "debug", v.Level)
		}
		fields = append(fields, v.Fields...)
	}
	slices.Sort(fields)
	return fields
}

func tryAll(t *testing.T, rulings []ruling) {
	for i := range rulings {
		t.Run(rulings[i].sentence+", "+rulings[i].provider, rulings[i].try)
	}
}
