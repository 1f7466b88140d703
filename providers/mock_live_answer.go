package providers

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// mockOutput is what the mock says in a response.
type mockOutput struct {
	text       string
	tool, args string // a call instead of a text; optional
	spoken     bool
	modalities []string
}

// chooseOutput decides what to say.
func (s *mockSession) chooseOutput(ev *mockEvent) (out mockOutput) {
	items := s.items
	if len(ev.Response.Input) > 0 {
		items = ev.Response.Input
	}
	said, isResult := findLastText(items)
	out.text, out.modalities = said, []string{"audio"}
	if given := slices.Concat(ev.Response.OutputModalities, ev.Response.Modalities); len(given) > 0 {
		out.modalities = given
	} else if given, ok := s.session[s.nameModalities()].([]any); ok {
		out.modalities = nil
		for _, m := range given {
			name, _ := m.(string)
			out.modalities = append(out.modalities, name)
		}
	}
	out.spoken = slices.Contains(out.modalities, "audio")
	var tools []mockTool
	raw, _ := json.Marshal(s.session["tools"]) // it came as JSON
	_ = json.Unmarshal(raw, &tools)            // another form offers no tools
	tools = append(tools, ev.Response.Tools...)
	if strings.HasPrefix(s.model, "mock-tools") && len(tools) > 0 && !isResult {
		args, _ := json.Marshal(map[string]string{"text": said}) // a map of strings
		out.tool, out.args = tools[0].Name, string(args)
	}
	return out
}

// nameModalities names the member that says whether the mock speaks or writes.
func (s *mockSession) nameModalities() string {
	if s.beta {
		return "modalities"
	}
	return "output_modalities"
}

// answer makes a response.
func (s *mockSession) answer(ev *mockEvent) {
	out := s.chooseOutput(ev)
	id, item := s.newMockID("resp"), s.newMockID("item")
	apart := ev.Response.Conversation == "none"
	response := map[string]any{
		"object": "realtime.response", "id": id, "status": "in_progress", "status_details": nil, "output": []any{}, "usage": nil,
		"conversation_id": "conv_mock", "metadata": ev.Response.Metadata, "output_modalities": out.modalities,
	}
	s.emit("response.created", "response", response)
	made := map[string]any{
		"id": item, "object": "realtime.item", "type": "message", "status": "in_progress", "role": "assistant", "content": []any{},
	}
	if out.tool != "" {
		made = map[string]any{
			"id": item, "object": "realtime.item", "type": "function_call", "status": "in_progress", "name": out.tool,
			"call_id": "call_" + item, "arguments": "",
		}
	}
	s.emit("response.output_item.added", "response_id", id, "output_index", 0, "item", made)
	if !apart {
		name := "conversation.item.added"
		if s.beta {
			name = "conversation.item.created"
		}
		s.emit(name, "previous_item_id", nil, "item", made)
	}
	if out.tool != "" {
		made = s.emitToolCall(id, made, &out)
	} else {
		made = s.emitText(id, made, &out)
	}
	s.emit("response.output_item.done", "response_id", id, "output_index", 0, "item", made)
	if !apart {
		if !s.beta {
			s.emit("conversation.item.done", "previous_item_id", nil, "item", made)
		}
		s.items = append(s.items, made)
	}
	response["status"], response["output"] = "completed", []any{made}
	response["status_details"] = map[string]any{"type": "completed"}
	words := int64(len(strings.Fields(out.text + out.args)))
	spoken := int64(0)
	if out.spoken && out.tool == "" {
		spoken = words * 5
	}
	heard := int64(len(s.items))
	response["usage"] = map[string]any{
		"total_tokens": heard*3 + words + spoken, "input_tokens": heard * 3, "output_tokens": words + spoken,
		"input_token_details":  map[string]any{"text_tokens": heard, "audio_tokens": heard * 2, "cached_tokens": 0},
		"output_token_details": map[string]any{"text_tokens": words, "audio_tokens": spoken},
	}
	s.emit("response.done", "response", response)
	s.emit("rate_limits.updated", "rate_limits", []any{map[string]any{
		"name": "tokens", "limit": 1000, "remaining": 1000, "reset_seconds": time.Minute.Seconds(),
	}})
}

// emitToolCall says the arguments of a call.
func (s *mockSession) emitToolCall(id string, item map[string]any, out *mockOutput) map[string]any {
	at := []any{"response_id", id, "item_id", item["id"], "output_index", 0, "call_id", item["call_id"]}
	for _, piece := range splitWords(out.args) {
		s.emit("response.function_call_arguments.delta", append(slices.Clone(at), "delta", piece)...)
	}
	s.emit("response.function_call_arguments.done", append(slices.Clone(at), "name", out.tool, "arguments", out.args)...)
	whole := map[string]any{}
	for name, v := range item {
		whole[name] = v
	}
	whole["status"], whole["arguments"] = "completed", out.args
	return whole
}

// emitText says a text, as sound with its transcript or in letters.
func (s *mockSession) emitText(id string, item map[string]any, out *mockOutput) map[string]any {
	event, kind, member := "output_text", "output_text", "text"
	switch {
	case out.spoken && s.beta:
		event, kind, member = "audio_transcript", "audio", "transcript"
	case out.spoken:
		event, kind, member = "output_audio_transcript", "output_audio", "transcript"
	case s.beta:
		event, kind = "text", "text"
	}
	at := []any{"response_id", id, "item_id", item["id"], "output_index", 0, "content_index", 0}
	emit := func(typ string, pairs ...any) { s.emit(typ, append(slices.Clone(at), pairs...)...) }
	emit("response.content_part.added", "part", map[string]any{"type": strings.TrimPrefix(kind, "output_"), member: ""})
	sound := strings.TrimSuffix(event, "_transcript")
	for _, piece := range splitWords(out.text) {
		emit("response."+event+".delta", "delta", piece)
		if out.spoken {
			emit("response."+sound+".delta", "delta", encodeSound(piece))
		}
	}
	emit("response."+event+".done", member, out.text)
	if out.spoken {
		emit("response." + sound + ".done")
	}
	emit("response.content_part.done", "part", map[string]any{"type": strings.TrimPrefix(kind, "output_"), member: out.text})
	whole := map[string]any{}
	for name, v := range item {
		whole[name] = v
	}
	whole["status"], whole["content"] = "completed", []any{map[string]any{"type": kind, member: out.text}}
	return whole
}

// splitWords cuts a text as models do: before each blank.
func splitWords(text string) (out []string) {
	for text != "" {
		end := strings.IndexByte(text[1:], ' ') + 1
		if end == 0 {
			end = len(text)
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}
