package proxy_test

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cited is an answer with the caller's card as @, and a card that no caller has sent. In pieces, | cuts it.
const cited = "Für dich: card @|, plus 5500005555555559| here: the| source ends, 终."

// citedStretches are parts of the answer that a provider cites a source for, and how they begin and end at the client.
var citedStretches = []struct{ text, begins, ends string }{
	{"Für dich", "Für dich", "Für dich"},
	{"card @, plus", "card " + card, ", plus"},
	{"@", card, card},
	{"plus 5500005555555559", "plus ", ""},
	{"the source ends, 终", "the source ends, 终", "the source ends, 终"},
	{".", ".", "."},
}

// citing is a shape whose answers point into their own texts.
type citing struct {
	provider, path, request string
	units                   func(string) int
	deltas                  string // the member of an event that has its text
	whole                   func(text string, stretches []string) string
	pieces                  func(pieces []string, text string, stretches []string) []string
	stretch                 func(from, to int) string
}

func runes(s string) int { return utf8.RuneCountInString(s) }
func bytesOf(s string) int {
	return len(s)
}

func event(members string) string { return "data: {" + members + "}\n\n" }

func urlCitation(from, to int) string {
	return fmt.Sprintf(`{"type":"url_citation","start_index":%d,"end_index":%d,"title":"T","url":"https://a.example"}`, from, to)
}

func chatCitation(from, to int) string {
	return fmt.Sprintf(
		`{"type":"url_citation","url_citation":{"start_index":%d,"end_index":%d,"title":"T","url":"https://a.example"}}`, from, to)
}

func groundedIn(from, to int) string {
	return fmt.Sprintf(`{"segment":{"startIndex":%d,"endIndex":%d},"groundingChunkIndices":[0]}`, from, to)
}

func outputText(text string, stretches []string) string {
	return `{"type":"output_text","annotations":[` + strings.Join(stretches, ",") + `],"text":` + strconv.Quote(text) + `}`
}

func outputMessage(text string, stretches []string) string {
	return `{"id":"m","type":"message","role":"assistant","status":"completed","content":[` + outputText(text, stretches) + `]}`
}

func responsesAnswer(text string, stretches []string) string {
	return `{"id":"r","object":"response","created_at":1,"status":"completed","model":"m","output":[` + outputMessage(text, stretches) +
		`],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`
}

func buildGrounded(text, rest string) string {
	return `"candidates":[{"content":{"role":"model","parts":[{"text":` + strconv.Quote(text) + `}]}` + rest + `}]`
}

func groundings(stretches []string) string {
	return `,"finishReason":"STOP","groundingMetadata":{"groundingSupports":[` + strings.Join(stretches, ",") + `]}`
}

var citingShapes = map[string]citing{
	"Responses": {
		provider: "openai", path: "/v1/responses", request: `{"model":"gpt-test","input":"my card is ` + card + `"STREAM}`,
		units: runes, deltas: "delta", stretch: urlCitation, whole: responsesAnswer,
		pieces: func(pieces []string, text string, stretches []string) (events []string) {
			const at = `"item_id":"m","output_index":0,"content_index":0,`
			for i, p := range pieces {
				events = append(events, event(`"type":"response.output_text.delta",`+at+`"delta":`+strconv.Quote(p)))
				if i == 2 { // a guard still holds the number's end, because more digits could follow
					events = append(events, event(`"type":"response.output_text.annotation.added",`+at+`"annotation_index":0,"annotation":`+stretches[3]))
				}
			}
			for i, s := range stretches {
				events = append(events, event(fmt.Sprintf(`"type":"response.output_text.annotation.added","annotation":%s,%s"annotation_index":%d`, s, at, i)))
			}
			return append(events,
				event(`"type":"response.output_text.done",`+at+`"text":`+strconv.Quote(text)),
				event(`"type":"response.content_part.done",`+at+`"part":`+outputText(text, stretches)),
				event(`"type":"response.output_item.done","output_index":0,"item":`+outputMessage(text, stretches)),
				event(`"type":"response.completed","response":`+responsesAnswer(text, stretches)))
		},
	},
	"chat": {
		provider: "openai", path: "/v1/chat/completions",
		request: `{"model":"gpt-test","messages":[{"role":"user","content":"my card is ` + card + `"}]STREAM}`,
		units:   runes, deltas: "content", stretch: chatCitation,
		whole: func(text string, stretches []string) string {
			return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":` +
				strconv.Quote(text) + `,"annotations":[` + strings.Join(stretches, ",") + `]},"finish_reason":"stop"}]}`
		},
		pieces: func(pieces []string, _ string, stretches []string) (events []string) {
			const head = `"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":`
			for _, p := range pieces {
				events = append(events, event(head+`{"content":`+strconv.Quote(p)+`}}]`))
			}
			return append(events,
				event(head+`{"annotations":[`+strings.Join(stretches, ",")+`]}}]`), event(head+`{},"finish_reason":"stop"}]`), "data: [DONE]\n\n")
		},
	},
	"generateContent": {
		provider: "gemini", path: "/v1/gen/v1beta/models/gpt-test:generateContent", request: `{"contents":[{"parts":[{"text":"my card is ` + card + `"}]}]}`,
		units: bytesOf, deltas: "text", stretch: groundedIn,
		whole: func(text string, stretches []string) string {
			return `{` + buildGrounded(text, groundings(stretches)) + `}`
		},
		pieces: func(pieces []string, _ string, stretches []string) (events []string) {
			for i, p := range pieces {
				rest := ""
				if i == len(pieces)-1 {
					rest = groundings(stretches)
				}
				events = append(events, event(buildGrounded(p, rest)))
			}
			return events
		},
	},
}

var stretchOf = regexp.MustCompile(`"start_?[iI]ndex":(\d+),"end_?[iI]ndex":(\d+)`)

// A source that a provider cites for a stretch of its text is cited for the same stretch of what the client gets, although
// values before it and in it have another length there.
func TestCitationsPointAtTheSameTextAfterAGuardHasChangedIt(t *testing.T) {
	for name, c := range citingShapes {
		for _, chain := range []string{"", "response: redact"} {
			for _, streamed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, chain %q, streamed %v", name, chain, streamed), func(t *testing.T) {
					body := answerCiting(t, c, chain, streamed)
					text := ""
					if streamed {
						text = stringsIn(t, body, `"`+c.deltas+`":("[^"]*")`)
					} else {
						text = stringsIn(t, body, `"(?:text|content)":("Für[^"]*")`)
					}
					require.Contains(t, text, card)
					assert.Equal(t, chain == "", strings.Contains(text, "5500005555555559"))
					found := stretchOf.FindAllStringSubmatch(body, -1)
					early := len(found) % len(citedStretches) // the one that came while its end was held
					require.GreaterOrEqual(t, len(found), len(citedStretches))
					for i, m := range found {
						want := citedStretches[(i+len(citedStretches)-early)%len(citedStretches)]
						if i < early {
							want = citedStretches[3]
						}
						got := cutUnits(text, m[1], m[2], c.units)
						assert.True(t, strings.HasPrefix(got, want.begins) && strings.HasSuffix(got, want.ends), "%d: %q for %q in %q", i, got, want.text, text)
						if i < early {
							before, _, _ := strings.Cut(body, m[0])
							assert.Contains(t, stringsIn(t, before, `"`+c.deltas+`":("[^"]*")`), got, "the event waits for the text that it is about")
						}
						if want.ends == "" && chain == "" {
							assert.Equal(t, want.text, got)
						}
						if want.begins == want.ends {
							assert.Equal(t, want.begins, got)
						}
					}
				})
			}
		}
	}
}

// answerCiting returns the client's answer from a provider that cites all stretches.
func answerCiting(t *testing.T, c citing, chain string, streamed bool) string {
	t.Helper()
	up := newFake(t, func(conn net.Conn, r sent) {
		token := cardToken.FindString(r.body)
		pieces := strings.Split(strings.ReplaceAll(cited, "@", token[:9]+"|"+token[9:]), "|")
		text := strings.Join(pieces, "")
		var stretches []string
		for _, s := range citedStretches {
			s := strings.ReplaceAll(s.text, "@", token)
			before, _, ok := strings.Cut(text, s)
			assert.True(t, ok)
			stretches = append(stretches, c.stretch(c.units(before), c.units(before)+c.units(s)))
		}
		if streamed {
			says(stream(c.pieces(pieces, text, stretches)...))(conn, r)
		} else {
			says(buildWhole(200, "application/json", c.whole(text, stretches)))(conn, r)
		}
	})
	g := open(t, setup{provider: newProvider(t, c.provider, up.url), chain: redacting(t, chain)})
	path, request := c.path, strings.ReplaceAll(c.request, "STREAM", "")
	if streamed {
		path, request = strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1), strings.ReplaceAll(c.request, "STREAM", `,"stream":true`)
	}
	a := g.callPath(path, request)
	require.Equal(t, 200, a.status, a.body)
	return a.body
}

// stringsIn returns the strings that a pattern finds in a body, joined.
func stringsIn(t *testing.T, body, pattern string) (all string) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(body, -1) {
		var s string
		require.NoError(t, json.Unmarshal([]byte(m[1]), &s))
		all += s
	}
	return all
}

// cutUnits returns the text between two offsets.
func cutUnits(text, from, to string, units func(string) int) string {
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	start, end := -1, -1
	for i := range text + " " {
		if n := units(text[:i]); n == a {
			start = i
		}
		if n := units(text[:i]); n == b {
			end = i
		}
	}
	if start < 0 || end < start {
		return fmt.Sprintf("no text at %d-%d", a, b)
	}
	return text[start:end]
}
