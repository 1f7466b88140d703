package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/llm"
)

// toolCall is the part of a call that only messages to MCP servers have. Its Call is the dialect of the exchange,
// because reading a JSON-RPC answer requires the request.
type toolCall struct {
	mcp.Call
	rpcCall
	ends    bool   // the client ends its session
	listens bool   // the client opens the stream of its session
	path    string // the name of the server in the path; name is that of a virtual server's member
	server  *tools.Server
	member  *tools.Member  // of the virtual server that the path names; nil if the path names the server
	up      tools.Upstream // how this client reaches the server
	message tools.Message
	// sent is the request as the server gets it. No link sees what was restored in it.
	sent     *core.Payload
	consents bool     // it is a retry of a call that needed an approval
	digest   string   // of the arguments after all links
	mirrors  []mirror // headers that repeat arguments
	// subscribes waits until a new subscription is in force. Optional.
	subscribes func()
}

// handle carries the message through the chain to the server. The caller is known.
func (t *toolCall) handle(ctx context.Context) *core.Error {
	e := t.run(ctx)
	t.noteOutcome(e)
	if t.askForApproval(e) {
		return nil
	}
	t.endEarly(&t.Call, e)
	return e
}

func (t *toolCall) run(ctx context.Context) *core.Error {
	c := t.call
	if e := t.findServer(); e != nil {
		return e
	}
	if e := t.checkAnyScope(); e != nil {
		return e
	}
	ctx, e := t.readUser(ctx)
	if e != nil {
		return e
	}
	if e := t.read(ctx); e != nil {
		return e
	}
	switch d := c.chain.RunRequest(ctx, &c.x); d.Action {
	case core.Block:
		return c.newBlockedError(d)
	case core.Answer:
		return t.deliverStageAnswer(ctx, d)
	}
	if e := t.readTarget(&c.x.Request); e != nil {
		return e
	}
	t.digest = t.digestArguments()
	if e := c.records.appendRequest(ctx); e != nil {
		return e
	}
	c.x.Target = core.TargetRef{Provider: tools.FormatName(t.name, ""), Model: c.x.Head.Model, Wire: mcp.DialectName}
	d := c.chain.RunTarget(ctx, &c.x)
	c.x.Target.Model = c.findRecordedModel()
	if d.Action == core.Block {
		return c.newBlockedError(d)
	}
	t.sent = &c.x.Request
	if t.server.Restores {
		sent, err := c.chain.Restore(ctx, &c.x)
		if err != nil {
			return core.ConvertError(err)
		}
		t.sent = sent
	} else if c.chain.Compact(&c.x) {
		c.body = scratch.Reset(c.body)
	}
	if e := t.readTarget(t.sent); e != nil {
		return e
	}
	if e := t.checkSubscription(t.sent); e != nil {
		return e
	}
	switch {
	case t.ends:
		return t.sendEnd(ctx)
	case t.listens, t.Method == mcp.MethodListen:
		return t.listen(ctx)
	case t.Method == mcp.MethodSubscribe, t.Method == mcp.MethodUnsubscribe:
		return t.sendSubscription(ctx)
	}
	if e := t.spendApprovals(ctx); e != nil {
		return e
	}
	return t.send(ctx)
}

// findServer finds the server that the path names. Servers that the caller must not use count as unknown.
func (t *toolCall) findServer() *core.Error {
	t.server = t.call.snap.Servers.Find(t.name)
	if t.server == nil || !t.server.Admits(t.call.x.Principal) {
		t.server = nil
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "the key may use no MCP server of this name"}
	}
	t.call.x.Head.Model, t.call.x.Head.Task = tools.FormatName(t.name, ""), llm.TaskTool
	return checkOrigin(t.call.r)
}

// read reads what the client has sent.
func (t *toolCall) read(ctx context.Context) *core.Error {
	if t.ends || t.listens {
		return t.readSession(ctx)
	}
	return t.decode(ctx)
}

// decode reads the body and checks that the caller may send it.
func (t *toolCall) decode(ctx context.Context) *core.Error {
	c := t.call
	if e := c.readBody(); e != nil {
		return e
	}
	c.describeRequest(c.r.Header)
	c.x.Request.Raw = c.body
	if e := t.Scan(&c.x); e != nil {
		return e
	}
	if e := t.checkScope(); e != nil {
		return e
	}
	if e := t.resolveSession(); e != nil {
		return e
	}
	if e := t.redirectToMember(); e != nil {
		return e
	}
	if e := t.resumeConsent(); e != nil {
		return e
	}
	if e := t.chooseUpstream(ctx); e != nil {
		return e
	}
	if e := t.checkTarget(); e != nil {
		return e
	}
	if e := t.checkSubscription(&c.x.Request); e != nil {
		return e
	}
	if t.Method == mcp.MethodCallTool {
		if t.server.IsQuarantined(t.Target) {
			return newQuarantinedError()
		}
		if t.server.Refuses() && t.server.IsRefusedByGuard(c.chain.ListJudges(c.x.Principal), t.Target) {
			return newRefusedDefinitionError()
		}
		t.joinTrace()
		c.x.Head.Model, c.x.Head.Tools = tools.FormatName(t.name, t.Target), append(c.x.Head.Tools, t.Target)
	}
	if e := t.readMirrors(); e != nil {
		return e
	}
	t.describeReuse()
	t.beginCapture()
	return nil
}

// checkScope checks that the key may use the method. Methods that open or keep a connection need either scope.
func (t *toolCall) checkScope() *core.Error {
	switch t.Method {
	case mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListTemplates:
		return auth.RequireScope(t.call.x.Principal, auth.ScopeToolsList)
	case mcp.MethodCallTool, mcp.MethodGetPrompt, mcp.MethodReadResource, mcp.MethodComplete, mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		return auth.RequireScope(t.call.x.Principal, auth.ScopeToolsCall)
	}
	return nil
}

// checkAnyScope refuses a key without any scope for servers. It must not even initialize a connection.
func (t *toolCall) checkAnyScope() *core.Error {
	if t.call.x.Principal.Allows(auth.ScopeToolsList) {
		return nil
	}
	return auth.RequireScope(t.call.x.Principal, auth.ScopeToolsCall)
}

// newUnknownToolError returns the error of a tool that the caller must not call. It does not reveal whether the server has the tool.
func (t *toolCall) newUnknownToolError() *core.Error {
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound, Param: "params.name", Public: "the key may call no tool of this name",
	}
}

// newQuarantinedError returns the error of a tool whose definition is not the trusted one.
func newQuarantinedError() *core.Error {
	return &core.Error{
		Kind: core.Forbidden, Code: mcp.CodeToolQuarantined, Param: "params.name",
		Public: "the definition of this tool has changed, or waits for a first approval; an administrator must approve it before the tool can be called",
	}
}

// readTarget reads the target again, so that the header Mcp-Name agrees with the body that the links have edited. Links
// must not change the name of a tool, and the caller must be allowed to use any other target.
func (t *toolCall) readTarget(p *core.Payload) *core.Error {
	named := t.Target
	if !t.ReadTarget(p) {
		return nil
	}
	if t.Method == mcp.MethodCallTool {
		t.Target = named
		return t.newUnknownToolError()
	}
	return t.checkTarget()
}

// checkTarget checks that the caller may use the target of the message.
func (t *toolCall) checkTarget() *core.Error {
	if t.Target == "" || t.server.AllowsSubject(t.call.x.Principal, t.Subject(), t.Target) {
		return nil
	}
	if t.Method == mcp.MethodCallTool {
		return t.newUnknownToolError()
	}
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound, Param: "params", Public: "the key may use no prompt or resource of this name",
	}
}

// digestArguments returns the SHA-256 of the arguments after all links, in hex, or "" without arguments. Redacted values
// enter it as placeholders, because the digest of a short value can be guessed.
func (t *toolCall) digestArguments() string {
	if t.Method != mcp.MethodCallTool && t.Method != mcp.MethodGetPrompt {
		return ""
	}
	return digestArguments(&t.call.x.Scanner, t.call.x.Request.Raw)
}

// digestArguments returns the SHA-256 of the arguments of a message in hex, or "" without arguments.
func digestArguments(s *splice.Scanner, raw []byte) string {
	args := findArguments(s, raw)
	if args == nil {
		return ""
	}
	sum := sha256.Sum256(args)
	return hex.EncodeToString(sum[:])
}
