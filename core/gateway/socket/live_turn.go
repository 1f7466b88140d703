package socket

import (
	"bytes"
	"context"
	"net/http"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core/body/sse"
)

// liveTurn receives the answer of a response's exchange and sends each event to the client.
type liveTurn struct {
	answerWriter
	l     *live
	ctx   context.Context
	apart bool   // the items do not belong to the conversation
	last  string // the id of the item before the next one

	over   atomic.Bool // the client may request another response
	items  []liveItem  // as the client has been sent them
	failed bool        // a guard, or a failure, has ended the response
	denied bool        // no later response can succeed
	gone   bool        // the client is
}

func newLiveTurn(ctx context.Context, l *live, apart bool) *liveTurn {
	t := &liveTurn{l: l, ctx: ctx, apart: apart, last: l.items.findLastID()}
	t.answerWriter = answerWriter{header: http.Header{}, forward: t.forwardEvent}
	return t
}

// forwardEvent sends one event. Comments have no meaning here.
func (t *liveTurn) forwardEvent(ev []byte) {
	lo, hi, n := sse.FindData(ev)
	if n != 1 {
		return
	}
	data := bytes.TrimSpace(ev[lo:hi])
	if len(data) == 0 || data[0] != '{' {
		return
	}
	if bytes.HasPrefix(data, []byte(`{"type":"error"`)) {
		t.failed = true
	}
	if bytes.HasPrefix(data, []byte(`{"type":"error"`)) || bytes.Contains(data, []byte(`"response.done"`)) {
		t.over.Store(true)
	}
	t.send(data)
	if bytes.Contains(data, []byte(`"response.output_item.`)) {
		t.sendItem(data)
	}
}

func (t *liveTurn) send(event []byte) {
	if t.err == nil && !t.l.send(t.ctx, event) {
		t.gone, t.err = true, http.ErrHandlerTimeout
	}
}

// sendItem tells the client about an item of the response: the provider's own event would contain the item as it was before
// the guards.
func (t *liveTurn) sendItem(data []byte) {
	m, err := readMembers(data)
	if err != nil {
		return
	}
	h := readLiveHead(data)
	typ := map[string]string{
		"response.output_item.added": "conversation.item.added", "response.output_item.done": "conversation.item.done",
	}[h.Type]
	isDone := h.Type == "response.output_item.done"
	if isDone {
		t.items = append(t.items, liveItem{h.Item.ID, bytes.Clone(m["item"])})
	}
	if typ == "" || t.apart || t.l.beta && isDone {
		return
	}
	if t.l.beta {
		typ = "conversation.item.created"
	}
	event := map[string]any{"type": typ, "event_id": newEventID(), "previous_item_id": nil, "item": m["item"]}
	if t.last != "" {
		event["previous_item_id"] = t.last
	}
	if out, err := encodePlain(event); err == nil {
		t.send(out)
	}
	if isDone || t.l.beta {
		t.last = h.Item.ID
	}
}

// sendRefusal sends a refusal. cause is the id of the client's event.
func (t *liveTurn) sendRefusal(cause string) {
	if t.stream || t.err != nil || t.status == 0 {
		return
	}
	t.failed = true
	t.over.Store(true)
	e, typ := readRefusal(t.status, t.whole)
	t.denied = t.l.s.o.Denied(t.status, e.Code)
	t.send(liveShape.AppendRefusal(nil, newEventID(), cause, typ, e))
}

// newEventID returns the id of an event that no provider has sent.
func newEventID() string { return "event_" + newID()[len("resp_"):][:20] }
