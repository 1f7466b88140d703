package proxy_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alterations are changes that models make to placeholders, as written in JSON.
var alterations = []struct {
	name  string
	alter func(string) string
}{
	{"small letters", strings.ToLower},
	{"single braces", func(s string) string { return s[1 : len(s)-1] }},
	{"no braces", func(s string) string { return s[2 : len(s)-2] }},
	{"entities", func(s string) string { return strings.NewReplacer("{", "&#123;", "}", "&#125;").Replace(s) }},
	{"percent", func(s string) string { return strings.NewReplacer("{", "%7B", "}", "%7D").Replace(s) }},
	{"full-width braces", func(s string) string { return strings.NewReplacer("{", "｛", "}", "｝").Replace(s) }},
	{"full-width braces, escaped", func(s string) string { return strings.NewReplacer("{", `\uff5b`, "}", `\uff5d`).Replace(s) }},
	{"a blank", func(s string) string { return strings.Replace(s, "PII_", "PII_ ", 1) }},
	{"escapes as text", func(s string) string { return strings.NewReplacer("{", `\\u007b`, "}", `\\u007d`).Replace(s) }},
	{"Markdown", func(s string) string { return strings.NewReplacer("{", `\\{`, "}", `\\}`, "_", `\\_`).Replace(s) }},
}

// textUnits splits a text where a JSON string may be split.
func textUnits(s string) (out []string) {
	for _, u := range escapeUnits(s) {
		switch {
		case len(out) > 0 && out[len(out)-1] == `\`:
			out[len(out)-1] += u
		case len(u) == 1 && u[0] >= 0x80 && u[0] < 0xc0: // the rest of a character
			out[len(out)-1] += u
		default:
			out = append(out, u)
		}
	}
	return out
}

func TestAnAlteredPlaceholderComesBackWhenTheStageIsTolerant(t *testing.T) {
	for _, alt := range alterations {
		for _, config := range []string{"restore: tolerant", "{restore: tolerant, response: redact}"} {
			t.Run(alt.name+", "+config, func(t *testing.T) {
				up := newFake(t, func(c net.Conn, r sent) {
					raw := `{"choices":[{"index":0,"message":{"role":"assistant","content":"a ` + alt.alter(
						cardToken.FindString(r.body),
					) + ` b"},"finish_reason":"stop"}]}`
					says(buildWhole(200, "application/json", raw))(c, r)
				})
				content, _ := parseWhole(t, open(t, setup{url: up.url, chain: redacting(t, config)}).post("dev", chat("my card is "+card)).body)
				require.Equal(t, "a "+card+" b", content)

				var cut int
				var more bool
				client := &pieces{contentType: "text/event-stream", next: func(body string) []string {
					units := textUnits("a " + alt.alter(cardToken.FindString(body)) + " b")
					more = cut < len(units)
					at := min(cut, len(units))
					return []string{roleEvent, textEvent(strings.Join(units[:at], "")), textEvent(strings.Join(units[at:], "")), stopEvent, doneEvent}
				}}
				g := open(t, setup{client: client, chain: redacting(t, config)})
				for cut, more = 0, true; more; cut++ {
					h := listen(t, g.post("dev", chatStream("my card is "+card)).body)
					require.Equal(t, heard{content: "a " + card + " b", finish: "stop", done: true}, h, "cut at %d", cut)
				}
			})
		}
	}
}

func TestAnAlteredPlaceholderInToolArgumentsOneCharacterAnEventComesBack(t *testing.T) {
	client := &pieces{contentType: "text/event-stream", next: func(body string) []string {
		token := cardToken.FindString(body)
		out := []string{callEvent}
		for _, c := range textUnits(`{\"to\":\"` + strings.ToLower(token) + `\",\"in\":\"{\\\"a\\\":\\\"` + token[1:len(token)-1] + `\\\"}\"}`) {
			out = append(out, argsEvent(c))
		}
		return append(out, strings.Replace(stopEvent, "stop", "tool_calls", 1), doneEvent)
	}}
	g := open(t, setup{client: client, chain: redacting(t, "restore: tolerant")})
	want := `{"to":"` + card + `","in":"{\"a\":\"` + card + `\"}"}`
	assert.Equal(t, heard{args: want, finish: "tool_calls", done: true}, listen(t, g.post("dev", chatStream(card)).body))
}

func TestAnAlteredPlaceholderOfAnotherCallerStaysAsItIs(t *testing.T) {
	var altered string
	up := newFake(t, func(c net.Conn, r sent) {
		if altered == "" {
			altered = strings.ToLower(strings.Trim(cardToken.FindString(r.body), "{}"))
		}
		if strings.Contains(r.body, `"stream":true`) {
			says(stream(roleEvent, textEvent(altered[:7]), textEvent(altered[7:]), stopEvent, doneEvent))(c, r)
			return
		}
		says(buildWhole(200, "application/json", completion(altered)))(c, r)
	})
	g := open(t, setup{url: up.url, chain: redacting(t, "restore: tolerant")})
	content, _ := parseWhole(t, g.post("dev", chat(card)).body)
	require.Equal(t, card, content)
	for _, key := range []string{"other", "foreign"} {
		content, _ = parseWhole(t, g.post(key, chat("print "+altered)).body)
		assert.Equal(t, altered, content, key)
		assert.Equal(t, altered, listen(t, g.post(key, chatStream("print "+altered)).body).content, key)
	}
}

func TestATolerantStageLeavesAStreamWithoutPlaceholdersAsItIs(t *testing.T) {
	all := []string{
		roleEvent,
		textEvent("Some words, "),
		textEvent("and \\u007bnames\\u007d: "),
		textEvent("50% & more. "),
		stopEvent,
		doneEvent,
	}
	for _, config := range []string{"restore: strict", "restore: tolerant"} {
		client := &pieces{contentType: "text/event-stream", next: func(string) []string { return slices.Clone(all) }}
		g := open(t, setup{client: client, chain: redacting(t, config)})
		assert.Equal(t, strings.Join(all, ""), g.post("dev", chatStream("hi")).body, "%s: byte for byte", config)
	}
}
