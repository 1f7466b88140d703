package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oddities begin a request as no library writes it.
const oddities = "{ \"x_unknown\" : [1.0e0,\t-0.0, 1E+2, 12345678901234567890 , {\"z\":1,\"a\":2}],\r\n"

// through is a shape and its own provider. The request holds three spans (%[1]s
// to %[3]s) and what asks for a stream (%[4]s).
type through struct {
	dir, whole, streamed string // the transcripts, and the gateway's paths
	stream               string // what asks for a stream
	request              string
}

var throughs = []through{
	{"openai", "/v1/chat/completions", "/v1/chat/completions", `,"stream" : true ,"stream_options":{ "include_usage" :true}`, oddities +
		`"messages" : [ {"content":"caf\u00e9 \/ is %[1]s ok? \ud83d\ude80 \u0000" , "role":"user"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"card\" :\"%[2]s\",\"n\":12345678901234567890,\"u\":\"\\u00e9\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"and %[3]s too"}]} ],` +
		"\n\t\"seed\":12345678901234567890,\"temperature\":1.0e0 ,\"metadata\":{\"b\":\"\\/\",\"a\":\"\\u00e9\"},\"max_tokens\":6.4e1,\"model\":\"gpt-4o\"%[4]s}\n"},
	{"responses", "/v1/responses", "/v1/responses", `,"stream" : true`, oddities +
		`"input" : [ {"content":[{"text":"caf\u00e9 \/ is %[1]s ok? \ud83d\ude80" , "type":"input_text"}],"role":"user"},` +
		`{"type":"reasoning","id":"rs_68","summary":[],"encrypted_content":"gAAAAABoIPOD4111111111111111"},` +
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"card\" :\"%[2]s\",\"n\":12345678901234567890,\"u\":\"\\u00e9\"}"},` +
		`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"and %[3]s too"}]} ],` +
		"\n\t\"include\":[\"reasoning.encrypted_content\"],\"store\":false,\"temperature\":1.0e0 ,\"metadata\":{\"b\":\"\\/\",\"a\":\"\\u00e9\"},\"max_output_tokens\":6.4e1,\"model\":\"gpt-4o\"%[4]s}\n"},
	{"anthropic", "/v1/messages", "/v1/messages", `,"stream" : true`, oddities +
		`"system":[{"type":"text","text":"Be\u0020brief","cache_control":{ "type":"ephemeral" , "ttl":"1h"}}],` +
		`"messages" : [ {"content":"caf\u00e9 \/ is %[1]s ok? \ud83d\ude80" , "role":"user"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"Is 4111 1111 1111 1111 fine?","signature":"EqQBCgIYAhIM"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"card" :"%[2]s","n":12345678901234567890,"u":"\u00e9"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"and %[3]s too"}],"cache_control":{"type":"ephemeral"}}]} ],` +
		"\n\t\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024},\"temperature\":1.0e0 ,\"metadata\":{\"user_id\":\"{\\\"device\\\":\\\"\\u00e9\\\"}\"},\"max_tokens\":2.048e3,\"model\":\"claude-sonnet-4-5\"%[4]s}\n"},
	{
		"gemini",
		"/v1/gen/v1beta/models/gemini-2.5-pro:generateContent",
		"/v1/gen/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
		"",
		oddities +
			`"contents" : [ {"parts":[{"text":"caf\u00e9 \/ is %[1]s ok? \ud83d\ude80"}] , "role":"user"},` +
			`{"role":"model","parts":[{"functionCall":{"name":"f","args":{"card" :"%[2]s","n":12345678901234567890,"u":"\u00e9"}},"thoughtSignature":"EskgCsYgAb4"}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"and %[3]s too"}}}]} ],` +
			"\n\t\"safetySettings\":[{\"category\":\"HARM_CATEGORY_HARASSMENT\",\"threshold\":\"OFF\"}],\"generationConfig\":{\"temperature\":1.0e0 ,\"topK\":40,\"maxOutputTokens\":6.4e1,\"thinkingConfig\":{\"includeThoughts\":true}}%[4]s}\n",
	},
}

func (x *through) fill(stream bool, spans ...any) string {
	if asks := ""; !stream {
		return fmt.Sprintf(x.request, append(spans, asks)...)
	}
	return fmt.Sprintf(x.request, append(spans, x.stream)...)
}

func (x *through) path(stream bool) string {
	if stream {
		return x.streamed
	}
	return x.whole
}

func eachThrough(t *testing.T, run func(t *testing.T, x *through, stream bool)) {
	for i := range throughs {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %t", throughs[i].whole, stream), func(t *testing.T) { run(t, &throughs[i], stream) })
		}
	}
}

func TestEveryByteIsPassedWithoutRedaction(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider, s.URL)
	eachThrough(t, func(t *testing.T, x *through, stream bool) {
		body := x.fill(stream, "one", `tw\u006f`, "three")
		a := post(t, addr, x.path(stream), nil, body)
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, body, string(s.take(t).body))
		assert.Equal(t, string(s.readAnswer()), a.body)
	})
}

func TestOnlyTheNamedSpansDifferWithRedaction(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	s.cut = 0 // the placeholder lies in one event, as do all the bytes around it
	eachThrough(t, func(t *testing.T, x *through, stream bool) {
		a := post(t, addr, x.path(stream), nil, x.fill(stream, spans...))
		require.Equal(t, 200, a.status, a.body)
		got := string(s.take(t).body)
		k := token.FindString(got)
		require.NotEmpty(t, k, got)
		assert.Equal(t, x.fill(stream, k, k, k), got)
		assert.Contains(t, string(s.readAnswer()), k)
		sameAnswer(t, string(s.readAnswer()), k, a.body, stream)
	})
}

// sameAnswer checks that the client got what the provider sent, with its own card
// number in the placeholder's place. In a stream the text of a delta may be
// spelled again when there was a placeholder in it.
func sameAnswer(t *testing.T, sent, k, got string, stream bool) {
	t.Helper()
	if !stream {
		assert.Equal(t, strings.ReplaceAll(sent, k, card), got)
		return
	}
	want, lines := strings.Split(sent, "\n"), strings.Split(got, "\n")
	require.Len(t, lines, len(want), got)
	for i, line := range want {
		if !strings.Contains(line, k) {
			assert.Equal(t, line, lines[i])
			continue
		}
		assert.JSONEq(t, strings.TrimPrefix(strings.ReplaceAll(line, k, card), "data: "), strings.TrimPrefix(lines[i], "data: "))
	}
}

func TestACutPlaceholderMovesNothingElse(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	for i := range throughs {
		x := &throughs[i]
		t.Run(x.streamed, func(t *testing.T) {
			for cut := range 37 {
				s.cut = cut
				a := post(t, addr, x.streamed, nil, x.fill(true, spans...))
				require.Equal(t, 200, a.status, a.body)
				k := token.FindString(string(s.take(t).body))
				want, lines := strings.Split(string(s.readAnswer()), "\n"), strings.Split(a.body, "\n")
				require.Len(t, lines, len(want), "cut after %d: %s", cut, a.body)
				assert.NotContains(t, a.body, "PII_")
				assert.Contains(t, a.body, card)
				for j, line := range want {
					if !strings.Contains(line, "Your card") && !strings.Contains(line, " is fine.") {
						assert.Equal(t, line, lines[j], "cut after %d of %s", cut, k)
					}
				}
			}
		})
	}
}
