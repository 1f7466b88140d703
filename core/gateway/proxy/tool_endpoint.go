package proxy

import (
	"net/http"
	"strconv"
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
		r.GET(path, p.refuseToolStream)
	}
}

// serveTools serves one message to a server, or the end of a session.
func (p *Proxy) serveTools(g *gin.Context) {
	name := g.Param("name")
	if name == "" {
		name = tools.All
	}
	t := &toolCall{rpcCall: rpcCall{kind: "the MCP server", name: name}, ends: g.Request.Method == http.MethodDelete}
	if p.servesTools() {
		p.serve(g.Writer, g.Request, &inlet{shape: &t.Call, peer: t})
		return
	}
	p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
}

// noToolEndpoint is the error of a gateway without servers, the same as for any unknown path.
var noToolEndpoint = &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown endpoint"}

// refuseToolStream refuses the stream of unsolicited messages from a server, as the specification of the legacy era
// allows ("Listening for Messages from the Server"). Modern clients have no such stream.
func (p *Proxy) refuseToolStream(g *gin.Context) {
	if !p.servesTools() {
		p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
		return
	}
	g.Header("Allow", "DELETE, POST")
	p.refuseUnserved(g, &mcp.Call{}, unaskedStream)
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
