package socket

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// turn receives the answer of one turn and sends each event as a message.
type turn struct {
	answerWriter
	c             *conn
	ctx           context.Context
	lane          string
	refusalHeader []string // of the header: values of toldHeaders
	joined        []byte

	id     string // of the completed response, or ""
	items  []byte // those that the stream has reported one by one
	output []byte // items of the response, separated by commas
	denied bool   // no later turn can succeed
	gone   bool   // the client is
}

func newTurn(ctx context.Context, c *conn, lane string) *turn {
	t := &turn{c: c, ctx: ctx, lane: lane}
	t.answerWriter = answerWriter{header: http.Header{}, began: t.noteHeader, forward: t.forwardEvent}
	return t
}

// noteHeader records the header values that the client receives.
func (t *turn) noteHeader() {
	for _, name := range toldHeaders {
		t.refusalHeader = append(t.refusalHeader, strings.Clone(t.header.Get(name)))
	}
}

// pingTimeout is how long a ping may take.
const pingTimeout = 10 * time.Second

// forwardEvent sends one event. Comments keep the connection alive, which is what pings are for here.
func (t *turn) forwardEvent(ev []byte) {
	lo, hi, n := sse.FindData(ev)
	if n == 0 {
		if bytes.HasPrefix(ev, []byte(":")) {
			if t.c.pings.CompareAndSwap(false, true) { // a slow client gets one ping at a time
				go t.ping()
			}
		}
		return
	}
	data := ev[lo:hi]
	if n > 1 {
		t.joined = sse.Join(t.joined[:0], ev)
		lo, hi, _ = sse.FindData(t.joined)
		data = t.joined[lo:hi]
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return
	}
	if bytes.Contains(data, []byte(`output_item.done`)) || bytes.Contains(data, []byte(`response.completed`)) ||
		bytes.Contains(data, []byte(`response.incomplete`)) {
		t.note(data)
	}
	t.send(appendLaneEvent(nil, data, t.lane))
}

func (t *turn) send(event []byte) {
	if !t.c.send(t.ctx, event) {
		t.gone, t.err = true, http.ErrHandlerTimeout
	}
}

func (t *turn) ping() {
	defer t.c.pings.Store(false)
	ctx, cancel := context.WithTimeout(t.ctx, pingTimeout)
	defer cancel()
	_ = t.c.ws.Ping(ctx) // a dead connection is noticed by its reader
}

// sendWhole sends an answer that is not streamed.
func (t *turn) sendWhole() {
	if len(t.whole) == 0 || t.err != nil {
		return
	}
	if t.status >= http.StatusBadRequest || t.whole[0] != '{' {
		code, _ := shape.ReadError(t.whole)
		t.denied = t.c.s.o.Denied(t.status, code)
		t.send(appendRefusal(nil, t.lane, t.status, t.refusalHeader, t.whole))
		return
	}
	event := append(append([]byte(`{"type":"response.completed","sequence_number":0,"response":`), t.whole...), '}')
	t.note(event)
	t.send(appendLaneEvent(nil, event, t.lane))
}

// note keeps what a later turn continues: the items of the answer as sent to the client.
func (t *turn) note(data []byte) {
	var s splice.Scanner
	s.Reset(data)
	if s.Kind() != splice.Object {
		return
	}
	var typ string
	var item, response splice.Span
	s.Enter()
	for s.Next() {
		key, kind := string(s.Key()), s.Kind()
		switch {
		case key == "type":
			typ = readText(&s, data, kind)
		case key == "item" && kind == splice.Object:
			item = s.Skip()
		case key == "response" && kind == splice.Object:
			response = s.Skip()
		default:
			s.Skip()
		}
	}
	switch {
	case s.Err() != nil:
	case typ == "response.output_item.done" && item.Len() > 0:
		t.items = appendItem(t.items, data[item.Start:item.End])
	case (typ == "response.completed" || typ == "response.incomplete") && response.Len() > 0:
		t.noteResponse(data[response.Start:response.End])
	}
}

func (t *turn) noteResponse(doc []byte) {
	var s splice.Scanner
	s.Reset(doc)
	var id string
	var output []byte
	s.Enter()
	for s.Next() {
		key, kind := string(s.Key()), s.Kind()
		switch {
		case key == "id":
			id = readText(&s, doc, kind)
		case key == "output" && kind == splice.Array:
			s.Enter()
			for s.Next() {
				s.Kind()
				at := s.Skip()
				if s.Err() == nil {
					output = appendItem(output, doc[at.Start:at.End])
				}
			}
		default:
			s.Skip()
		}
	}
	if s.Err() != nil {
		return
	}
	if len(output) == 0 { // some providers leave the list empty at the end
		output = t.items
	}
	t.id, t.output = id, output
}

// appendItem appends an item of an answer to a conversation. It omits reasoning without its encrypted content, which
// means nothing to a provider that keeps no answers.
func appendItem(dst, item []byte) []byte {
	var s splice.Scanner
	s.Reset(item)
	if s.Kind() != splice.Object {
		return dst
	}
	typ, sealed := "", false
	s.Enter()
	for s.Next() {
		key, kind := string(s.Key()), s.Kind()
		switch key {
		case "type":
			typ = readText(&s, item, kind)
		case "encrypted_content":
			sealed = kind == splice.String
			s.Skip()
		default:
			s.Skip()
		}
	}
	if s.Err() != nil || typ == "reasoning" && !sealed {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return append(dst, item...)
}
