package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

const (
	// consentQuestion is the name of the question that the gateway asks about an approval.
	consentQuestion = "approval"
	// consentPrefix distinguishes the sealed state of a call that needs an approval from the other values that are sealed for
	// clients of a server.
	consentPrefix = "approval\x00"
	// consentFor is how long a client may retry with the state.
	consentFor = 24 * time.Hour
	// consentPause is how long a client should wait before it looks again whether somebody has approved its call.
	consentPause = 10 * time.Second
)

// askForApproval answers a call that a rule wants approved with a question to the client, if the client can ask its user:
// the retry runs once somebody has approved it. It reports false if the refusal is to be sent, as to a retry before that. A call
// that continues an earlier turn with the server is refused, because the retry could not carry both states.
func (t *toolCall) askForApproval(e *core.Error) bool {
	c := t.call
	var need *policydoc.ApprovalNeeded
	if e == nil || t.Era != mcp.Modern || c.state.headOut || !errors.As(e.Err, &need) {
		return false
	}
	form, page := mcp.ReadElicitation(&c.x.Scanner, c.x.Request.Raw)
	page = page && need.Page != ""
	if t.consents { // clients of the SDKs answer at once, again and again, so asking again would use up their limit of rounds
		e.RetryAfter = consentPause
		e.Public = "the approval " + need.ID + " of this call is pending; call again once somebody has given it" + formatPage(need.Page)
		return false
	}
	if !form && !page || mcp.HasInput(&c.x.Scanner, c.x.Request.Raw) {
		return false
	}
	reason := need.Reason
	if !strings.HasPrefix(e.Public, reason) { // the link has a text of its own
		reason = e.Public
	}
	asked := map[string]any{"mode": "form", "requestedSchema": json.RawMessage(`{"type":"object","properties":{}}`)}
	if page {
		asked = map[string]any{"mode": "url", "url": need.Page, "elicitationId": need.ID}
	}
	asked["message"] = reason + " This call needs the approval " + need.ID + ". Somebody gives it on the page of approvals" +
		formatPage(need.Page) + "; accept once that is done."
	doc, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": json.RawMessage(t.ID), "result": map[string]any{
			"resultType":    "input_required",
			"inputRequests": map[string]any{consentQuestion: map[string]any{"method": "elicitation/create", "params": asked}},
			"requestState":  t.server.SealSession(c.x.Principal, t.formatConsent()+strconv.FormatInt(c.readTime().Add(consentFor).Unix(), 10)),
		},
	})
	if err != nil {
		return false
	}
	c.x.Outcome.Err = e
	c.writeAnswer(http.StatusOK, "application/json", doc)
	return true
}

func formatPage(page string) string {
	if page == "" {
		return ""
	}
	return ", " + page
}

// formatConsent returns the state of this call without its end: the tool and the digest of the arguments as the client has
// sent them. The seal binds it to the key and the server.
func (t *toolCall) formatConsent() string {
	return consentPrefix + t.Target + "\x00" + digestArguments(&t.call.x.Scanner, t.call.body) + "\x00"
}

// resumeConsent checks a retry of a call that needed an approval, and takes out of it what is meant for the gateway alone: the
// server gets the call as it was first sent. Other states are the server's own.
func (t *toolCall) resumeConsent() *core.Error {
	c := t.call
	if t.Method != mcp.MethodCallTool || t.Era != mcp.Modern || !bytes.Contains(c.x.Request.Raw, []byte("requestState")) {
		return nil
	}
	state, action := mcp.ReadInput(&c.x.Scanner, c.x.Request.Raw, consentQuestion)
	plain, ok := t.server.UnsealSession(c.x.Principal, state)
	if !ok || !strings.HasPrefix(plain, consentPrefix) {
		return nil
	}
	rest, isSame := strings.CutPrefix(plain, t.formatConsent())
	end, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case !isSame || err != nil:
		return newConsentError("the state belongs to another call; retry with exactly the arguments that need the approval")
	case !c.x.Received.Before(time.Unix(end, 0)):
		return newConsentError("the state has expired; send the call again without it")
	case action == "decline" || action == "cancel":
		return &core.Error{Kind: core.Forbidden, Code: policydoc.CodeApproval, Public: "the call needs an approval, which was declined"}
	}
	t.consents = true
	header := c.x.Request.Header
	body := mcp.RemoveInput(&c.x.Scanner, c.x.Request.Raw)
	c.x.Request.Reset()
	c.describeRequest(header)
	c.x.Request.Raw = body
	return t.Scan(&c.x)
}

func newConsentError(public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "params.requestState", Public: public}
}
