package proxy

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// readUser reads the token of the caller's user, which goes beside the key, if the server is called on behalf of users. Only
// the server's token endpoint receives it. What the gateway keeps for the caller, such as sessions, it then keeps for this
// user alone. Other servers know no user, so that a header with another token each time changes nothing for them.
func (t *toolCall) readUser(ctx context.Context) (context.Context, *core.Error) {
	if !t.server.IsPerUser() {
		return ctx, nil
	}
	sent := t.call.r.Header[tools.HeaderUserToken]
	switch {
	case len(sent) == 0 && t.server.PerUser:
		return ctx, tools.NewMissingUserError()
	case len(sent) == 0: // other members of the virtual server can be used
		return ctx, nil
	case len(sent) > 1 || sent[0] == "":
		return ctx, tools.NewUserError("must hold one token")
	}
	p := *t.call.x.Principal
	p.User = tools.DigestUserToken(sent[0])
	t.call.x.Principal = &p
	return tools.WithUser(ctx, tools.User{Token: sent[0], Tenant: p.Tenant}), nil
}

// resolveSession finds out which session of the server the message belongs to.
func (t *toolCall) resolveSession() *core.Error {
	sealed := t.call.r.Header[mcp.HeaderSession]
	if t.Era != mcp.Legacy || len(sealed) == 0 || t.Method == mcp.MethodInitialize {
		return nil
	}
	id, ok := t.server.UnsealSession(t.call.x.Principal, sealed[0])
	if !ok || len(sealed) > 1 {
		return newEndedSessionError()
	}
	t.message.Session = id
	return nil
}

// newEndedSessionError returns the error that makes clients open another session.
func newEndedSessionError() *core.Error {
	return &core.Error{
		Kind: core.NotFound, Code: mcp.CodeSessionNotFound, Public: "the session has ended, or is not one of this key; send initialize again",
	}
}

// readSession reads the end of a session, or the opening of its stream. Neither has a body, but both pass the links because
// limits count them.
func (t *toolCall) readSession(ctx context.Context) *core.Error {
	c := t.call
	t.Era = mcp.Legacy
	if len(c.r.Header[mcp.HeaderSession]) == 0 && t.ends {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: mcp.HeaderSession,
			Public: "the header " + mcp.HeaderSession + " is missing",
		}
	}
	if e := t.resolveSession(); e != nil {
		return e
	}
	t.Version = c.r.Header.Get(mcp.HeaderVersion)
	if era, ok := mcp.FindEra(t.Version); t.Version != "" && (!ok || era != mcp.Legacy) {
		return t.RefuseEra()
	}
	c.describeRequest(c.r.Header)
	c.x.Request.Raw = []byte("{}")
	if e := t.chooseUpstream(ctx); e != nil || t.ends {
		return e
	}
	return t.checkSubscription(&c.x.Request)
}

// sendEnd ends the client's session with the server.
func (t *toolCall) sendEnd(ctx context.Context) *core.Error {
	t.call.proxy.subscribed.end(t.formatSession())
	if err := t.up.End(ctx, t.message.Session, t.Version); err != nil {
		return t.convertCallError(ctx, err)
	}
	t.call.x.Outcome.Kind = core.Served
	return t.writeEmpty(http.StatusNoContent)
}
