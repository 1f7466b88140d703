package proxy

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// pushPath is between the address of an agent and the sealed target at which the agent notifies the gateway.
const pushPath = "/push/"

// canPush reports whether the agent may notify clients. The agent is told an address of the gateway, which no client may choose: a
// Host field does not count.
func (t *agentCall) canPush() bool { return t.agent.Notifier != nil && t.call.snap.PublicURL != "" }

// The links see neither the client's addresses nor the gateway's: they would redact an address that holds an IP address, and no
// notification would arrive. A message names its n-th address push:n while links see it.

// hidePushTarget notes where a client wants to be notified, and returns the name of the address.
func (t *agentCall) hidePushTarget(target a2a.PushTarget) (string, *core.Error) {
	if !t.agent.Notifier.Allows(target.URL) {
		return "", &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "pushNotificationConfig.url",
			Public: "the address is not registered for notifications of this agent; ask the operator to add it to push_to",
		}
	}
	return t.addPushTarget(target), nil
}

// addPushTarget returns the name of an address.
func (t *agentCall) addPushTarget(target a2a.PushTarget) string {
	t.targets = append(t.targets, target)
	return "push:" + strconv.Itoa(len(t.targets)-1)
}

// findPushTarget returns the target of a name, or nil.
func (t *agentCall) findPushTarget(name string) *a2a.PushTarget {
	digits, ok := strings.CutPrefix(name, "push:")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= len(t.targets) {
		return nil
	}
	return &t.targets[n]
}

// insertPushURLs returns the request with addresses of the gateway, at which the agent notifies it.
func (t *agentCall) insertPushURLs(raw []byte) ([]byte, *core.Error) {
	hash := auth.Hash(auth.ReadCredential(t.call.r.Header))
	return t.SetPushURLs(raw, "params", func(name string) string {
		target := t.findPushTarget(name)
		if target == nil {
			return ""
		}
		return t.buildAddress() + pushPath + t.agent.SealPush(&agents.Push{PushTarget: *target, Key: hash[:]})
	})
}

// governPushConfigs governs an answer about configurations of notifications, and sends it with the client's own addresses.
func (t *agentCall) governPushConfigs(ctx context.Context, status int, data []byte) *core.Error {
	t.targets = t.targets[:0]
	data, e := t.SetPushURLs(data, "result", func(url string) string {
		sealed, _ := strings.CutPrefix(url, t.buildAddress()+pushPath)
		p, ok := t.agent.OpenPush(sealed)
		if !ok { // not an address of the gateway
			return ""
		}
		return t.addPushTarget(p.PushTarget)
	})
	if e != nil {
		return e
	}
	return t.governWhole(ctx, status, data, func(raw []byte) ([]byte, *core.Error) {
		return t.SetPushURLs(raw, "result", func(name string) string {
			target := t.findPushTarget(name)
			if target == nil {
				return ""
			}
			return target.URL
		})
	})
}

// noPushTarget refuses a notification at an address that the gateway has given out for no configuration.
const noPushTarget = "no client has configured notifications for this address"

// agentPush is a notification of an agent about a task: an answer to no open request. It is the dialect of its exchange.
type agentPush struct {
	agentCall
	to agents.Push
}

// servePush takes a notification of an agent and delivers it to the client that has asked for it.
func (p *Proxy) servePush(g *gin.Context) {
	if !p.servesAgents() {
		p.refuseUnserved(g, openai.Chat{}, noToolEndpoint)
		return
	}
	t := &agentPush{agentCall: agentCall{rpcCall: rpcCall{kind: "the receiver of notifications of", name: g.Param("name")}}}
	t.Notification = true
	sealed := g.Param("push")
	p.serve(g.Writer, g.Request, &inlet{shape: t, peer: t, findCaller: func() *core.Error { return t.findCaller(sealed) }})
}

// findCaller finds the key that has asked for the notification. The address proves that the gateway gave it to this agent.
func (t *agentPush) findCaller(sealed string) *core.Error {
	unknown := &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: noPushTarget}
	agent := t.call.snap.Agents.Find(t.name)
	if agent == nil || agent.Notifier == nil {
		return unknown
	}
	to, ok := agent.OpenPush(sealed)
	if !ok || len(to.Key) != sha256.Size {
		return unknown
	}
	x := &t.call.x
	if x.Principal = t.call.snap.Keys.FindByHash([sha256.Size]byte(to.Key), x.Received); x.Principal == nil {
		return unknown
	}
	if !agent.Allows(x.Principal) {
		return unknown
	}
	t.agent, t.to = agent, to
	return checkActive(x.Principal)
}

// handle judges the notification and delivers it. The agent gets the status: it may repeat what was not delivered.
func (t *agentPush) handle(ctx context.Context) *core.Error {
	c := t.call
	c.x.Head.Model, c.x.Head.Task = agents.FormatName(t.name), llm.TaskAgent
	if e := auth.RequireScope(c.x.Principal, auth.ScopeAgentsCall); e != nil {
		return e
	}
	if e := c.readBody(); e != nil {
		return e
	}
	c.x.Request.Header, c.x.Request.Raw = http.Header{}, []byte(`{"method":"push"}`)
	switch d := c.chain.RunRequest(ctx, &c.x); d.Action {
	case core.Block:
		return c.newBlockedError(d)
	case core.Answer: // no request waits for it
		c.x.Outcome.Kind, c.x.Outcome.By = core.Blocked, d.Link
		return &core.Error{Kind: core.Forbidden, Code: core.CodeContentFilter, Public: "a stage of the gateway answers such requests itself, so the notification is not delivered"}
	}
	if e := c.records.appendRequest(ctx); e != nil {
		return e
	}
	c.x.Target = core.TargetRef{Provider: agents.FormatName(t.name), Model: agents.FormatName(t.name) + "/push", Wire: a2a.DialectName}
	if d := c.chain.RunTarget(ctx, &c.x); d.Action == core.Block {
		return c.newBlockedError(d)
	}
	data, e := t.replaceAgentIDs(c.body)
	if e != nil {
		return e
	}
	if e := t.judgeWhole(ctx, http.StatusOK, data); e != nil {
		if c.x.Outcome.Kind != core.UpstreamErr {
			return e
		}
		c.x.Outcome.Kind = core.Refused // what the agent has sent is a request here
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Err: e, Public: "the notification is not a task, a message or an update of one",
		}
	}
	return t.notify(ctx)
}

// fillRequestRecord adds the notification to a GATEWAY_REQUEST.
func (t *agentPush) fillRequestRecord(p *audit.Payload) {
	if t.agent == nil {
		return
	}
	p.AddStr("a2a_agent", t.name)
	p.AddStr("a2a_method", "push")
}

// notify delivers the judged notification.
func (t *agentPush) notify(ctx context.Context) *core.Error {
	c := t.call
	began := c.readTime()
	status, err := t.agent.Notifier.Notify(ctx, &t.to.PushTarget, c.x.Response.Raw)
	if err == nil && status/100 != 2 {
		err = &tools.StatusError{Status: status}
	}
	t.addAttempt(began, status, err)
	if err != nil {
		return t.convertNotifyError(ctx, err)
	}
	c.x.Outcome.Kind = core.Served
	return t.writeEmpty(http.StatusNoContent)
}

// convertNotifyError returns the error of a notification that was not delivered. The agent learns nothing of the
// receiver's answer.
func (t *agentPush) convertNotifyError(ctx context.Context, err error) *core.Error {
	if !t.agent.Notifier.Allows(t.to.URL) {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Err: err, Public: noPushTarget}
	}
	e := t.convertCallError(ctx, err)
	var status *tools.StatusError
	if errors.As(err, &status) {
		e.Kind, e.RetryAfter, e.Public = core.BadGateway, 0, t.formatLabel()+" answered with an error"
	}
	return e
}
