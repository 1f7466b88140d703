package mcp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// meta is what each modern request carries.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"ExampleClient","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// headers makes headers of names and values in turns.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// modern are the headers of a modern request.
func modern(method string, name ...string) http.Header {
	h := headers("MCP-Protocol-Version", ModernVersion, "Mcp-Method", method)
	for _, n := range name {
		h.Set("Mcp-Name", n)
	}
	return h
}

// scanRequest scans a message of a client.
func scanRequest(body string, h http.Header) (*Call, *core.Exchange, *core.Error) {
	x, c := &core.Exchange{}, &Call{}
	x.Request.Raw, x.Request.Header = []byte(body), h
	return c, x, c.Scan(x)
}

// scanAnswer scans the answer to a legacy request of a method.
func scanAnswer(t *testing.T, method, params, answer string) (*Call, *core.Exchange, error) {
	t.Helper()
	c, x, e := scanRequest(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, nil)
	require.Nil(t, e)
	x.Response.Status, x.Response.Raw = http.StatusOK, []byte(answer)
	return c, x, c.ScanResponse(x)
}

// result wraps a result into a response to scanAnswer's request.
func result(members string) string { return `{"jsonrpc":"2.0","id":1,"result":{` + members + `}}` }

// texts lists the segments of a body with their kinds and paths.
func texts(p *core.Payload) []string {
	kinds := map[core.SegmentKind]string{
		core.KindText: "text", core.KindToolArgs: "args", core.KindToolResult: "result", core.KindDefinition: "definition", core.KindOther: "other",
	}
	var out []string
	for i := range p.Segments {
		s := &p.Segments[i]
		out = append(out, kinds[s.Kind]+" "+s.Path()+"="+p.ReadText(i))
	}
	return out
}

// redact replaces a text wherever it stands in the segments of a body.
func redact(t *testing.T, p *core.Payload, what string) string {
	t.Helper()
	var edits []core.Edit
	for i := range p.Segments {
		if at := strings.Index(p.ReadText(i), what); at >= 0 {
			edits = append(edits, core.Edit{Segment: i, Start: at, End: at + len(what), With: "[X]"})
		}
	}
	p.Apply(edits)
	require.NoError(t, p.Flush())
	return string(p.Raw)
}
