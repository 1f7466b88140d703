package clients

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd is a request as no library writes it: long integers, needless escapes,
// spacing, key order, numbers with exponents, unknown fields. The named spans
// are in %s.
const odd = "{ \"x_unknown\" : [1.0e0,\t-0.0, 1E+2, 12345678901234567890 , {\"z\":1,\"a\":2}],\r\n" +
	`"messages" : [ {"content":"caf\u00e9 \/ is %s ok? \ud83d\ude80 \u0000" , "role":"user"},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"card\" :\"%s\",\"n\":12345678901234567890,\"u\":\"\\u00e9\"}"}}]},` +
	`{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"and %s too"}]} ],` +
	"\n\t\"seed\":12345678901234567890,\"temperature\":1.0e0 ,\"metadata\":{\"b\":\"\\/\",\"a\":\"\\u00e9\"},\"model\":\"gpt-4o\"%s}\n"

// spans are spellings of the same card number, each of which one placeholder replaces.
var spans = []any{card, card, `\u0034111 11\u00311 1111 1111`}

func TestTheProviderGetsTheClientsBytesOutsideTheNamedSpans(t *testing.T) {
	p := newProvider(t)
	c, seen := official(serve(t, p.URL), gatewayKey)
	send := func(t *testing.T, body string) string {
		t.Helper()
		var r openai.ChatCompletion
		require.NoError(t, c.Post(context.Background(), "chat/completions", []byte(body), &r))
		require.Equal(t, body, string(seen.sent), "the library sends these bytes as they are")
		got, _ := p.readReceived()
		return string(got)
	}
	tok := func(t *testing.T, got string) string {
		t.Helper()
		found := token.FindString(got)
		require.NotEmpty(t, found, got)
		return found
	}
	t.Run("with all that the gateway would add", func(t *testing.T) {
		p.play("whole.json", 0, putToken, false)
		got := send(t, fmt.Sprintf(odd, append(spans[:3:3], `,"max_tokens":64`)...))
		k := tok(t, got)
		assert.Equal(t, hash(fmt.Appendf(nil, odd, k, k, k, `,"max_tokens":64`)), hash([]byte(got)), got)
	})
	t.Run("a cap is added and no more", func(t *testing.T) {
		p.play("whole.json", 0, putToken, false)
		got := send(t, fmt.Sprintf(odd, append(spans[:3:3], "")...))
		k := tok(t, got)
		const added = `"max_tokens":4096,`
		require.Equal(t, 1, strings.Count(got, added), got)
		assert.Equal(t, hash(fmt.Appendf(nil, odd, k, k, k, "")), hash([]byte(strings.Replace(got, added, "", 1))), got)
	})
	t.Run("nothing to redact and nothing to add", func(t *testing.T) {
		p.play("whole.json", 0, putToken, false)
		body := fmt.Sprintf(odd, "one", "two", "three", `,"max_tokens":1e1`)
		assert.Equal(t, hash([]byte(body)), hash([]byte(send(t, body))))
	})
	t.Run("a name that the model lacks is rewritten, and its number stays", func(t *testing.T) {
		p.play("whole.json", 0, putToken, false)
		body := strings.Replace(fmt.Sprintf(odd, "one", "two", "three", `,"max_tokens" : 1.0e1`), "gpt-4o", "gpt-5", 1)
		want := strings.Replace(body, `"max_tokens"`, `"max_completion_tokens"`, 1)
		assert.Equal(t, want, send(t, body))
	})
	t.Run("usage is asked for, and its chunk withheld", func(t *testing.T) {
		p.play("stream.sse", 0, split(9), false)
		params := ask("gpt-4o")
		s := c.Chat.Completions.NewStreaming(context.Background(), params)
		var all openai.ChatCompletionAccumulator
		for s.Next() {
			require.True(t, all.AddChunk(s.Current()))
		}
		require.NoError(t, s.Err())
		require.NotEmpty(t, all.Choices)
		assert.Equal(t, "Your card "+card+" is fine. / café", all.Choices[0].Message.Content)
		assert.Zero(t, all.Usage.TotalTokens)
		got, _ := p.readReceived()
		const added = `"stream_options":{"include_usage":true},`
		require.Equal(t, 1, strings.Count(string(got), added), string(got))
		back := strings.Replace(token.ReplaceAllString(string(got), card), added, "", 1)
		assert.Equal(t, hash(seen.sent), hash([]byte(back)))
	})
}

// escapeText writes bytes of a text as JSON escapes: all, or every nth.
func escapeText(text string, nth int, escape string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%nth == 0 {
			fmt.Fprintf(&b, escape, text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func TestAPlaceholderIsRestoredHoweverItIsEscaped(t *testing.T) {
	p := newProvider(t)
	c, _ := official(serve(t, p.URL), gatewayKey)
	const once, twice = `\u%04x`, `\\u%04X`
	arguments := fmt.Sprintf(`{"card": "%s", "n": %s}`, card, "12345678901234567890")
	for _, nth := range []int{1, 2, 3, 7, 50} {
		for _, chop := range []bool{false, true} {
			t.Run(fmt.Sprintf("each %d, single bytes %t", nth, chop), func(t *testing.T) {
				p.play("whole.json", 0, func(text, tok string) string { return putToken(text, escapeText(tok, nth, once)) }, chop)
				r, err := c.Chat.Completions.New(context.Background(), ask("gpt-4o"))
				require.NoError(t, err)
				assert.Equal(t, "Your card "+card+" is fine.\nSee https://example.com/café 🚀", r.Choices[0].Message.Content)

				for _, cut := range []int{1, 8, 20, 36} {
					p.play("stream.sse", 0, func(text, tok string) string {
						return strings.Replace(strings.Replace(text, "HEAD", escapeText(tok[:cut], nth, once), 1), "TAIL", escapeText(tok[cut:], nth, once), 1)
					}, chop)
					assert.Equal(t, "Your card "+card+" is fine. / café", readStream(t, &c, ask("gpt-4o")).Choices[0].Message.Content)

					// In an argument a character may be escaped for the argument's own JSON as well.
					for _, escape := range []string{once, twice} {
						p.play("tools.sse", 0, func(text, tok string) string {
							return strings.Replace(strings.Replace(text, "HEAD", escapeText(tok[:cut], nth, escape), 1), "TAIL", escapeText(tok[cut:], nth, escape), 1)
						}, chop)
						calls := readStream(t, &c, withTool(ask("gpt-4o"))).Choices[0].Message.ToolCalls
						require.Len(t, calls, 1)
						require.Equal(t, arguments, calls[0].Function.Arguments, "byte for byte, "+escape)
					}
				}
			})
		}
	}
}
