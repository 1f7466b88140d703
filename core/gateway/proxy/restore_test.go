package proxy_test

import (
	"encoding/json"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

const card = "4111 1111 1111 1111"

var cardToken = regexp.MustCompile(`\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}`)

// spellings are the ways in which a provider may write a placeholder in JSON.
var spellings = []struct {
	name  string
	spell func(string) string
}{
	{"plain", func(s string) string { return s }},
	{"braces escaped", func(s string) string { return strings.NewReplacer("{", `\u007b`, "}", `\u007D`).Replace(s) }},
	{"all escaped", escapeAll},
}

func TestACardReachesTheProviderAsAPlaceholderAndComesBack(t *testing.T) {
	for _, sp := range spellings {
		t.Run("whole, "+sp.name, func(t *testing.T) {
			var seen string
			up := newFake(t, func(c net.Conn, r sent) {
				seen = cardToken.FindString(r.body)
				says(buildWhole(200, "application/json", strings.Replace(completion("Your card: @."), "@", sp.spell(seen), 1)))(c, r)
			})
			g := open(t, setup{url: up.url, chain: redacting(t, "")})
			a := g.post("dev", chat("my card is "+card+"."))
			require.NotEmpty(t, seen)
			assert.NotContains(t, up.last(t).body, card)
			content, _ := parseWhole(t, a.body)
			assert.Equal(t, "Your card: "+card+".", content)
		})
	}
	t.Run("whole, in tool arguments", func(t *testing.T) {
		up := newFake(t, func(c net.Conn, r sent) {
			says(buildWhole(200, "application/json", toolCompletion(`{"to": "`+cardToken.FindString(r.body)+`", "n":1.0e0}`)))(c, r)
		})
		a := open(t, setup{url: up.url, chain: redacting(t, "")}).post("dev", chat("my card is "+card))
		_, args := parseWhole(t, a.body)
		want := `{"to": "` + card + `", "n":1.0e0}`
		assert.Equal(t, want, args, "byte for byte")
	})
}

// escapeUnits splits a text where a JSON string may be split: between characters and whole escapes.
func escapeUnits(s string) (out []string) {
	for len(s) > 0 {
		n := 1
		if strings.HasPrefix(s, `\u`) {
			n = 6
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func TestAPlaceholderCutBetweenEventsAtEveryPlaceComesBack(t *testing.T) {
	for _, sp := range spellings {
		for _, config := range []string{"", "response: redact"} {
			t.Run(sp.name+", "+config, func(t *testing.T) {
				var cut int
				var inArgs, more bool
				client := &pieces{contentType: "text/event-stream", next: func(body string) []string {
					units := escapeUnits("a " + sp.spell(cardToken.FindString(body)) + " b")
					more = cut < len(units)
					at := min(cut, len(units))
					first, rest := strings.Join(units[:at], ""), strings.Join(units[at:], "")
					if inArgs {
						return []string{
							callEvent,
							argsEvent(`{\"to\":\"` + first),
							argsEvent(rest + `\"}`),
							strings.Replace(stopEvent, "stop", "tool_calls", 1),
							doneEvent,
						}
					}
					return []string{roleEvent, textEvent(first), textEvent(rest), stopEvent, doneEvent}
				}}
				g := open(t, setup{client: client, chain: redacting(t, config)})
				for cut, more = 0, true; more; cut++ {
					inArgs = false
					h := listen(t, g.post("dev", chatStream("my card is "+card)).body)
					require.Equal(t, heard{content: "a " + card + " b", finish: "stop", done: true}, h, "cut at %d", cut)
					inArgs = true
					h = listen(t, g.post("dev", chatStream("my card is "+card)).body)
					require.Equal(t, heard{args: `{"to":"a ` + card + ` b"}`, finish: "tool_calls", done: true}, h, "cut at %d", cut)
				}
			})
		}
	}
}

func TestAPlaceholderOneCharacterAnEventComesBack(t *testing.T) {
	client := &pieces{contentType: "text/event-stream", next: func(body string) []string {
		out := []string{roleEvent}
		for _, c := range "{{{" + cardToken.FindString(body) + "}" {
			out = append(out, textEvent(string(c)))
		}
		return append(out, stopEvent, doneEvent)
	}}
	g := open(t, setup{client: client, chain: redacting(t, "")})
	assert.Equal(t, heard{content: "{{{" + card + "}", finish: "stop", done: true}, listen(t, g.post("dev", chatStream(card)).body))
}

func TestAStreamCutIntoReadsAtEveryPlaceIsTheSame(t *testing.T) {
	body := func(r string) string {
		tok := cardToken.FindString(r)
		return roleEvent + textEvent(
			"x "+tok[:9],
		) + textEvent(
			tok[9:]+"!",
		) + callEvent + argsEvent(
			`{\"to\":\"`+tok[:20],
		) + argsEvent(
			tok[20:]+`\"}`,
		) + stopEvent + doneEvent
	}
	want := heard{content: "x " + card + "!", args: `{"to":"` + card + `"}`, finish: "stop", done: true}
	t.Run("any two pieces", func(t *testing.T) {
		at, size := 0, 1
		client := &pieces{contentType: "text/event-stream", next: func(r string) []string {
			all := body(r)
			size = len(all)
			return []string{all[:at], all[at:]}
		}}
		g := open(t, setup{client: client, chain: redacting(t, "")})
		var first string
		for ; at < size; at++ {
			got := g.post("dev", chatStream(card)).body
			if at == 0 {
				first = got
				require.Equal(t, want, listen(t, got))
			}
			require.Equal(t, first, got, "cut at %d", at)
		}
	})
	t.Run("one byte a read", func(t *testing.T) {
		client := &pieces{contentType: "text/event-stream", next: func(r string) []string { return strings.Split(body(r), "") }}
		assert.Equal(t, want, listen(t, open(t, setup{client: client, chain: redacting(t, "")}).post("dev", chatStream(card)).body))
	})
	t.Run("one byte a write on a connection", func(t *testing.T) {
		up := newFake(t, func(c net.Conn, r sent) {
			for _, b := range []byte(streamHead + chunk(body(r.body)) + chunk("")) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		})
		assert.Equal(t, want, listen(t, open(t, setup{url: up.url, chain: redacting(t, "")}).post("dev", chatStream(card)).body))
	})
	t.Run("one byte a chunk", func(t *testing.T) {
		up := newFake(t, func(c net.Conn, r sent) {
			says(stream(strings.Split(body(r.body), "")...))(c, r)
		})
		assert.Equal(t, want, listen(t, open(t, setup{url: up.url, chain: redacting(t, "")}).post("dev", chatStream(card)).body))
	})
}

func TestValuesOfAnyKindComeBackAsValidJSON(t *testing.T) {
	value := "O\"Neil \\ S\u00f6hne\n2nd\tline \u2028 \U0001F600 </script>"
	finder := finds{value, "PERSON"}
	for _, streamed := range []bool{false, true} {
		t.Run(streamedName(streamed), func(t *testing.T) {
			token := regexp.MustCompile(`\{\{PII_PERSON_[0-9a-f]{16}\}\}`)
			client := &pieces{contentType: "application/json", next: func(body string) []string {
				tok := token.FindString(body)
				if streamed {
					return []string{callEvent, argsEvent(`{\"who\":\"` + tok[:5]), argsEvent(tok[5:] + `\",\"n\":1}`), stopEvent, doneEvent}
				}
				return []string{toolCompletion(`{"who":"` + tok + `","n":1}`)}
			}}
			if streamed {
				client.contentType = "text/event-stream"
			}
			g := open(t, setup{client: client, chain: func(tok core.Tokens) []chain.Link {
				return append(redacting(t, "")(tok), link("finds", finder, core.Request))
			}})
			a := g.post("dev", chatBody("ask "+value+" please", streamed))
			require.Equal(t, 200, a.status, a.body)
			var args string
			if streamed {
				args = listen(t, a.body).args
			} else {
				_, args = parseWhole(t, a.body)
			}
			var v map[string]any
			require.NoError(t, json.Unmarshal([]byte(args), &v), args)
			assert.Equal(t, map[string]any{"who": value, "n": 1.0}, v)
		})
	}
}
