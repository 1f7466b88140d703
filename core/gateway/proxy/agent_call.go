package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// agentCall is the part of a call that only requests to agents have. It is the dialect of the exchange.
type agentCall struct {
	a2a.Call
	rpcCall
	agent      *agents.Agent
	extensions string // protocol extensions that the client requests
	sent       *core.Payload
	digest     string           // of the message after all links
	targets    []a2a.PushTarget // of notifications, as the message names them while links see it
	worked     bool             // the agent has answered with something else than an error
}

// handle carries the request through the chain to the agent. The caller is known.
func (t *agentCall) handle(ctx context.Context) *core.Error {
	e := t.run(ctx)
	t.noteOutcome(e)
	t.endEarly(t, e)
	return e
}

func (t *agentCall) run(ctx context.Context) *core.Error {
	c := t.call
	if e := t.findAgent(); e != nil {
		return e
	}
	if t.Card {
		c.describeRequest(c.r.Header)
		c.x.Request.Raw = []byte("{}")
	} else if e := t.decode(); e != nil {
		return e
	}
	switch d := c.chain.RunRequest(ctx, &c.x); d.Action {
	case core.Block:
		return c.newBlockedError(d)
	case core.Answer:
		return c.answer.deliverStageAnswer(ctx, d)
	}
	t.digest = t.digestMessage()
	if e := c.records.appendRequest(ctx); e != nil {
		return e
	}
	c.x.Target = core.TargetRef{Provider: agents.FormatName(t.name), Model: t.formatTargetName(), Wire: a2a.DialectName}
	if d := c.chain.RunTarget(ctx, &c.x); d.Action == core.Block {
		return c.newBlockedError(d)
	}
	if t.sent = &c.x.Request; !t.agent.Restores {
		if c.chain.Compact(&c.x) {
			c.body = scratch.Reset(c.body)
		}
	} else if sent, err := c.chain.Restore(ctx, &c.x); err == nil {
		t.sent = sent
	} else {
		return core.ConvertError(err)
	}
	if t.Op.Streams() && !c.chain.CanStream(&c.x) {
		return &core.Error{
			Kind: core.InvalidRequest, Code: a2a.CodeUnsupported, Param: "method",
			Public: "a guard judges whole answers only, so that the gateway cannot stream; send the message without streaming, or get the task",
		}
	}
	if t.Card {
		return t.sendCard(ctx)
	}
	return t.send(ctx)
}

// findAgent finds the agent that the path names. Agents that the caller must not use count as unknown.
func (t *agentCall) findAgent() *core.Error {
	x := &t.call.x
	if t.agent = t.call.snap.Agents.Find(t.name); t.agent == nil || !t.agent.Allows(x.Principal) {
		t.agent = nil
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "the key may use no agent of this name"}
	}
	x.Head.Model, x.Head.Task = agents.FormatName(t.name), llm.TaskAgent
	if t.Card && x.Principal.Allows(auth.ScopeAgentsList) {
		return nil
	}
	return auth.RequireScope(x.Principal, auth.ScopeAgentsCall)
}

// decode reads the body and checks that the caller may send it.
func (t *agentCall) decode() *core.Error {
	c := t.call
	if e := c.readBody(); e != nil {
		return e
	}
	c.describeRequest(c.r.Header)
	c.x.Request.Raw = c.body
	if v := c.r.URL.Query()["A2A-Version"]; len(v) > 0 && len(c.r.Header[a2a.HeaderVersion]) == 0 { // specification, section 3.6.1
		c.x.Request.Header = c.r.Header.Clone()
		c.x.Request.Header[a2a.HeaderVersion] = v
	}
	if e := t.Scan(&c.x); e != nil {
		return e
	}
	if e := t.refuseOperation(); e != nil {
		return e
	}
	if e := t.readExtensions(); e != nil {
		return e
	}
	if e := t.replaceCallerIDs(); e != nil {
		return e
	}
	if e := c.x.Head.File; e != nil && c.snap.JudgedFiles {
		own := *e
		own.Code = a2a.CodeContentType
		return &own
	}
	return nil
}

// refuseOperation refuses operations that the gateway cannot govern. The agent sees the gateway as its only client, so it would
// list the tasks of all callers.
func (t *agentCall) refuseOperation() *core.Error {
	switch {
	case t.Op == a2a.ListTasks:
		return &core.Error{
			Kind: core.InvalidRequest, Code: a2a.CodeUnsupported, Param: "method",
			Public: "the gateway does not list tasks, because the agent cannot tell its callers apart; get each task by its id",
		}
	case (t.Op == a2a.PushConfig || t.Pushes) && !t.canPush():
		return &core.Error{
			Kind: core.InvalidRequest, Code: a2a.CodePush,
			Public: "the agent must not send push notifications: no address is registered for them; stream, or get the task",
		}
	}
	return nil
}

// readExtensions reads the extensions that the client requests. Links do not see headers, so the values must look like
// addresses.
func (t *agentCall) readExtensions() *core.Error {
	t.extensions = strings.Join(t.call.r.Header[a2a.HeaderExtensions], ",")
	for uri := range strings.SplitSeq(t.extensions, ",") {
		if !scan.IsPlain([]byte(strings.TrimSpace(uri))) {
			return scan.NewInvalid("A2A-Extensions", "the header A2A-Extensions contains a value that is not a plain address")
		}
	}
	return nil
}

// replaceCallerIDs replaces what the caller calls tasks, contexts and the address of notifications by what the agent
// may know, before any link sees it.
func (t *agentCall) replaceCallerIDs() *core.Error {
	c := t.call
	body, e := t.ReplaceIDs(&c.x, c.x.Request.Raw, "params", func(kind a2a.IDKind, shown string) (string, *core.Error) {
		if kind == a2a.ContextID {
			return t.agent.ResolveContextID(c.x.Principal, shown), nil
		}
		id, ok := t.agent.ResolveTaskID(c.x.Principal, shown)
		if !ok {
			return "", &core.Error{Kind: core.NotFound, Code: a2a.CodeTaskNotFound, Public: "the key has created no task of this id"}
		}
		return id, nil
	})
	if e == nil && (t.Op == a2a.PushConfig || t.Pushes) {
		body, e = t.HidePushTargets(body, t.hidePushTarget)
	}
	if e != nil || len(body) == len(c.x.Request.Raw) && &body[0] == &c.x.Request.Raw[0] {
		return e
	}
	header := c.x.Request.Header
	c.x.Request.Reset()
	c.describeRequest(header)
	c.x.Request.Raw = body
	return t.Scan(&c.x)
}

// replaceAgentIDs replaces the agent's ids of tasks and contexts by the caller's.
func (t *agentCall) replaceAgentIDs(doc []byte) ([]byte, *core.Error) {
	return t.ReplaceIDs(&t.call.x, doc, "result", func(kind a2a.IDKind, id string) (string, *core.Error) {
		if kind == a2a.ContextID {
			return t.agent.BindContextID(t.call.x.Principal, id), nil
		}
		return t.agent.BindTaskID(t.call.x.Principal, id), nil
	})
}

// digestMessage returns the SHA-256 of the message after all links, in hex, or "" without a message.
func (t *agentCall) digestMessage() string {
	s, raw := &t.call.x.Scanner, t.call.x.Request.Raw
	if !t.Op.Sends() || !jsonrpc.Seek(s, raw, "params", "message") {
		return ""
	}
	at := s.Skip()
	if s.Err() != nil {
		return ""
	}
	sum := sha256.Sum256(raw[at.Start:at.End])
	return hex.EncodeToString(sum[:])
}

// buildHeader returns the protocol's headers for the agent.
func (t *agentCall) buildHeader() (h []upstream.Field) {
	if t.Version == a2a.Version10 || len(t.call.x.Request.Header[a2a.HeaderVersion]) > 0 {
		h = append(h, upstream.Field{Name: "A2A-Version", Value: t.Version})
	}
	if t.extensions != "" {
		h = append(h, upstream.Field{Name: "A2A-Extensions", Value: t.extensions})
	}
	return h
}

// formatTargetName returns the target's name for records. Only messages have the name of the agent itself, to which the
// price belongs.
func (t *agentCall) formatTargetName() string {
	switch {
	case t.Op.Sends():
		return agents.FormatName(t.name)
	case t.Card || t.Op == a2a.GetCard:
		return agents.FormatName(t.name) + "/card"
	}
	return agents.FormatName(t.name) + "/tasks"
}

// findRecordedName returns the name of the agent for records and logs.
func (t *agentCall) findRecordedName() string {
	if t.agent == nil { // the name in the path is whatever the client has sent
		return ""
	}
	return agents.FormatName(t.name)
}

// fillRequestRecord adds the request to a GATEWAY_REQUEST. Of the message it adds only the digest.
func (t *agentCall) fillRequestRecord(p *audit.Payload) {
	if t.agent == nil {
		return
	}
	p.AddStr("a2a_agent", t.name)
	p.AddOptionalStr("a2a_version", t.Version)
	switch {
	case t.Card:
		p.AddStr("a2a_method", "card")
	case t.KnowsMethod():
		p.AddStr("a2a_method", t.Method)
	}
	p.AddOptionalStr("message_sha256", t.digest)
}

// sumCost returns the price of a message, if the agent may have worked on it. A stream that ends in an error is paid for if anything came
// before the error.
func (t *agentCall) sumCost() (sum int64) {
	if !t.Op.Sends() || t.Answer.Failed && !t.worked {
		return 0
	}
	for i := range t.call.x.Attempts {
		if a := &t.call.x.Attempts[i]; a.Lost || a.Status >= http.StatusOK && a.Status < http.StatusMultipleChoices {
			sum += t.agent.Price
		}
	}
	return sum
}

// noteOutcome counts the request for the pages of agents, if it was sent.
func (t *agentCall) noteOutcome(e *core.Error) {
	x := &t.call.x
	if t.agent == nil || len(x.Attempts) == 0 || x.Outcome.Kind == core.ClientGone {
		return
	}
	code := ""
	if e != nil && x.Outcome.Kind == core.UpstreamErr { // a JSON-RPC error is an answer too
		code = e.Code
	}
	t.agent.NoteOutcome(code, t.Op.Sends(), t.sumCost(), t.call.readTime())
}
