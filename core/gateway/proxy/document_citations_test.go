package proxy_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// contract is a document that a client sends. The provider gets it with a placeholder for the card.
const contract = "Für alle. The card " + card + " pays. It is charged on 5. 终 May."

// charLocation is a citation of characters of a document.
type charLocation struct {
	Type  string `json:"type"`
	Text  string `json:"cited_text"`
	Index int    `json:"document_index"`
	Title *int   `json:"document_title"`
	Start int    `json:"start_char_index"`
	End   int    `json:"end_char_index"`
}

// citeIn returns the citation of a part of a document.
func citeIn(t *testing.T, document, part string, index int) string {
	t.Helper()
	before, _, ok := strings.Cut(document, part)
	require.True(t, ok, "%q in %q", part, document)
	b, err := json.Marshal(charLocation{Type: "char_location", Text: part, Index: index, Start: runes(before), End: runes(before) + runes(part)})
	require.NoError(t, err)
	return string(b)
}

// textDocument is a document as a block of a message.
func textDocument(text string) string {
	return `{"type":"document","citations":{"enabled":true},"source":{"type":"text","media_type":"text/plain","data":` + strconv.Quote(text) + `}}`
}

// pdf is a document without text in the request.
const pdf = `{"type":"document","citations":{"enabled":true},"source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"}}`

// askAbout is a request with a document of another kind and the contract, the second one in the result of a tool.
func askAbout(between string) string {
	return `{"model":"gpt-test","max_tokens":99,"messages":[{"role":"user","content":[` + pdf + `]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"get","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` + textDocument(contract) + `]}]},` + between +
		`{"role":"user","content":"Who pays?"}]STREAM}`
}

// documentSent returns the text document of a request.
func documentSent(t *testing.T, body string) string {
	t.Helper()
	_, rest, ok := strings.Cut(body, `"media_type":"text/plain","data":`)
	require.True(t, ok, body)
	var text string
	require.NoError(t, json.NewDecoder(strings.NewReader(rest)).Decode(&text))
	return text
}

// citedParts are parts of a document with @ for what stands in the card's place.
var citedParts = []string{"Für alle.", "The card @ pays.", "@", "It is charged on 5. 终 May."}

// Citations of Anthropic count the characters of a document in the request. The client has it as it sent it, the provider with
// other values in it.
func TestCitationsOfADocumentPointIntoTheDocumentThatTheClientSent(t *testing.T) {
	for _, config := range []string{"", "action: mask", "no answers, action: mask"} {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("chain %q, streamed %v", config, streamed), func(t *testing.T) {
				up := newFake(t, func(conn net.Conn, r sent) {
					document := documentSent(t, r.body)
					assert.NotContains(t, document, card)
					_, rest, _ := strings.Cut(document, "The card ")
					instead, _, _ := strings.Cut(rest, " pays")
					var cites []string
					for _, part := range citedParts {
						cites = append(cites, citeIn(t, document, strings.ReplaceAll(part, "@", instead), 1))
					}
					says(citingMessage(cites, streamed))(conn, r)
				})
				g := open(t, setup{provider: newProvider(t, "anthropic", up.url), chain: masking(t, config)})
				stream := ""
				if streamed {
					stream = `,"stream":true`
				}
				a := g.callPath("/v1/messages", strings.ReplaceAll(askAbout(""), "STREAM", stream))
				require.Equal(t, 200, a.status, a.body)
				found := citationsIn(t, a.body)
				require.Len(t, found, len(citedParts))
				for i, at := range found {
					want := strings.ReplaceAll(citedParts[i], "@", card)
					assert.Equal(t, want, string([]rune(contract)[at.Start:at.End]), "%d", i)
					if config == "" {
						assert.Equal(t, want, at.Text)
					}
				}
			})
		}
	}
}

// A client sends the answer back with the next turn. There the citations point into the document as the provider gets it.
func TestCitationsThatAClientSendsBackPointIntoTheDocumentThatTheProviderGets(t *testing.T) {
	up := newFake(t, says(citingMessage(nil, false)))
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url), chain: redacting(t, "")})
	var cites []string
	for _, part := range citedParts {
		cites = append(cites, citeIn(t, contract, strings.ReplaceAll(part, "@", card), 1))
	}
	cites = append(cites, strings.Replace(cites[3], `"document_index":1`, `"document_index":7`, 1))
	said := `{"role":"assistant","content":[{"type":"text","text":"The card.","citations":[` + strings.Join(cites, ",") + `]}]},`
	a := g.callPath("/v1/messages", strings.ReplaceAll(askAbout(said), "STREAM", ""))
	require.Equal(t, 200, a.status, a.body)
	body := up.last(t).body
	document, found := documentSent(t, body), citationsIn(t, body)
	require.Len(t, found, len(citedParts)+1)
	assert.Equal(t, runes(contract), found[4].End, "of no document that is there")
	for i, at := range found[:4] {
		want := strings.ReplaceAll(citedParts[i], "@", cardToken.FindString(document))
		assert.Equal(t, want, string([]rune(document)[at.Start:at.End]), "%d", i)
		assert.Equal(t, want, at.Text)
	}
}

// masking is a chain with a guard of personal data, which need not see answers.
func masking(t *testing.T, config string) func(core.Tokens) []chain.Link {
	config, requestsOnly := strings.CutPrefix(config, "no answers, ")
	made := redacting(t, config)
	return func(tok core.Tokens) []chain.Link {
		links := made(tok)
		if requestsOnly {
			links[0].Phases = core.NewPhaseSet(core.Request)
		}
		return links
	}
}

// citingMessage is an answer of Anthropic with citations.
func citingMessage(cites []string, streamed bool) string {
	const usage = `"usage":{"input_tokens":3,"output_tokens":2}`
	if !streamed {
		return buildWhole(200, "application/json", `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"The card.","citations":[`+
			strings.Join(cites, ",")+`]}],"stop_reason":"end_turn","stop_sequence":null,`+usage+`}`)
	}
	of := func(typ, members string) string {
		return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"" + members + "}\n\n"
	}
	events := []string{
		of("message_start", `,"message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,`+usage+`}`),
		of("content_block_start", `,"index":0,"content_block":{"type":"text","text":"","citations":[`+cites[0]+`]}`),
		of("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"The card"}`),
	}
	for _, c := range cites[1:] {
		events = append(events, of("content_block_delta", `,"index":0,"delta":{"type":"citations_delta","citation":`+c+`}`))
	}
	return stream(append(events,
		of("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"."}`), of("content_block_stop", `,"index":0`),
		of("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},`+usage), of("message_stop", ""))...)
}

// citationsIn returns all citations of characters in a body, in order.
func citationsIn(t *testing.T, body string) (found []charLocation) {
	t.Helper()
	for {
		_, rest, ok := strings.Cut(body, `{"type":"char_location"`)
		if !ok {
			return found
		}
		var at charLocation
		require.NoError(t, json.NewDecoder(strings.NewReader(`{"type":"char_location"`+rest)).Decode(&at))
		found, body = append(found, at), rest
	}
}
