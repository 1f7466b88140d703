package proxy

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// agentPath is the endpoint of an agent.
const agentPath = "/a2a/:name"

// mountAgents registers the endpoints of agents.
func (p *Proxy) mountAgents(r gin.IRoutes) {
	r.POST(agentPath, p.serveAgent)
	r.GET(agentPath, p.refuseAgentStream)
	r.GET(agentPath+a2a.CardPath, p.serveAgent)
	r.GET(agentPath+a2a.OldCardPath, p.serveAgent)
	r.POST(agentPath+pushPath+":push", p.servePush)
}

// serveAgent serves one request to an agent, or its card.
func (p *Proxy) serveAgent(g *gin.Context) {
	if !p.servesAgents() {
		p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
		return
	}
	t := &agentCall{rpcCall: rpcCall{kind: "the agent", name: g.Param("name")}}
	t.Card = g.Request.Method == http.MethodGet
	p.serve(g.Writer, g.Request, &inlet{shape: t, peer: t})
}

// refuseAgentStream refuses a GET of the endpoint itself.
func (p *Proxy) refuseAgentStream(g *gin.Context) {
	if !p.servesAgents() {
		p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
		return
	}
	g.Header("Allow", http.MethodPost)
	p.refuseUnserved(g, &a2a.Call{}, unaskedStream)
}

// servesAgents reports whether any agent is configured.
func (p *Proxy) servesAgents() bool {
	s := p.Snapshots.Acquire()
	defer s.Release()
	return !s.Agents.IsEmpty()
}
