package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// redirectToMember makes a message to a virtual server that is about something of a member a message to the member,
// before any link sees it: policies, prices and records know a tool by its own name, whichever way a client takes to
// it.
func (t *toolCall) redirectToMember() *core.Error {
	c := t.call
	if len(t.server.Members) == 0 || t.Target == "" {
		if asks := t.server.Asker; asks != nil && (t.Form == mcp.Result || t.Form == mcp.Failure) {
			if member := asks(c.x.Principal, t.ID); member != nil && member.Server.Admits(c.x.Principal) {
				t.setMember(member) // the answer to its question is for it alone
			}
		}
		return nil
	}
	member, own := t.server.Resolve(t.Target)
	if member == nil || !member.Server.Admits(c.x.Principal) {
		return t.newUnknownTargetError()
	}
	if holder, _ := t.server.FindHolder(t.Target); t.Method == mcp.MethodCallTool && holder == nil {
		return t.newUnknownTargetError()
	}
	cuts, e := t.AppendForwardCuts(&c.x, core.Traits{Model: own}, nil)
	if e != nil {
		return e
	}
	body, err := splice.Append(make([]byte, 0, len(c.x.Request.Raw)), c.x.Request.Raw, cuts)
	if err != nil {
		return core.ConvertError(err)
	}
	header := c.r.Header
	if len(header[mcp.HeaderName]) > 0 {
		header = header.Clone()
		header[mcp.HeaderName] = []string{mcp.EncodeHeader(own)}
	}
	c.x.Request.Reset()
	c.describeRequest(header)
	c.x.Request.Raw = body
	if e := t.Scan(&c.x); e != nil {
		return e
	}
	t.setMember(member)
	return nil
}

// setMember makes the message one to a member, under the rules of that.
func (t *toolCall) setMember(member *tools.Member) {
	t.member, t.server, t.name = member, member.Server, member.Server.Name
	t.call.x.Head.Model = tools.FormatName(t.name, "")
}

// newUnknownTargetError returns the error of something that no member has, or that the caller must not use.
func (t *toolCall) newUnknownTargetError() *core.Error {
	if t.Method == mcp.MethodCallTool {
		return t.newUnknownToolError()
	}
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound, Param: "params", Public: "the virtual server has no prompt or resource of this name that the key may use",
	}
}

// chooseUpstream finds out how the client reaches the server in its era. If it does not, the error has clients fall back to a
// revision of the other era.
func (t *toolCall) chooseUpstream(ctx context.Context) *core.Error {
	if t.member != nil {
		if t.up = t.member.Legacy; t.Era == mcp.Modern {
			t.up = t.member.Modern
		}
		return nil
	}
	up, err := t.server.OpenUpstream(ctx, t.Era, t.message.Session)
	if err != nil {
		return t.convertCallError(ctx, err)
	}
	if t.up = up; up == nil {
		return t.RefuseEra()
	}
	return nil
}
