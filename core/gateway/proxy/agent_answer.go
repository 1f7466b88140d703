package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// send sends the request to the agent and delivers its answer.
func (t *agentCall) send(ctx context.Context) *core.Error {
	raw := t.sent.Raw
	if len(t.targets) > 0 {
		var e *core.Error
		if raw, e = t.insertPushURLs(raw); e != nil {
			return e
		}
	}
	began := t.call.readTime()
	a, err := t.agent.Upstream.Send(ctx, &agents.Message{
		ID: t.ID, Body: raw, Header: t.appendTrace(t.buildHeader(), began), Reserve: t.reserve,
	})
	if err != nil {
		t.addAttempt(began, 0, err)
		return t.convertCallError(ctx, err)
	}
	defer func() { _ = a.Close() }()
	head := a.Head()
	t.addAttempt(began, head.Status, nil)
	if head.Streamed && t.Op.Streams() {
		return t.deliverStream(ctx, a)
	}
	data, err := a.Next(ctx, func([]byte) (bool, error) { return true, nil }) // a second response is never read
	if err != nil {
		return t.convertCallError(ctx, err)
	}
	return t.deliverWhole(ctx, head.Status, data)
}

// sendCard fetches the agent's card and delivers it.
func (t *agentCall) sendCard(ctx context.Context) *core.Error {
	began := t.call.readTime()
	card, err := t.agent.Upstream.FetchCard(ctx)
	if err != nil {
		t.addAttempt(began, 0, err)
		return t.convertCallError(ctx, err)
	}
	t.addAttempt(began, http.StatusOK, nil)
	if card, err = a2a.RewriteCard(card, t.buildAddress(), t.canPush()); err != nil {
		return t.newInvalidAnswerError(err)
	}
	t.call.w.Header()["Cache-Control"] = []string{"private, max-age=60"}
	return t.governWhole(ctx, http.StatusOK, card, nil)
}

// buildAddress returns where clients reach the agent. Its own address is the registered one, which no client needs to
// know.
func (t *agentCall) buildAddress() string {
	base := strings.TrimSuffix(t.call.snap.PublicURL, "/")
	if r := t.call.r; base == "" {
		base = "http://" + r.Host
		if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") { // it decides about this caller's card alone
			base = "https://" + r.Host
		}
	}
	return base + "/a2a/" + t.name
}

// deliverWhole delivers an answer that is one response.
func (t *agentCall) deliverWhole(ctx context.Context, status int, data []byte) *core.Error {
	if t.Op == a2a.GetCard {
		card, err := a2a.RewriteCardResult(data, t.buildAddress(), t.canPush())
		if err != nil {
			return t.newInvalidAnswerError(err)
		}
		return t.governWhole(ctx, status, card, nil)
	}
	data, e := t.replaceAgentIDs(data)
	if e != nil {
		return e
	}
	if t.Op == a2a.PushConfig {
		return t.governPushConfigs(ctx, status, data)
	}
	return t.governWhole(ctx, status, data, nil)
}

// governWhole governs a response, or a card, and sends it. finish changes what the links have judged. Optional.
func (t *agentCall) governWhole(
	ctx context.Context, status int, data []byte, finish func([]byte) ([]byte, *core.Error),
) *core.Error {
	c := t.call
	if e := t.judgeWhole(ctx, status, data); e != nil {
		return e
	}
	if finish != nil {
		out, e := finish(c.x.Response.Raw)
		if e != nil {
			return e
		}
		c.x.Response.Raw = out
	}
	if c.x.Outcome.Kind = core.Served; t.Answer.Failed {
		c.x.Outcome.Kind = core.UpstreamErr
	}
	switch status / 100 {
	case 2:
		status = http.StatusOK
	case 3:
		status = http.StatusBadGateway // a redirect is not for the client
	}
	c.writeAnswer(status, "application/json", c.x.Response.Raw)
	return nil
}

// judgeWhole has the links judge a response, a card or a notification. c.x.Response.Raw is then what may be sent.
func (t *agentCall) judgeWhole(ctx context.Context, status int, data []byte) *core.Error {
	c := t.call
	if e := c.answer.reserveMemory(int64(len(data))); e != nil {
		return e
	}
	c.x.Response.Status, c.x.Response.Raw = status, data
	if err := t.ScanResponse(&c.x); err != nil {
		return t.newInvalidAnswerError(err)
	}
	if e := t.checkFiles(); e != nil {
		return e
	}
	if d, e := c.answer.govern(ctx); d != nil || e != nil {
		return c.answer.newRetryError(d, e)
	}
	return nil
}

// checkFiles refuses a file that no link can judge.
func (t *agentCall) checkFiles() *core.Error {
	if t.Answer.Opaque == "" || !t.call.snap.JudgedFiles {
		return nil
	}
	return &core.Error{
		Kind: core.ContentFiltered, Code: core.CodeContentFilter,
		Public: "the agent returned a file of the type " + t.Answer.Opaque + ", which no guard can judge; `files: pass` lets it through",
	}
}

// ScanEvent reads a response of a stream. A file that no link can judge is refused before it is sent.
func (t *agentCall) ScanEvent(x *core.Exchange, ev *core.Event) error {
	if err := t.Call.ScanEvent(x, ev); err != nil {
		return err
	}
	if e := t.checkFiles(); e != nil { // not the nil of its type
		return e
	}
	return nil
}

// deliverStream delivers an answer that is a stream of responses.
func (t *agentCall) deliverStream(ctx context.Context, a tools.Answer) *core.Error {
	c := t.call
	if t.Op == a2a.Subscribe {
		c.releaseSlot() // it waits for work that was begun by another request
	}
	defer t.closeEvents(ctx)
	for !t.last {
		rests := t.Answer.Rests
		data, err := a.Next(ctx, func(data []byte) (bool, error) {
			err := t.Peek(&c.x, data)
			return t.Answer.Last, err
		})
		if errors.Is(err, io.ErrUnexpectedEOF) && rests {
			return t.endStream(ctx)
		}
		if err != nil {
			return t.convertCallError(ctx, err)
		}
		if e := c.answer.reserveMemory(int64(len(data) + len(c.out))); e != nil {
			return e
		}
		data, e := t.replaceAgentIDs(data)
		if e != nil {
			return e
		}
		t.worked = t.worked || !t.Answer.Failed
		if t.last = t.Answer.Last; t.last {
			t.settleOutcome()
		}
		if e := t.deliverEvent(ctx, t, data); e != nil {
			return e
		}
	}
	c.x.Outcome.Complete = true
	return nil
}

// settleOutcome notes how the stream has ended.
func (t *agentCall) settleOutcome() {
	x := &t.call.x
	if x.Outcome.Kind = core.Served; t.Answer.Failed {
		x.Outcome.Kind = core.UpstreamErr
	}
	x.Outcome.Status = http.StatusOK
}

// endStream ends a stream whose task waits, or has ended without saying so in the last event.
func (t *agentCall) endStream(ctx context.Context) *core.Error {
	c := t.call
	if t.events != nil {
		out, e := t.events.End(ctx, c.out)
		if c.out = out; e != nil {
			return t.noteBlocked(e)
		}
	}
	t.settleOutcome()
	t.last = true
	if e := t.flushEvent(ctx); e != nil {
		return e
	}
	c.x.Outcome.Complete = true
	return nil
}
