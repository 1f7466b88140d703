package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// cacheHit is the header of an answer from a cache.
var cacheHit = core.Field{Name: "X-Cache", Value: "HIT"}

// describeReuse tells links what the result of the call depends on, if its tool is read-only. Headers that the server gets beside
// the call are not part of it, so a call with such headers is not reused. Addresses of resources in a result differ between the
// server's own path and a virtual server's.
func (t *toolCall) describeReuse() {
	if t.Method != mcp.MethodCallTool || len(t.mirrors) > 0 {
		return
	}
	digest, ok := t.server.FindReadOnly(t.Target)
	if !ok {
		return
	}
	path := "own"
	if t.member != nil {
		path = "virtual"
	}
	caller := ""
	if t.server.Restores || t.Era != mcp.Modern || !t.server.SpeaksModern() {
		// The server gets the values that this caller may read, or keeps a session in which it knows who calls.
		caller = t.call.x.Principal.KeyID
	}
	if user := t.call.x.Principal.User; user != "" { // another user may get another result
		caller = t.call.x.Principal.KeyID + " " + user
	}
	t.call.x.Reuse = []string{t.server.Origin, digest, t.Era.String(), t.Version, t.message.Session, path, caller}
}

// checkReuse ends the reuse of a response that does not last: an error, a question to the client, and content
// that no guard can judge.
func (t *toolCall) checkReuse() {
	a := &t.Answer
	shared := len(t.call.x.Reuse) > 0 && t.call.x.Reuse[len(t.call.x.Reuse)-1] == ""
	if shared && !t.server.SpeaksModern() { // it turned out to keep a session, in which it knows who calls
		t.call.x.Reuse = nil
	}
	if a.Failed || a.IsError || a.AsksInput || a.Opaque != "" {
		t.call.x.Reuse = nil
	}
}

// deliverStageAnswer delivers a link's answer to the call. A stored one has the id of another call.
func (t *toolCall) deliverStageAnswer(ctx context.Context, d chain.Decision) *core.Error {
	c := t.call
	t.digest = t.digestArguments()
	c.x.Outcome.Kind, c.x.Outcome.By = core.Answered, d.Link
	if e := c.records.appendRequest(ctx); e != nil {
		return e
	}
	if e := t.spendApprovals(ctx); e != nil { // an approval is valid for one result, wherever that comes from
		return e
	}
	reply := *d.Reply
	reply.Raw = t.ReplaceID(&c.x, reply.Raw)
	d.Reply = &reply
	return c.answer.deliverStageAnswer(ctx, d)
}
