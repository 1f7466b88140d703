package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// responseAsk is a pending response: to an event of the client, or to its speech.
type responseAsk struct {
	cause    string // the id of the client's event; empty if it gave none
	response members
	apart    bool     // the response does not belong to the conversation
	sounds   []string // items of sound that it answers
	sound    int64    // bytes of sound in its own input
}

// reply is the response in progress. Its exchange runs in a separate goroutine, which reads events.
type reply struct {
	ask      *responseAsk
	event    string         // the id of our response.create
	events   chan heldEvent // of the provider, for the exchange
	gone     chan struct{}
	once     sync.Once // of gone: the exchange reads no more
	ended    chan struct{}
	turn     *liveTurn
	id       string      // of the response, once the provider has created it
	made     []string    // items that the provider has made
	finished bool        // the provider has told all
	sound    int64       // bytes that the client had sent
	sent     atomic.Bool // the provider was asked
}

// finish ends the events. Only run calls it.
func (r *reply) finish() {
	if !r.finished {
		r.finished = true
		close(r.events)
	}
}

// createResponse handles the client's wish for a response.
func (l *live) createResponse(ctx context.Context, ev *liveEvent) bool {
	m, err := readMembers(ev.m["response"])
	e := checkNames(ev.m, "response")
	switch {
	case err != nil:
		e = scan.NewInvalid("response", `"response" must be an object`)
	case l.asked != nil || l.reply != nil && !l.reply.turn.over.Load():
		e = &core.Error{
			Kind: core.InvalidRequest, Code: "conversation_already_has_active_response",
			Public: "a response is in progress; wait for it to end, or cancel it. The gateway runs one response of a session at a time",
		}
	case m["prompt"] != nil && string(m["prompt"]) != null:
		e = scan.NewUnsupportedError("response.prompt", "prompts that are stored at the provider are not supported: no guard can judge them")
	}
	if e == nil {
		e = checkTools(m["tools"])
	}
	if e != nil {
		return l.refuse(ctx, ev.id, e)
	}
	l.asked = &responseAsk{cause: ev.id, response: m, apart: string(m["conversation"]) == `"none"`}
	if l.isHearing() {
		l.deadline.Reset(transcriptLimit)
	}
	return l.respond(ctx)
}

// respond starts the pending response once all transcripts have arrived.
func (l *live) respond(ctx context.Context) bool {
	if l.asked == nil || l.reply != nil || l.isHearing() {
		return true
	}
	ask := l.asked
	l.asked = nil
	t, written, e := l.collect(ask)
	if e != nil {
		return l.refuse(ctx, ask.cause, e)
	}
	r, err := l.newLiveRequest(ctx, t, written)
	if err != nil {
		return l.refuse(ctx, ask.cause, core.ConvertError(err))
	}
	const perSecond = 10 // tokens of sound that is heard
	r.Header.Set(openai.RealtimeHeard, strconv.FormatInt(l.heard.known+(l.heard.bytes+ask.sound)*perSecond/l.wish.rate+1, 10))
	l.reply = &reply{
		ask: ask, sound: l.heard.bytes, event: "hg_" + newID(), events: make(chan heldEvent, liveQueue),
		gone: make(chan struct{}), ended: make(chan struct{}),
	}
	l.reply.turn = newLiveTurn(ctx, l, ask.apart)
	go l.serveReply(l.reply, r, written)
	return true
}

// serveReply runs the exchange of a response.
func (l *live) serveReply(r *reply, req *http.Request, written int64) {
	defer close(r.ended)
	l.s.o.ServeLive(r.turn, req, &replyLine{live: l, reply: r, written: written})
	r.turn.sendRefusal(r.ask.cause)
}

// collect returns what the exchange of a response judges: the conversation and the settings of the response.
func (l *live) collect(ask *responseAsk) (t *texts, written int64, e *core.Error) {
	t = &texts{Stream: true, Instructions: l.wish.instructions, Tools: l.wish.tools, ToolChoice: l.wish.choice, Input: l.items.listItems()}
	if err := t.loadMembers(ask.response); err != nil {
		return nil, 0, core.ConvertError(err)
	}
	if v := ask.response["input"]; v != nil && string(v) != null {
		if json.Unmarshal(v, &t.Input) != nil {
			return nil, 0, scan.NewInvalid("response.input", `"input" must be an array of items`)
		}
		for _, raw := range t.Input {
			item, err := readMembers(raw)
			var typ string
			if err != nil || json.Unmarshal(item["type"], &typ) != nil || !itemTypes[typ] {
				return nil, 0, scan.NewUnsupportedError("response.input", `items must be of the type "message", "function_call" or "function_call_output"; send an item instead of an "item_reference"`)
			}
			sound, e := l.checkSound(item, "response.input")
			if e != nil {
				return nil, 0, e
			}
			ask.sound += sound
		}
	}
	written = l.wish.written
	for _, name := range []string{"max_output_tokens", "max_response_output_tokens"} {
		if v := ask.response[name]; v != nil {
			written = readLimit(v)
		}
	}
	if written == 0 {
		written = maxWritten
	}
	t.MaxTokens = &written
	return t, written, nil
}

// relayResponse hands an event to the exchange of its response.
func (l *live) relayResponse(ctx context.Context, h *liveHead, ev []byte) bool {
	id, r := h.ResponseID, l.reply
	if id == "" {
		id = h.Response.ID
	}
	if r != nil && r.id == "" && !r.finished && r.sent.Load() && h.Type == "response.created" && !l.dropped[id] {
		r.id = id
		l.heard.bytes -= r.sound
	}
	if r == nil || id == "" || r.id != id {
		if h.Type == "response.created" { // unrequested: no guard has judged what it answers
			l.dropped[id] = true
			cancel, err := encodePlain(map[string]string{"type": "response.cancel", "response_id": id})
			return err == nil && l.write(ctx, cancel)
		}
		if h.Type == "response.done" {
			delete(l.dropped, id)
		}
		return true
	}
	if h.Type == "response.output_item.added" {
		r.made = append(r.made, h.Item.ID)
	}
	l.fed = l.feed(ctx, heldEvent{ev, int64(len(ev))})
	if h.Type == "response.done" {
		if n := h.Response.Usage.Input.Audio + h.Response.Usage.Output.Audio; n > 0 {
			l.heard.known = n
		}
		r.finish()
	}
	return true
}

// feed hands an event to the exchange of the response in progress, as long as it reads. It reports whether the event waits
// there.
func (l *live) feed(ctx context.Context, ev heldEvent) bool {
	if l.reply.finished {
		return false
	}
	select {
	case l.reply.events <- ev:
		return true
	case <-l.reply.gone:
	case <-ctx.Done():
	}
	return false
}

// finishReply adds the output of a response to the conversation. It returns false if the session must end.
func (l *live) finishReply(ctx context.Context) bool {
	r := l.reply
	l.reply = nil
	r.dropEvents(l.backlog)
	if !r.finished && r.id != "" {
		l.dropped[r.id] = true
	}
	switch t := r.turn; {
	case t.gone || ctx.Err() != nil:
		return false
	case t.denied:
		l.close(websocket.StatusPolicyViolation, "the key is no longer accepted")
		return false
	case t.failed: // what a guard has stopped must not be answered by the next response
		for _, id := range append(r.made, r.ask.sounds...) {
			if !l.deleteItem(ctx, id) {
				return false
			}
		}
	case !r.ask.apart:
		for i := range t.items {
			if !l.items.add(l, t.items[i].id, t.items[i].raw, "") {
				return false
			}
		}
	}
	return l.respond(ctx)
}

// endReply ends the response in progress with the session.
func (l *live) endReply() {
	if l.reply != nil {
		l.reply.finish()
		<-l.reply.ended
		l.reply.dropEvents(l.backlog)
	}
}
