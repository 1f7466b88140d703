package proxy

import (
	"cmp"
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// formatSession names the client's session with the server that the path names.
func (t *toolCall) formatSession() string {
	p := t.call.x.Principal
	return strings.Join([]string{p.Tenant, cmp.Or(p.Lineage, p.KeyID), p.User, t.path, t.message.Session}, "\x00")
}

// checkSubscription checks that the caller may hear what it wants to subscribe to. Whether the guards can judge single messages is
// known once they have let the request through.
func (t *toolCall) checkSubscription(request *core.Payload) *core.Error {
	switch {
	case t.listens:
	case t.Method == mcp.MethodSubscribe, t.Method == mcp.MethodUnsubscribe:
		if t.message.Session == "" {
			return &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: mcp.HeaderSession,
				Public: "a subscription belongs to a session, and the server keeps none for this client; read the resource again instead",
			}
		}
	case t.Method == mcp.MethodListen:
		if e := t.checkListen(request); e != nil {
			return e
		}
	default:
		return nil
	}
	if !tools.CanListen(t.up) || t.sent != nil && !t.canListen() {
		return t.newCannotListenError()
	}
	return nil
}

// checkListen checks the resources that a modern client names.
func (t *toolCall) checkListen(request *core.Payload) *core.Error {
	c := t.call
	sub, e := mcp.ReadSubscription(&c.x.Scanner, request.Raw)
	if e != nil {
		return e
	}
	scope := auth.ScopeToolsList
	if len(sub.URIs) > 0 {
		scope = auth.ScopeToolsCall
	}
	if e := auth.RequireScope(c.x.Principal, scope); e != nil {
		return e
	}
	for _, uri := range sub.URIs {
		if !t.server.AllowsListed(c.x.Principal, mcp.ResourceSubject, uri) {
			return t.newUnknownTargetError()
		}
	}
	return t.nameMember(sub.URIs)
}

// nameMember lets the links of the chain know which member of a virtual server has the resources, as they would if the client
// read them.
func (t *toolCall) nameMember(uris []string) *core.Error {
	if len(t.server.Members) == 0 || len(uris) == 0 {
		return nil
	}
	first, _ := t.server.Resolve(uris[0])
	for _, uri := range uris {
		if m, _ := t.server.Resolve(uri); m == nil || m != first {
			return &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "params.notifications.resourceSubscriptions",
				Public: "the resources belong to several servers; open one subscription for each server",
			}
		}
	}
	t.call.x.Head.Model = tools.FormatName(first.Server.Name, "")
	return nil
}

// sendSubscription counts a subscription before it is sent, and undoes that if it fails.
func (t *toolCall) sendSubscription(ctx context.Context) *core.Error {
	c, session, uri := t.call, t.formatSession(), t.Target
	if t.member != nil {
		uri = tools.FormatURIPrefix(t.name) + uri
	}
	known := &c.proxy.subscribed
	if t.Method == mcp.MethodUnsubscribe {
		known.remove(session, uri)
		return t.send(ctx)
	}
	isNew, e := known.add(session, c.x.Principal.Tenant, uri)
	if e != nil {
		return e
	}
	t.subscribes = func() { known.wait(ctx, session, uri) }
	if e = t.send(ctx); isNew && (e != nil || t.Answer.Failed) {
		known.remove(session, uri)
	}
	return e
}
