package proxy

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/socket"
)

// livePath is the endpoint of the Realtime API.
const livePath = "/v1/realtime"

// bypasses are endpoints by which clients would reach a provider without the gateway.
var bypasses = []string{
	livePath + "/client_secrets", livePath + "/sessions", livePath + "/transcription_sessions", livePath + "/calls",
}

// mountLive registers the routes of the Realtime API.
func (p *Proxy) mountLive(r gin.IRoutes) {
	r.GET(livePath, p.openLive)
	for _, path := range bypasses {
		r.POST(path, p.refuseBypass)
	}
}

// refuseBypass refuses to give out what opens a session at the provider itself.
func (p *Proxy) refuseBypass(c *gin.Context) {
	p.serve(c.Writer, c.Request, &inlet{shape: openai.Realtime{}, scopes: toComplete, refused: &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported,
		Public: "the gateway gives out no client secrets and takes no WebRTC calls, because a client would reach the provider without it; " +
			"open a WebSocket to " + livePath + "?model=… with a key of the gateway, and give each client its own key that expires",
	}})
}

// openLive serves a session of the Realtime API.
func (p *Proxy) openLive(c *gin.Context) {
	var e *core.Error
	model := c.Query("model")
	switch {
	case !strings.EqualFold(c.GetHeader("Upgrade"), "websocket"):
		c.Header("Upgrade", "websocket")
		e = &core.Error{
			Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Status: http.StatusUpgradeRequired,
			Public: "this endpoint is a WebSocket",
		}
	case !p.sockets.IsOn():
		c.Header("Upgrade", "HTTP/1.1")
		e = &core.Error{
			Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Status: http.StatusUpgradeRequired,
			Public: "WebSockets are off (`server.sockets_per_key`)",
		}
	case c.Query("intent") == "transcription":
		e = scan.NewUnsupportedError("intent", "sessions that transcribe only are not supported; send the sound to /v1/audio/transcriptions")
	case c.Query("call_id") != "":
		e = scan.NewUnsupportedError("call_id", "calls by WebRTC or SIP are not supported")
	case model == "":
		e = scan.NewMissing("model")
	default:
		e = route.CheckModelName(model, "model")
	}
	if e == nil {
		e = p.upgradeLive(c, model)
	}
	if e != nil {
		p.serve(c.Writer, c.Request, &inlet{shape: openai.Realtime{}, scopes: toComplete, refused: e})
	}
}

// upgradeLive turns the connection into a session and serves it to its end. An error means that nothing was written.
func (p *Proxy) upgradeLive(c *gin.Context, model string) *core.Error {
	s := p.Snapshots.Acquire()
	limit := s.MaxBody
	who, e := p.Auth.Authenticate(s.Keys, c.Request, time.Now())
	s.Release() // a session must not keep a configuration alive
	if e == nil {
		e = checkTurns(who)
	}
	if e == nil {
		e = auth.RequireModel(who, model, "model")
	}
	if e != nil {
		return e
	}
	return p.sockets.OpenLive(c.Writer, c.Request, who, model, limit)
}

// isJudging reports whether links of the chain judge or redact what clients write.
func (p *Proxy) isJudging() bool {
	s := p.Snapshots.Acquire()
	defer s.Release()
	return slices.ContainsFunc(s.Chain.Links(), func(l chain.Link) bool { return l.Guards || l.Redacts })
}

// sessionActor is the caller of exchanges that book what a session has used.
const sessionActor = "realtime:transcription"

// bookSession books what the provider of a session has used beside its responses. The exchange is limited by the budgets of
// the session's key; see Grant.
func (p *Proxy) bookSession(w http.ResponseWriter, r *http.Request, by *core.Principal, line socket.FixedLine) {
	g := &Grant{Tenant: by.Tenant, Actor: sessionActor, Guard: sessionActor, By: by}
	p.serve(&turnWriter{ResponseWriter: w}, r, &inlet{shape: openai.Realtime{}, scopes: toComplete, grant: g, line: line})
}

// newNotInSessionError returns the error of a target that the session does not lead to.
func newNotInSessionError() *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "model",
		Public: "the session is open at another provider or model; open another session",
	}
}
