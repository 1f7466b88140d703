package proxy

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// toolsPath is the endpoint of an MCP server, allToolsPath that of all servers together.
const (
	toolsPath    = "/mcp/:name"
	allToolsPath = "/mcp"
)

// mountTools registers the endpoint of servers of tools.
func (p *Proxy) mountTools(r gin.IRoutes) {
	for _, path := range [...]string{toolsPath, allToolsPath} {
		r.POST(path, p.serveTools)
		r.DELETE(path, p.serveTools)
		r.GET(path, p.serveToolStream)
	}
}

// serveTools serves one message to a server, or the end of a session.
func (p *Proxy) serveTools(g *gin.Context) {
	if p.servesTools() {
		p.serveToolCall(g, &toolCall{ends: g.Request.Method == http.MethodDelete})
		return
	}
	p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
}

// serveToolCall serves a message for the server that the path names.
func (p *Proxy) serveToolCall(g *gin.Context, t *toolCall) {
	t.kind, t.name, t.path = "the MCP server", cmp.Or(g.Param("name"), tools.All), cmp.Or(g.Param("name"), tools.All)
	p.serve(g.Writer, g.Request, &inlet{shape: &t.Call, peer: t})
}

// noToolEndpoint is the error of a gateway without servers, the same as for any unknown path.
var noToolEndpoint = &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown endpoint"}

// serveToolStream serves the stream of messages that a server of the legacy era sends outside of requests (specification
// 2025-11-25, "Listening for Messages from the Server"). Modern clients have no such stream.
func (p *Proxy) serveToolStream(g *gin.Context) {
	switch {
	case !p.servesTools():
		p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
	case !strings.Contains(strings.ToLower(strings.Join(g.Request.Header["Accept"], ",")), eventStream):
		g.Header("Allow", "DELETE, GET, POST")
		p.refuseUnserved(g, &mcp.Call{}, onlyStreams)
	default:
		p.serveToolCall(g, &toolCall{listens: true})
	}
}

// onlyStreams is the error of a GET by a client that takes no stream.
var onlyStreams = &core.Error{
	Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "a GET opens a stream of events, which this client does not accept; send a POST",
}

// unaskedStream is the error of a GET where only a POST is answered.
var unaskedStream = &core.Error{
	Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "the gateway passes on no messages outside of requests; send a POST",
}

// servesTools reports whether any server is configured.
func (p *Proxy) servesTools() bool {
	s := p.Snapshots.Acquire()
	defer s.Release()
	return !s.Servers.IsEmpty()
}

// refuseUnserved answers with an error that does not depend on the caller.
func (p *Proxy) refuseUnserved(g *gin.Context, shape core.Dialect, e *core.Error) {
	x := core.Exchange{Dialect: shape.Name(), Received: time.Now()}
	x.Outcome = core.Outcome{Kind: core.Refused, Status: e.HTTPStatus(), Err: e}
	x.ID, x.Trace = newIDs(g.Request.Header)
	g.Header("X-Trace-Id", x.Trace)
	body := shape.AppendError(nil, e)
	g.Header("Content-Length", strconv.Itoa(len(body)))
	g.Data(e.HTTPStatus(), "application/json", body)
	p.Telemetry.RecordExchange(&x, time.Since(x.Received))
}
