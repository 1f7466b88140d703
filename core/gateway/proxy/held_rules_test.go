package proxy_test

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inPieces answers with a stream in which @ is the placeholder that the provider received, and | separates events of
// the same type.
func inPieces(t *testing.T, before []string, piece func(text string) string, text string, after []string) func(net.Conn, sent) {
	return func(c net.Conn, r sent) {
		token := cardToken.FindString(r.body)
		assert.NotEmpty(t, token)
		var events []string
		for _, e := range before {
			events = append(events, strings.ReplaceAll(e, "@", token))
		}
		half := len(token) / 2
		for p := range strings.SplitSeq(strings.ReplaceAll(text, "@", token[:half]+"|"+token[half:]), "|") {
			events = append(events, piece(p))
		}
		for _, e := range after {
			events = append(events, strings.ReplaceAll(e, "@", token))
		}
		says(stream(events...))(c, r)
	}
}

func TestReasoningItemsAreKeptWhenContentIsHeld(t *testing.T) {
	event := func(typ, members string) string {
		return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + members + "}\n\n"
	}
	const reasoning = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"I think"}],"encrypted_content":"gAAA+/="}`
	before := []string{
		event(
			"response.created",
			`"sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-test","output":[]}`,
		),
		event(
			"response.output_item.added",
			`"sequence_number":1,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA+/="}`,
		),
		event(
			"response.reasoning_summary_part.added",
			`"sequence_number":2,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`,
		),
		event(
			"response.reasoning_summary_text.delta",
			`"sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"I think"`,
		),
		event("response.reasoning_summary_text.done", `"sequence_number":4,"item_id":"rs_1","output_index":0,"summary_index":0,"text":"I think"`),
		event("response.output_item.done", `"sequence_number":5,"output_index":0,"item":`+reasoning),
		event(
			"response.output_item.added",
			`"sequence_number":6,"output_index":1,"item":{"id":"m1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
		),
		event(
			"response.content_part.added",
			`"sequence_number":7,"item_id":"m1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`,
		),
	}
	delta := func(text string) string {
		return event("response.output_text.delta", `"sequence_number":8,"item_id":"m1","output_index":1,"content_index":0,"delta":"`+text+`"`)
	}
	const message = `{"id":"m1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"card @.","annotations":[]}]}`
	const usage = `"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":17}`
	after := []string{
		event("response.output_text.done", `"sequence_number":10,"item_id":"m1","output_index":1,"content_index":0,"text":"card @."`),
		event("response.output_item.done", `"sequence_number":11,"output_index":1,"item":`+message),
		event(
			"response.completed",
			`"sequence_number":12,"response":{"id":"r","object":"response","status":"completed","model":"gpt-test","output":[`+reasoning+`,`+message+`],`+usage+`}`,
		),
	}
	for _, chain := range []string{"", "response: redact"} {
		t.Run("chain "+chain, func(t *testing.T) {
			up := newFake(t, inPieces(t, before, delta, "card @.", after))
			g := open(t, setup{provider: newProvider(t, "openai", up.url), chain: redacting(t, chain)})
			a := g.callPath("/v1/responses", `{"model":"gpt-test","stream":true,"input":"my card is `+card+`"}`)
			require.Equal(t, 200, a.status, a.body)
			assert.NotContains(t, a.body, "PII_")
			for _, want := range []string{`"text":"card ` + card + `."`, reasoning, usage} {
				assert.Contains(t, a.body, want)
			}
			assert.Equal(t, 2, strings.Count(a.body, reasoning), "as an item, and in the final event")
			g.end()
			assert.Contains(t, g.lines.String(), `"tokens_cached":4`)
			assert.Contains(t, g.lines.String(), `"tokens_reasoning":5`)
		})
	}
}

func TestPartsThatAreNotReadAreDeliveredWhenContentIsHeld(t *testing.T) {
	parts := []string{
		`{"executableCode":{"language":"PYTHON","code":"print(1)"}}`, `{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}}`,
		`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`,
	}
	of := func(parts, rest string) string {
		return `data: {"candidates":[{"content":{"role":"model","parts":[` + parts + `]}` + rest + `,"index":0}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":17}}` + "\n\n"
	}
	for _, chain := range []string{"", "response: redact"} {
		t.Run("streamed, chain "+chain, func(t *testing.T) {
			up := newFake(
				t,
				inPieces(
					t,
					[]string{of(parts[0], "")},
					func(text string) string { return of(`{"text":"`+text+`"}`, "") },
					"card @.",
					[]string{of(parts[1]+","+parts[2], `,"finishReason":"STOP"`)},
				),
			)
			g := open(t, setup{provider: newProvider(t, "gemini", up.url), chain: redacting(t, chain)})
			a := g.callPath("/v1/gen/v1beta/models/gpt-test:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"my card is `+card+`"}]}]}`)
			require.Equal(t, 200, a.status, a.body)
			assert.NotContains(t, a.body, "PII_")
			assert.Contains(t, a.body, card)
			for _, p := range parts {
				assert.Contains(t, a.body, p)
			}
			g.end()
			assert.Contains(t, g.lines.String(), `"tokens_cached":4`)
			assert.Contains(t, g.lines.String(), `"tokens_reasoning":5`)
		})
		t.Run("whole, chain "+chain, func(t *testing.T) {
			up := newFake(t, func(c net.Conn, r sent) {
				body := strings.TrimPrefix(
					of(strings.Join(parts, ",")+`,{"text":"card `+cardToken.FindString(r.body)+`."}`, `,"finishReason":"STOP"`),
					"data: ",
				)
				says(buildWhole(200, "application/json", body))(c, r)
			})
			g := open(t, setup{provider: newProvider(t, "gemini", up.url), chain: redacting(t, chain)})
			a := g.callPath("/v1/gen/v1beta/models/gpt-test:generateContent", `{"contents":[{"parts":[{"text":"my card is `+card+`"}]}]}`)
			require.Equal(t, 200, a.status, a.body)
			for _, want := range append(parts, `{"text":"card `+card+`."}`) {
				assert.Contains(t, a.body, want)
			}
		})
	}
}
