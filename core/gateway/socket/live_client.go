package socket

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// liveEvent is an event of a client.
type liveEvent struct {
	typ, id string
	raw     []byte
	m       members
}

// plainIDs are ids that carry no text.
var plainIDs = regexp.MustCompile(`^[A-Za-z0-9_.:-]{0,128}$`)

// readLiveEvent reads an event. It refuses what two readers could read differently.
func readLiveEvent(doc []byte) (ev liveEvent, e *core.Error) {
	var s splice.Scanner
	s.Reset(doc)
	kind := s.Kind()
	s.Skip()
	s.End()
	if s.Err() != nil {
		return ev, scan.NewSyntaxError(s.Err())
	}
	if kind != splice.Object {
		return ev, scan.NewInvalid("type", "an event must be a JSON object")
	}
	m, err := readMembers(doc)
	if err != nil {
		return ev, scan.NewInvalid("type", "an event must be a JSON object")
	}
	ev.raw, ev.m = doc, m
	id, e := ev.readID("event_id")
	if e != nil {
		return ev, e
	}
	ev.id = id
	if json.Unmarshal(m["type"], &ev.typ) != nil || ev.typ == "" {
		return ev, scan.NewMissing("type")
	}
	return ev, nil
}

// readID reads a member that is an id, or returns "".
func (ev *liveEvent) readID(name string) (id string, e *core.Error) {
	v := ev.m[name]
	if v == nil || string(v) == "null" {
		return "", nil
	}
	if json.Unmarshal(v, &id) != nil || !plainIDs.MatchString(id) {
		return "", scan.NewInvalid(name, strconv.Quote(name)+" must be letters, digits, and _ . : - only, 128 at most")
	}
	return id, nil
}

// relayed are the events of clients that carry no text, with their members: an id, a number, or sound in base64.
var relayed = map[string]map[string]byte{
	"input_audio_buffer.append":  {"audio": 's'},
	"input_audio_buffer.commit":  {},
	"input_audio_buffer.clear":   {},
	"output_audio_buffer.clear":  {},
	"conversation.item.delete":   {"item_id": 'i'},
	"conversation.item.truncate": {"item_id": 'i', "content_index": 'n', "audio_end_ms": 'n'},
	"response.cancel":            {"response_id": 'i'},
}

// refused are client events that the gateway does not support, with the reason.
var refused = map[string]string{
	"conversation.item.retrieve":   "items are not sent again, because they would pass no guard; keep them from their events",
	"transcription_session.update": "sessions that transcribe only are not supported; send the sound to /v1/audio/transcriptions",
}

// handleEvent handles an event of the client. It returns false if the session must end.
func (l *live) handleEvent(ctx context.Context, doc []byte) bool {
	ev, e := readLiveEvent(doc)
	if e == nil {
		if !l.followGuards(ctx) {
			return false
		}
		switch ev.typ {
		case "session.update":
			return l.updateSession(ctx, &ev)
		case "conversation.item.create":
			return l.createItem(ctx, &ev)
		case "response.create":
			return l.createResponse(ctx, &ev)
		}
		if e = l.checkRelayedEvent(&ev); e == nil {
			return l.relayClient(ctx, &ev)
		}
	}
	return l.refuse(ctx, ev.id, e)
}

// checkRelayedEvent checks an event that carries no text.
func (l *live) checkRelayedEvent(ev *liveEvent) *core.Error {
	kinds, ok := relayed[ev.typ]
	if why := refused[ev.typ]; why != "" {
		return scan.NewUnsupportedError("type", why)
	}
	if !ok {
		return scan.NewInvalid("type", "unknown type of event")
	}
	for name, value := range ev.m {
		switch kinds[name] {
		case 'i':
			if _, e := ev.readID(name); e != nil {
				return e
			}
		case 'n':
			var n uint32
			if json.Unmarshal(value, &n) != nil {
				return scan.NewInvalid(name, strconv.Quote(name)+" must be a number")
			}
		case 's':
			if len(value) < 2 || value[0] != '"' || !soundOnly.Match(value[1:len(value)-1]) {
				return scan.NewInvalid(name, strconv.Quote(name)+" must be sound in base64")
			}
		default:
			if name != "type" && name != "event_id" {
				return scan.NewUnsupportedError(scan.ShortenName(name), "unknown member of this event")
			}
		}
	}
	return nil
}

// soundOnly is base64.
var soundOnly = regexp.MustCompile(`^[A-Za-z0-9+/]*={0,2}$`)

// relayClient passes on an event without text.
func (l *live) relayClient(ctx context.Context, ev *liveEvent) bool {
	switch ev.typ {
	case "input_audio_buffer.append":
		if time.Since(l.checked) >= checkAfter && !l.checkKey(ctx) {
			return false
		}
		n := int64(len(ev.m["audio"])) * 3 / 4
		l.heard.bytes, l.heard.open, l.heard.any = l.heard.bytes+n, l.heard.open+n, true
	case "input_audio_buffer.clear":
		l.heard.open = 0
	case "input_audio_buffer.commit":
		return l.commitSound(ctx, ev)
	case "conversation.item.delete":
		return l.removeItem(ctx, ev)
	case "response.cancel":
		if l.asked != nil && l.reply == nil { // it has not been created yet
			l.asked = nil
		}
	}
	return l.write(ctx, ev.raw)
}

// checkKey ends the session if its key is not accepted any more. Sound and its transcripts cost without a response, whose
// exchange would check the key.
func (l *live) checkKey(ctx context.Context) bool {
	l.checked = time.Now()
	e := l.s.o.Check(l.handshake)
	if e == nil {
		return true
	}
	l.refuse(ctx, "", e)
	l.close(websocket.StatusPolicyViolation, "the key is no longer accepted")
	return false
}

// removeItem passes on the client's wish to delete an item. A response may have waited for its transcript.
func (l *live) removeItem(ctx context.Context, ev *liveEvent) bool {
	id, _ := ev.readID("item_id") // checked
	l.items.remove(l, id)
	delete(l.waiting, id)
	if !l.write(ctx, ev.raw) {
		return false
	}
	if ask := l.asked; ask != nil {
		ask.sounds = slices.DeleteFunc(ask.sounds, func(s string) bool { return s == id })
		if ask.response == nil && len(ask.sounds) == 0 { // no speech is left to answer
			l.asked = nil
		}
	}
	return l.respond(ctx)
}

// itemTypes are the types of items that clients can create.
var itemTypes = map[string]bool{"message": true, "function_call": true, "function_call_output": true}

// createItem judges an item and passes it on.
func (l *live) createItem(ctx context.Context, ev *liveEvent) bool {
	item, err := readMembers(ev.m["item"])
	after, e := ev.readID("previous_item_id")
	var typ, id string
	switch {
	case e != nil:
	case err != nil || len(item) == 0:
		e = scan.NewInvalid("item", `"item" must be an object`)
	case json.Unmarshal(item["type"], &typ) != nil || !itemTypes[typ]:
		e = scan.NewUnsupportedError("item.type", `items must be of the type "message", "function_call" or "function_call_output"`)
	default:
		id, e = (&liveEvent{m: item}).readID("id")
	}
	if e == nil {
		e = checkNames(ev.m, "item", "previous_item_id")
	}
	if e == nil {
		e = l.checkNewID(id)
	}
	var sound int64
	if e == nil {
		sound, e = l.checkSound(item, "item.content")
	}
	if e != nil {
		return l.refuse(ctx, ev.id, e)
	}
	if id == "" {
		id = "item_" + newID()[len("resp_"):][:24]
		item["id"] = json.RawMessage(strconv.Quote(id))
	}
	raw, err := item.encode()
	if err != nil {
		return l.refuse(ctx, ev.id, core.ConvertError(err))
	}
	if e := l.items.check(l, raw); e != nil {
		return l.refuse(ctx, ev.id, e)
	}
	w := l.runExchange(ctx, &texts{Input: []json.RawMessage{raw}}, &eventLine{live: l, compose: func(said *texts) ([]byte, error) {
		out := members{}
		for name, value := range ev.m {
			out[name] = value
		}
		if len(said.Input) != 1 {
			return nil, errNoSession
		}
		out["item"] = said.Input[0]
		return out.encode()
	}})
	if w != nil {
		return l.sendRefusal(ctx, ev.id, w)
	}
	l.heard.bytes, l.heard.any = l.heard.bytes+sound, l.heard.any || sound > 0
	return l.items.add(l, id, raw, after)
}

// checkNames refuses unknown members: no guard would judge them.
func checkNames(m members, known ...string) *core.Error {
	for name := range m {
		ok := name == "type" || name == "event_id"
		for _, k := range known {
			ok = ok || name == k
		}
		if !ok {
			return scan.NewUnsupportedError(scan.ShortenName(name), "unknown member of this event")
		}
	}
	return nil
}
