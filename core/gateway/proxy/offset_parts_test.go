package proxy_test

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// citationMetadata of generateContent counts through all text of a candidate, whatever parts that comes in; thoughts are no
// part of it.
func TestCitationMetadataCountsThroughAllPartsOfACandidate(t *testing.T) {
	parts := []string{"Für @: ", "then @ and ", "the end 终."}
	cites := []string{"Für", "then @", "the end", "@ and the", ": then", "终."}
	up := newFake(t, func(c net.Conn, r sent) {
		token := cardToken.FindString(r.body)
		text, sources := strings.ReplaceAll(strings.Join(parts, ""), "@", token), []string(nil)
		for _, s := range cites {
			at := strings.LastIndex(text, strings.ReplaceAll(s, "@", token))
			sources = append(sources, fmt.Sprintf(`{"startIndex":%d,"endIndex":%d,"uri":"u"}`, at, at+len(strings.ReplaceAll(s, "@", token))))
		}
		var listed []string
		for _, p := range parts {
			listed = append(listed, `{"text":`+strconv.Quote(strings.ReplaceAll(p, "@", token))+`}`)
		}
		says(buildWhole(200, "application/json", `{"candidates":[{"citationMetadata":{"citationSources":[`+strings.Join(sources, ",")+
			`]},"content":{"role":"model","parts":[{"text":"a thought of @","thought":true},`+strings.Join(listed, ",")+`]},"finishReason":"STOP"}]}`))(c, r)
	})
	g := open(t, setup{provider: newProvider(t, "gemini", up.url), chain: redacting(t, "")})
	a := g.callPath("/v1/gen/v1beta/models/gpt-test:generateContent", `{"contents":[{"parts":[{"text":"my card is `+card+`"}]}]}`)
	require.Equal(t, 200, a.status, a.body)
	text := strings.ReplaceAll(strings.Join(parts, ""), "@", card)
	require.Contains(t, a.body, strconv.Quote("then "+card+" and "))
	found := stretchOf.FindAllStringSubmatch(a.body, -1)
	require.Len(t, found, len(cites))
	for i, m := range found {
		assert.Equal(t, strings.ReplaceAll(cites[i], "@", card), cutUnits(text, m[1], m[2], bytesOf))
	}
}

// A chunk can hold text and the citations of it. They leave behind that text, with the offsets that it has then.
func TestCitationsInAChunkWithHeldTextLeaveBehindIt(t *testing.T) {
	const rest = " and more"
	for name, c := range map[string]struct {
		shape string
		chunk func(text, cite string) string
	}{
		"chat": {"chat", func(text, cite string) string {
			if cite != "" {
				cite = `,"annotations":[` + cite + `]`
			}
			return event(`"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":` +
				strconv.Quote(text) + cite + `}}]`)
		}},
		"generateContent": {"generateContent", func(text, cite string) string {
			if cite != "" {
				cite = `,"groundingMetadata":{"groundingSupports":[` + cite + `]}`
			}
			return event(buildGrounded(text, cite))
		}},
	} {
		for _, chain := range []string{"", "response: redact"} {
			t.Run(name+", chain "+chain, func(t *testing.T) {
				shape := citingShapes[c.shape]
				up := newFake(t, func(conn net.Conn, r sent) {
					token := cardToken.FindString(r.body)
					said := "Für: " + token + " and 5500005555555559"
					from := shape.units("Für: " + token + " and ")
					end := event(buildGrounded("", `,"finishReason":"STOP"`))
					if c.shape == "chat" {
						end = event(`"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`) +
							"data: [DONE]\n\n"
					}
					says(stream(c.chunk(said, shape.stretch(from, from+16)), c.chunk(rest, ""), end))(conn, r)
				})
				g := open(t, setup{provider: newProvider(t, shape.provider, up.url), chain: redacting(t, chain)})
				a := g.callPath(strings.Replace(shape.path, ":generateContent", ":streamGenerateContent?alt=sse", 1), strings.ReplaceAll(shape.request, "STREAM", `,"stream":true`))
				require.Equal(t, 200, a.status, a.body)
				text := stringsIn(t, a.body, `"`+shape.deltas+`":("[^"]*")`)
				require.True(t, strings.HasPrefix(text, "Für: "+card+" and ") && strings.HasSuffix(text, rest), text)
				cited := strings.TrimSuffix(strings.TrimPrefix(text, "Für: "+card+" and "), rest)
				found := regexp.MustCompile(stretchOf.String()).FindStringSubmatch(a.body)
				require.NotNil(t, found, a.body)
				assert.Equal(t, cited, cutUnits(text, found[1], found[2], shape.units))
				before, _, _ := strings.Cut(a.body, found[0])
				assert.Contains(t, stringsIn(t, before, `"`+shape.deltas+`":("[^"]*")`), cited, "the citation leaves behind its text: %s", a.body)
				assert.Equal(t, chain == "", cited == "5500005555555559")
			})
		}
	}
}
