package socket

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
)

// liveHead is what the gateway reads of an event of a provider.
type liveHead struct {
	Type       string `json:"type"`
	ID         string `json:"event_id"`
	ResponseID string `json:"response_id"`
	ItemID     string `json:"item_id"`
	Transcript string `json:"transcript"`
	Response   struct {
		ID    string    `json:"id"`
		Usage liveUsage `json:"usage"`
	} `json:"response"`
	Item struct {
		ID   string `json:"id"`
		Role string `json:"role"`
		Type string `json:"type"`
	} `json:"item"`
	Error struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   string `json:"param"`
		EventID string `json:"event_id"`
	} `json:"error"`
}

// liveUsage are the tokens of sound of a response.
type liveUsage struct {
	Input struct {
		Audio int64 `json:"audio_tokens"`
	} `json:"input_token_details"`
	Output struct {
		Audio int64 `json:"audio_tokens"`
	} `json:"output_token_details"`
}

// readLiveHead reads an event. Members of another type are empty; an event that is not an object has no type.
func readLiveHead(ev []byte) (h liveHead) {
	m, err := readMembers(ev)
	if err != nil {
		return h
	}
	for name, into := range map[string]any{
		"type": &h.Type, "event_id": &h.ID, "response_id": &h.ResponseID, "item_id": &h.ItemID, "transcript": &h.Transcript,
		"response": &h.Response, "item": &h.Item, "error": &h.Error,
	} {
		if v := m[name]; v != nil {
			_ = json.Unmarshal(v, into) // what could be read is kept
		}
	}
	return h
}

// quietEvents are provider events that pass unchanged: they carry only ids, times and limits.
var quietEvents = map[string]bool{
	"conversation.created": true, "conversation.item.deleted": true, "conversation.item.truncated": true,
	"input_audio_buffer.cleared": true, "input_audio_buffer.speech_started": true, "input_audio_buffer.speech_stopped": true,
	"input_audio_buffer.timeout_triggered": true, "output_audio_buffer.started": true, "output_audio_buffer.stopped": true,
	"output_audio_buffer.cleared": true, "rate_limits.updated": true,
}

// relay handles an event of the provider. It returns false if the session must end.
func (l *live) relay(ctx context.Context, ev []byte) bool {
	h := readLiveHead(ev)
	if strings.HasPrefix(h.Type, "input_audio_buffer.") && h.ItemID != "" {
		l.spoken[h.ItemID] = true
	}
	switch {
	case strings.HasPrefix(h.Type, "response."):
		return l.relayResponse(ctx, &h, ev)
	case h.Type == "session.created", h.Type == "session.updated":
		return l.relaySession(ctx, ev, h.Type)
	case h.Type == "conversation.item.created", h.Type == "conversation.item.added", h.Type == "conversation.item.done":
		return l.relayItem(ctx, &h, ev)
	case h.Type == "input_audio_buffer.committed":
		return l.send(ctx, ev) && l.hearTurn(ctx, &h)
	case strings.HasPrefix(h.Type, "conversation.item.input_audio_transcription."):
		return l.hearTranscript(ctx, &h, ev)
	case h.Type == "error":
		return l.relayError(ctx, &h, ev)
	case quietEvents[h.Type]:
		return l.send(ctx, ev)
	}
	return true // unknown events are dropped: no guard has judged them
}

// relayItem passes on an item that the client has created, as the client wrote it. Those of a response are sent by it.
func (l *live) relayItem(ctx context.Context, h *liveHead, ev []byte) bool {
	if h.Item.Role == "assistant" && l.items.find(h.Item.ID) == nil || h.Item.Type == "function_call" && l.items.find(h.Item.ID) == nil {
		return true
	}
	ours := l.items.find(h.Item.ID)
	if ours == nil { // sound of the client
		if h.Item.Role != "user" {
			return true
		}
		return l.send(ctx, ev)
	}
	m, err := readMembers(ev)
	item, failed := readMembers(m["item"])
	own, bad := readMembers(ours.raw)
	if err != nil || failed != nil || bad != nil {
		return true
	}
	for name, value := range own {
		item[name] = value
	}
	if m["item"], err = item.encode(); err != nil {
		return true
	}
	out, err := m.encode()
	return err != nil || l.send(ctx, out)
}

// hearTurn handles the end of what a client has said: a response is created if the client wants that.
func (l *live) hearTurn(ctx context.Context, h *liveHead) bool {
	unheard := false
	l.noteSound(h.ItemID)
	if l.isJudging() {
		l.waiting[h.ItemID] = true
		l.deadline.Reset(transcriptLimit)
		unheard = l.cancelUnheard(ctx)
	}
	manual := len(l.commits) > 0
	if manual {
		l.commits = l.commits[1:]
	}
	if manual || !l.wish.turns || !l.wish.creates {
		return true
	}
	if l.asked == nil {
		l.asked = &responseAsk{}
	}
	l.asked.sounds = append(l.asked.sounds, h.ItemID)
	if unheard { // the next response answers both turns
		l.asked.sounds = append(l.asked.sounds, l.reply.ask.sounds...)
		l.reply.ask.sounds = nil
	}
	return l.respond(ctx)
}

// hearTranscript adds the client's speech to the conversation. The client sees the transcript only if it wants
// transcripts.
func (l *live) hearTranscript(ctx context.Context, h *liveHead, ev []byte) bool {
	if l.wish.transcription != nil && !l.send(ctx, ev) {
		return false
	}
	switch strings.TrimPrefix(h.Type, "conversation.item.input_audio_transcription.") {
	case "delta":
		if s, ok := l.sounds[h.ItemID]; ok {
			s.begun = true
			l.sounds[h.ItemID] = s
		}
		return true
	case "completed":
		if !l.bookTranscript(ctx, h, ev) {
			return false
		}
		if l.waiting[h.ItemID] && strings.TrimSpace(h.Transcript) == "" { // no guard knows what was said
			return l.dropSound(ctx, h.ItemID)
		}
		if l.isJudging() && !l.waiting[h.ItemID] { // it has been deleted
			return true
		}
		raw, err := encodePlain(map[string]any{
			"id": h.ItemID, "type": "message", "role": "user",
			"content": []map[string]string{{"type": "input_audio", "transcript": h.Transcript}},
		})
		if err != nil || !l.items.add(l, h.ItemID, raw, "") {
			return false
		}
	case "failed":
		if l.sounds[h.ItemID].begun { // a part of it was sent
			if !l.bookTranscript(ctx, h, ev) {
				return false
			}
		}
		delete(l.sounds, h.ItemID)
		if l.waiting[h.ItemID] {
			return l.dropSound(ctx, h.ItemID)
		}
	default:
		return true
	}
	delete(l.waiting, h.ItemID)
	return l.respond(ctx)
}

// dropSound removes speech that cannot be judged, and refuses the response that would answer it.
func (l *live) dropSound(ctx context.Context, id string) bool {
	delete(l.waiting, id)
	cause := ""
	if l.asked != nil {
		cause, l.asked = l.asked.cause, nil
	}
	return l.deleteItem(ctx, id) && l.refuse(ctx, cause, &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable,
		Public: "what was said could not be transcribed, so no guard could judge it; it was removed from the conversation",
	})
}

// dropLate removes everything whose transcript did not arrive.
func (l *live) dropLate(ctx context.Context) bool {
	for id := range l.waiting {
		if !l.dropSound(ctx, id) {
			return false
		}
	}
	if l.asked == nil || !l.isJudging() || len(l.commits) == 0 {
		return true
	}
	cause := l.asked.cause
	l.asked, l.commits = nil, nil // hearTurn cancels a response that begins after a commit that comes so late
	return l.refuse(ctx, cause, &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable,
		Public: "the provider has not confirmed the sound that was committed, so no guard could judge it; ask for the response again",
	})
}

// deleteItem removes an item at the provider.
func (l *live) deleteItem(ctx context.Context, id string) bool {
	l.items.remove(l, id)
	event, err := encodePlain(map[string]string{"type": "conversation.item.delete", "item_id": id})
	return err == nil && l.write(ctx, event)
}

// maxProviderText limits the text of a provider's error that a client is sent, in bytes.
const maxProviderText = 300

// relayError passes on an error of the provider, unless it belongs to a response.
func (l *live) relayError(ctx context.Context, h *liveHead, ev []byte) bool {
	cause := h.Error.EventID
	if l.reply != nil && cause == l.reply.event {
		l.fed = l.feed(ctx, heldEvent{ev, int64(len(ev))})
		l.reply.finish()
		return true
	}
	e := &core.Error{
		Kind: core.InvalidRequest, Code: h.Error.Code, Param: h.Error.Param, Public: cutText("provider error: " + h.Error.Message),
	}
	if e.Code == "" {
		e.Code = core.CodeUpstream
	}
	if cause == ownEvent {
		l.refuse(ctx, "", e)
		l.close(websocket.StatusPolicyViolation, "the provider does not let the gateway govern the session")
		return false
	}
	if c, ok := l.popCommit(cause); ok {
		return l.refuse(ctx, c.cause, e) && l.respond(ctx)
	}
	return l.refuse(ctx, cause, e)
}

func cutText(s string) string {
	if len(s) > maxProviderText {
		s = strings.ToValidUTF8(s[:maxProviderText], "")
	}
	return s
}
