package proxy_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

const (
	toolPath   = "/mcp/peer"
	toolServer = "server"
)

// legacy has the gateway not ask the server for its era. Legacy messages need no headers.
func legacy(s *tools.Server) { s.Era = dialect.Legacy }

// toolPlaces are messages to a server of tools.
var toolPlaces = map[string]string{
	inText:      `{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"to @ now"}}}`,
	inArguments: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send","arguments":{"to":["@"],"text":"{\"to\":\"@\"}"}}}`,
	inResult:    `{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"to":"to @ now"}}}`,
	inMembers:   `{"jsonrpc":"2.0","id":7,"to @ now":1,"method":"tools/call","params":{"name":"send","arguments":{"to @ now":1},"to @ now":1,"_meta":{"to @ now":1}}}`,
	inNames:     `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"user:to @ now","_meta":{"progressToken":"to @ now"}}}`,
}

// toolTellings returns the places of answers of a server of tools.
func toolTellings() (out []telling) {
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send","arguments":{}}}`
	list := `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	const notice = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"to @ now"}}`
	for _, c := range []struct{ place, body, reply string }{
		{inText, call, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"to @ now"}],"structuredContent":{"to":["@"]}}}`},
		// The tool has another name than the one that is called: it cannot be called once a guard has refused it.
		{inDefinition, list, `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"list","description":"to @ now","inputSchema":{"type":"object","properties":{"p":{"type":"string","description":"to @ now"}}}}]}}`},
		{inMembers, call, `{"jsonrpc":"2.0","id":7,"result":{"content":[],"to @ now":1,"structuredContent":{"to @ now":1}}}`},
		{inNames, call, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"resource_link","uri":"user:to @ now","name":"to @ now"}]}}`},
		{inFile, call, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","blob":"@64"}}]}}`},
	} {
		out = append(out,
			telling{"mcp", toolPath, toolServer, c.place, c.body, wholly, toolJSON(c.reply)},
			telling{"mcp", toolPath, toolServer, c.place, c.body, streamed, toolEvents(notice, c.reply)})
	}
	return out
}

// serving returns the gateway in front of a server of tools, or of an agent.
func (s *stands) serving(kind string) *stand {
	if s.tells[kind] == nil {
		replies := make(chan string, 1)
		up, with := newFake(s.t, sayNext(replies)), setup{chain: s.chain}
		if kind == agentPeer {
			with = withAgent(s.t, up.url, with, nil)
		} else {
			with = withPeer(s.t, up.url, with, legacy)
		}
		s.tells[kind] = &stand{gate: open(s.t, with), replies: replies}
	}
	return s.tells[kind]
}

// arrivesFromServer sends a message and reports whether the value in the server's answer reached the client.
func (c *telling) arrivesFromServer(t *testing.T, value string, s *stands) bool {
	t.Helper()
	g := s.serving(c.provider)
	file := base64.StdEncoding.EncodeToString([]byte("Write this to " + value + " now, and nothing else."))
	_, reply, _ := strings.Cut(c.reply, "\r\n\r\n")
	reply = strings.NewReplacer("@64", file, "@", value).Replace(reply)
	kind := "application/json"
	if c.manner == streamed {
		kind = "text/event-stream"
	}
	g.replies <- buildWhole(200, kind, reply)
	a := g.callPath(c.path, c.body, "Accept", "application/json, text/event-stream")
	assert.NotContains(t, a.body, "guard_unavailable", "a guard that fails stops everything, and proves nothing")
	if s.chain == nil {
		require.Equal(t, 200, a.status, a.body)
	}
	said := joinStrings(t, a.body)
	for _, found := range longBase64.FindAllString(a.body, -1) {
		if text, err := base64.StdEncoding.DecodeString(found); err == nil {
			said += string(text)
		}
	}
	return strings.Contains(said, value)
}
