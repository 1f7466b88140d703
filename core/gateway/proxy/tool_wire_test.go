package proxy_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// modern has the gateway not ask the server for its era.
func modern(s *tools.Server) { s.Era = dialect.Modern }

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// toolBody returns a modern call of a tool.
func toolBody(tool, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%s,"name":%q,"arguments":{"text":%q}}}`, meta, tool, text)
}

// callTool calls a tool of the server "peer" as a modern client does.
func (g *gate) callTool(key, tool, text string) answer {
	g.t.Helper()
	return g.sendTool(key, "tools/call", tool, toolBody(tool, text))
}

// sendTool sends a modern message.
func (g *gate) sendTool(key, method, name, body string) answer {
	g.t.Helper()
	header := []string{
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method,
	}
	if name != "" {
		header = append(header, "Mcp-Name", name)
	}
	return g.postTo("/mcp/peer", key, body, header...)
}

// toolResult is a response with one text.
func toolResult(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":%q}]}}`, text)
}

// toolJSON answers with one message.
func toolJSON(message string) string { return buildWhole(200, "application/json", message) }

// toolEvents answers with messages as events.
func toolEvents(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("event: message\ndata: " + m + "\n\n")
	}
	return buildWhole(200, "text/event-stream", b.String())
}

// dump writes the header without what differs each time, sorted.
func dump(h http.Header) string {
	var lines []string
	for name, values := range h {
		switch name {
		case "Date", "X-Trace-Id", "Traceparent", "Server-Timing":
			values = []string{"…"}
		}
		lines = append(lines, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestACallPassesByteByByteWhenNoGuardHasAnythingToSay(t *testing.T) {
	const result = `{"jsonrpc":"2.0", "id":7,"result":{"resultType":"complete","content":[{"text":"four é","type":"text"}],"x":1.50}}`
	up := newFake(t, says(toolJSON(result)))
	g := openTools(t, up.url, modern)
	body := strings.Replace(toolBody("echo", "two"), `"arguments"`, "\n \"arguments\"", 1)
	a := g.sendTool("dev", "tools/call", "echo", body)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, result, a.body)
	assert.Equal(t, strings.TrimSpace(`
Content-Length: 114
Content-Type: application/json
Date: …
X-Trace-Id: …`), dump(a.header))
	sent := up.last(t)
	assert.Equal(t, body, sent.body)
	assert.Equal(t, strings.TrimSpace(`
Accept: application/json, text/event-stream
Content-Length: 213
Content-Type: application/json
Mcp-Method: tools/call
Mcp-Name: echo
Mcp-Protocol-Version: 2026-07-28`), dump(sent.header), "neither the client's key nor any other header of it")
}

func TestTheHeaderMcpNameAgreesWithTheBodyAfterARedaction(t *testing.T) {
	const address = "jane.doe@example.com"
	up := newFake(t, says(toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","contents":[{"uri":"user://a","text":"x"}]}}`)))
	body := `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{` + meta + `,"uri":"user://` + address + `"}}`
	read := func(g *gate) (header, uri string) {
		a := g.sendTool("dev", "resources/read", "user://"+address, body)
		require.Equal(t, 200, a.status, a.body)
		sent := up.last(t)
		_, rest, _ := strings.Cut(sent.body, `"uri":"`)
		uri, _, _ = strings.Cut(rest, `"`)
		header, ok := dialect.DecodeHeader(sent.header.Get("Mcp-Name"))
		require.True(t, ok)
		return header, uri
	}
	header, uri := read(openTools(t, up.url, modern))
	assert.Equal(t, uri, header)
	assert.NotContains(t, header, address)
	assert.Contains(t, header, "EMAIL")
	header, uri = read(openTools(t, up.url, func(s *tools.Server) { modern(s); s.Restores = true }))
	assert.Equal(t, "user://"+address, uri)
	assert.Equal(t, uri, header)
}

func TestAnUnknownNameOfAToolIsRecordedAsADigest(t *testing.T) {
	const secret = "sk-live-abcdefghijklmnop"
	replies := make(chan string, 2)
	up := newFake(t, sayNext(replies))
	g := openTools(t, up.url, func(s *tools.Server) { modern(s); s.Tools = []string{"*"} })
	replies <- toolJSON(`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"unknown tool"}}`)
	g.callTool("dev", secret, "x")
	_, response := g.pair()
	assert.Regexp(t, `^mcp/peer/unknown:[0-9a-f]{12}$`, response["model"])
	for _, r := range g.records() {
		assert.NotContains(t, r.raw, secret)
	}
	assert.NotContains(t, g.lines.String(), secret)
	assert.NotContains(t, g.metrics(), secret)
	replies <- toolJSON(toolResult("x"))
	require.Equal(t, 200, g.callTool("dev", "echo", "x").status)
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(g.records(), func(r record) bool { return r.payload["model"] == "mcp/peer/echo" })
	}, generous, 5*time.Millisecond, "the server has answered a call of it")
}
