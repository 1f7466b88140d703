package providers

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

var _ upstream.SocketOpener = (*mock)(nil)

// OpenSocket opens a session of the Realtime API within the process.
func (*mock) OpenSocket(ctx context.Context, r *upstream.Request, _ int64) (upstream.Socket, *upstream.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, &upstream.Error{Unsent: true, Err: err}
	}
	model := r.URL.Query().Get("model")
	if code, ok := strings.CutPrefix(model, "mock-error-"); ok {
		return nil, mockError(http.StatusTooManyRequests, "mock_error", "this is the error "+code+" that was asked for"), nil
	}
	s := &mockSession{model: model, ready: make(chan struct{}, 1), closed: make(chan struct{}), session: map[string]any{
		"type": "realtime", "object": "realtime.session", "id": "sess_mock", "model": model, "instructions": "You are a mock.",
	}}
	for _, f := range r.Header {
		s.beta = s.beta || f.Name == "Openai-Beta"
	}
	s.setInput(map[string]any{"turn_detection": map[string]any{"type": "server_vad", "create_response": true}, "transcription": nil})
	s.emit("session.created", "session", s.session)
	return s, nil, nil
}

// mockSession is a session of the mock. It reads the bytes of sound as text where possible, and a turn ends at silence. An
// answer repeats the last input; the model mock-tools calls a tool first.
type mockSession struct {
	model  string
	beta   bool
	ready  chan struct{}
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	queue   [][]byte
	n       int // ids given
	session map[string]any
	items   []map[string]any
	sound   []byte
}

// Read returns the next event.
func (s *mockSession) Read(ctx context.Context) ([]byte, error) {
	for {
		s.mu.Lock()
		if len(s.queue) > 0 {
			ev := s.queue[0]
			s.queue = s.queue[1:]
			s.mu.Unlock()
			return ev, nil
		}
		s.mu.Unlock()
		select {
		case <-s.ready:
		case <-s.closed:
			return nil, context.Canceled
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the session.
func (s *mockSession) Close() { s.once.Do(func() { close(s.closed) }) }

// newMockID returns an id. The lock must be held.
func (s *mockSession) newMockID(kind string) string {
	s.n++
	return fmt.Sprintf("%s_mock_%d", kind, s.n)
}

// emit queues an event of pairs of names and values.
func (s *mockSession) emit(typ string, pairs ...any) {
	ev := map[string]any{"type": typ, "event_id": s.newMockID("event")}
	for i := 0; i < len(pairs); i += 2 {
		ev[pairs[i].(string)] = pairs[i+1]
	}
	b, _ := json.Marshal(ev) // maps of plain values
	s.queue = append(s.queue, b)
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// mockEvent has the fields of an event that the mock reads.
type mockEvent struct {
	Type     string         `json:"type"`
	ID       string         `json:"event_id"`
	Session  map[string]any `json:"session"`
	Item     map[string]any `json:"item"`
	ItemID   string         `json:"item_id"`
	Audio    []byte         `json:"audio"`
	Response struct {
		Instructions     string           `json:"instructions"`
		Conversation     string           `json:"conversation"`
		Input            []map[string]any `json:"input"`
		OutputModalities []string         `json:"output_modalities"`
		Modalities       []string         `json:"modalities"`
		Tools            []mockTool       `json:"tools"`
		Metadata         any              `json:"metadata"`
	} `json:"response"`
}

// Write handles one event.
func (s *mockSession) Write(_ context.Context, event []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ev mockEvent
	if json.Unmarshal(event, &ev) != nil {
		s.emitError("", "invalid_event", "the mock could not read the event")
		return nil
	}
	switch ev.Type {
	case "session.update":
		s.update(ev.Session)
	case "input_audio_buffer.append":
		s.receiveSound(ev.Audio)
	case "input_audio_buffer.clear":
		s.sound = nil
		s.emit("input_audio_buffer.cleared")
	case "input_audio_buffer.commit":
		if len(s.sound) == 0 {
			s.emitError(ev.ID, "input_audio_buffer_commit_empty", "the buffer is empty")
			return nil
		}
		s.commit()
	case "conversation.item.create":
		if ev.Item["id"] == nil {
			ev.Item["id"] = s.newMockID("item")
		}
		s.add(ev.Item)
	case "conversation.item.delete":
		for i, it := range s.items {
			if it["id"] == ev.ItemID {
				s.items = append(s.items[:i], s.items[i+1:]...)
				break
			}
		}
		s.emit("conversation.item.deleted", "item_id", ev.ItemID)
	case "conversation.item.truncate":
		s.emit("conversation.item.truncated", "item_id", ev.ItemID, "content_index", 0, "audio_end_ms", 0)
	case "response.create":
		s.answer(&ev)
	case "response.cancel":
		s.emitError(ev.ID, "response_cancel_not_active", "no response is in progress")
	default:
		s.emitError(ev.ID, "unknown_event", "the mock does not know this event")
	}
	return nil
}

func (s *mockSession) emitError(cause, code, message string) {
	s.emit("error", "error", map[string]any{
		"type": "invalid_request_error", "code": code, "message": message, "param": nil, "event_id": cause,
	})
}

// readInput returns the session's settings of sound.
func (s *mockSession) readInput() map[string]any {
	if s.beta {
		return s.session
	}
	audio, _ := s.session["audio"].(map[string]any)
	in, _ := audio["input"].(map[string]any)
	return in
}

func (s *mockSession) setInput(in map[string]any) {
	if s.beta {
		for name, v := range in {
			s.session[name] = v
		}
		return
	}
	s.session["audio"] = map[string]any{"input": in, "output": map[string]any{"voice": "alloy"}}
}

func (s *mockSession) update(session map[string]any) {
	for name, v := range session {
		if name == "audio" {
			in := s.readInput()
			audio, _ := v.(map[string]any)
			given, _ := audio["input"].(map[string]any)
			for name, v := range given {
				in[name] = v
			}
			before, _ := s.session["audio"].(map[string]any)
			next := map[string]any{"input": in, "output": before["output"]}
			if out := audio["output"]; out != nil {
				next["output"] = out
			}
			v = next
		}
		s.session[name] = v
	}
	s.emit("session.updated", "session", s.session)
}

// add adds an item to the conversation.
func (s *mockSession) add(item map[string]any) {
	var before any
	if n := len(s.items); n > 0 {
		before = s.items[n-1]["id"]
	}
	s.items = append(s.items, item)
	item["object"], item["status"] = "realtime.item", "completed"
	if s.beta {
		s.emit("conversation.item.created", "previous_item_id", before, "item", item)
		return
	}
	s.emit("conversation.item.added", "previous_item_id", before, "item", item)
	s.emit("conversation.item.done", "previous_item_id", before, "item", item)
}

// receiveSound handles sound. Silence after sound ends a turn, if the session detects turns.
func (s *mockSession) receiveSound(sound []byte) {
	detects, _ := s.readInput()["turn_detection"].(map[string]any)
	silent := len(bytes.Trim(sound, "\x00")) == 0
	if len(s.sound) == 0 && !silent && detects != nil {
		s.emit("input_audio_buffer.speech_started", "audio_start_ms", 0, "item_id", "item_mock_next")
	}
	if len(s.sound) > 0 || !silent {
		s.sound = append(s.sound, sound...)
	}
	if silent && len(s.sound) > 0 && detects != nil {
		s.emit("input_audio_buffer.speech_stopped", "audio_end_ms", 0, "item_id", "item_mock_next")
		s.commit()
		if detects["create_response"] != false {
			s.answer(&mockEvent{})
		}
	}
}

// commit turns the sound into an item.
func (s *mockSession) commit() {
	said := string(bytes.Trim(s.sound, "\x00"))
	if !utf8.ValidString(said) || strings.ContainsFunc(said, unicode.IsControl) {
		said = fmt.Sprintf("This is sound of %d bytes.", len(s.sound))
	}
	s.sound = nil
	id := s.newMockID("item")
	s.emit("input_audio_buffer.committed", "previous_item_id", nil, "item_id", id)
	s.add(map[string]any{
		"id": id, "type": "message", "role": "user", "content": []any{map[string]any{"type": "input_audio", "transcript": nil}},
	})
	s.items[len(s.items)-1] = map[string]any{
		"id": id, "type": "message", "role": "user", "content": []any{map[string]any{"type": "input_audio", "transcript": said}},
	}
	transcription := s.readInput()["transcription"]
	if s.beta {
		transcription = s.session["input_audio_transcription"]
	}
	if transcription != nil {
		s.emit("conversation.item.input_audio_transcription.delta", "item_id", id, "content_index", 0, "delta", said)
		s.emit("conversation.item.input_audio_transcription.completed", "item_id", id, "content_index", 0, "transcript", said,
			"usage", map[string]any{"type": "tokens", "total_tokens": 2, "input_tokens": 1, "output_tokens": 1})
	}
}

// findLastText returns the text of the last item, and whether it is the result of a tool.
func findLastText(items []map[string]any) (text string, result bool) {
	if len(items) == 0 {
		return "Hello.", false
	}
	last := items[len(items)-1]
	if out, ok := last["output"].(string); ok {
		return out, true
	}
	parts, _ := last["content"].([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		for _, name := range []string{"text", "transcript"} {
			if t, ok := part[name].(string); ok {
				text += t
			}
		}
	}
	return text, false
}

// encodeSound returns sound for a text: its bytes, as in the mock's input.
func encodeSound(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
