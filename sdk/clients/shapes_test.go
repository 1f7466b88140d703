package clients

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What every client asks, and what every transcript answers.
const (
	system     = "Answer <briefly> & well"
	toolSchema = `{"type":"object","properties":{"card":{"type":"string","description":"the number"},"n":{"type":"integer"}},"required":["card"]}`
	answerText = "Your card " + card + " is fine.\ncafé / 🚀"
	answerArgs = `{"card":"` + card + `","n":12345678901234567890,"u":"café"}`
	charged    = "charged " + card
)

// said is what a client library reads from an answer.
type said struct {
	text         string
	finish       string
	id           string // of the call
	name, args   string
	in, out      int64 // all tokens that were read and written
	cached       int64
	reasoning    int64
	history      any  // what the library keeps of the answer
	keepsNumbers bool // arguments are given as they were sent
}

// speaker is a client library. ask sends the question, with a tool or without;
// then, when there is a call, its result.
type speaker interface {
	ask(t *testing.T, model string, stream, tool bool, call *said) said
	finishes(tool bool) string
}

// target is a provider as the tests reach it.
type target struct {
	dir, model string
	key        string // the header field of its key
	cached     int64
	reasoning  int64
	noIDs      bool   // calls have no ids in its shape
	at         string // the beginning of its path; "": as dir
}

var targets = []target{
	{"openai", "gpt-4o", "Authorization", 5, 7, false, ""},
	{"xai", "grok-4", "Authorization", 5, 7, false, ""},
	{"anthropic", "claude-sonnet-4-5", "X-Api-Key", 5, 0, false, ""},
	{"gemini", "gemini-2.5-pro", "X-Goog-Api-Key", 5, 7, true, ""},
	{"bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "Authorization", 5, 0, false, ""},
	{"cohere", "command-a-03-2025", "Authorization", 5, 0, false, ""},
	{"ollama", "llama3.2", "", 0, 0, true, ""},
}

// alike are providers that speak the shape of another, and are answered by its transcripts.
var alike = []target{
	{"anthropic", "claude-sonnet-4-5@20250929", "X-Goog-Api-Key", 5, 0, false, "vertex"},
	{"gemini", "gemini-2.5-flash", "X-Goog-Api-Key", 5, 7, true, "vertex"},
	{"openai", "deploy-gpt", "Api-Key", 5, 7, false, "azure-openai"},
	{"openai", "mistral-large-2512", "Authorization", 5, 7, false, "mistral"},
	{"openai", "gemma2-9b-it", "Authorization", 5, 7, false, "groq"},
	{"openai", "qwen-plus", "Authorization", 5, 7, false, "qwen"},
	{"openai", "deepseek-chat", "Authorization", 5, 7, false, "deepseek"},
	{"openai", "moonshot-v1-8k", "Authorization", 5, 7, false, "moonshot"},
	{"openai", "glm-4.7", "Authorization", 5, 7, false, "zhipu"},
}

// speaks runs a client library against every provider, whole and streamed.
func speaks(t *testing.T, own string, with func(addr string) speaker) {
	s := newScripted(t)
	c := with(serveWith(t, everyProvider+personal, s.URL))
	for _, x := range slices.Concat(targets, alike) {
		if x.dir == "openai" && own == "responses" && (x.at == "" || x.at == "azure-openai") {
			x.dir = own
		}
		if x.dir == "bedrock" && own == "anthropic" { // which passes through
			x.dir, x.at = own, "bedrock"
		}
		for _, stream := range []bool{false, true} {
			name := cmp.Or(x.at, x.dir) + ", whole"
			if stream {
				name = cmp.Or(x.at, x.dir) + ", streamed"
			}
			t.Run(name, func(t *testing.T) {
				text := c.ask(t, x.model, stream, false, nil)
				h := x.checkRequest(t, s)
				assert.Empty(t, h.tool)
				assert.Equal(t, answerText, text.text)
				assert.Equal(t, c.finishes(false), text.finish)
				x.checkCounts(t, text)

				call := c.ask(t, x.model, stream, true, nil)
				h = x.checkRequest(t, s)
				assert.Equal(t, "charge", h.tool)
				assert.JSONEq(t, toolSchema, h.schema)
				assert.Equal(t, "charge", call.name)
				require.JSONEq(t, answerArgs, call.args)
				if call.keepsNumbers {
					assert.Contains(t, call.args, "12345678901234567890")
				}
				assert.Equal(t, c.finishes(true), call.finish)
				x.checkCounts(t, call)

				text = c.ask(t, x.model, stream, true, &call)
				h = x.checkRequest(t, s)
				assert.Equal(t, "charge", h.call)
				assert.JSONEq(t, answerArgs, h.args)
				assert.Contains(t, h.result, charged)
				if !x.noIDs {
					assert.NotEmpty(t, h.callID)
					assert.Equal(t, h.callID, h.resultID)
				}
				assert.Equal(t, answerText, text.text)
			})
		}
	}
}

// checkRequest checks what every request has in common.
func (x target) checkRequest(t *testing.T, s *scripted) heard {
	t.Helper()
	r := s.take(t)
	require.Equal(t, x.dir, called[r.path], r.path)
	if x.at != "" {
		require.True(t, strings.HasPrefix(r.path, "/"+x.at+"/"), r.path)
	}
	assert.NotContains(t, string(r.body), card)
	if x.key != "" {
		assert.Equal(t, providerKey, strings.TrimPrefix(r.header.Get(x.key), "Bearer "))
	}
	for name, values := range r.header {
		assert.NotContains(t, strings.Join(values, " "), gatewayKey, name)
	}
	h := hear(x.dir, r.body)
	if x.dir != "gemini" && x.dir != "bedrock" && x.at != "vertex" && x.at != "bedrock" {
		assert.Equal(t, x.model, h.model)
	}
	assert.Equal(t, system, h.system, string(r.body))
	assert.Equal(t, prompt, h.user, string(r.body))
	assert.EqualValues(t, 64, h.limit)
	assert.InDelta(t, 0.5, h.temperature, 0)
	return h
}

// checkCounts checks the numbers that every transcript reports.
func (x target) checkCounts(t *testing.T, s said) {
	t.Helper()
	assert.Equal(t, []int64{19, 23, x.cached}, []int64{s.in, s.out, s.cached}, "tokens read, written, read from a cache")
	if s.reasoning >= 0 { // there is a place for it
		assert.Equal(t, x.reasoning, s.reasoning, "tokens of reasoning")
	}
}
