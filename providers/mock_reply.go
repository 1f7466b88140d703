package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mockRequest contains the members of a chat completion that the mock reads.
type mockRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Type     string   `json:"type"`
		Function mockTool `json:"function"`
	} `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
}

// mockReply answers according to the model's name: mock-error-<status> fails with that status, mock-tools calls the
// tool that chooseTool returns and then answers with its result, and any other name echoes the last user message.
func mockReply(ctx context.Context, body []byte) *upstream.Response {
	var r mockRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	if e := findMockFailure(r.Model); e != nil {
		return e
	}
	a := r.answer(body)
	if r.Stream {
		return &upstream.Response{
			Status: http.StatusOK, ContentLength: -1,
			Header: []upstream.Field{{Name: "Content-Type", Value: "text/event-stream"}},
			Body:   &scripted{ctx: ctx, pieces: a.listEvents(r.StreamOptions.IncludeUsage)},
		}
	}
	return mockJSON(http.StatusOK, a.encodeWhole())
}

// findMockFailure returns the error that a model's name asks for, or nil.
func findMockFailure(model string) *upstream.Response {
	code, ok := strings.CutPrefix(model, "mock-error-")
	if !ok {
		return nil
	}
	status, err := strconv.Atoi(code)
	if err != nil || status < 400 || status > 599 {
		return mockError(http.StatusBadRequest, "invalid_model", "use mock-error-400 to mock-error-599")
	}
	return mockError(status, "mock_error", "this is the error "+code+" that was asked for")
}

// mockAnswer is an answer before it is encoded.
type mockAnswer struct {
	id, model    string
	created      int64
	text         string
	tool, args   string
	callID       string
	input, outpt int
	cut          bool // at the token limit
}

func (r *mockRequest) answer(body []byte) *mockAnswer {
	h := fnv.New64a()
	_, _ = h.Write(body) // a hash never fails
	a := &mockAnswer{id: fmt.Sprintf("chatcmpl-mock-%016x", h.Sum64()), model: r.Model, created: time.Now().Unix()}
	last, toolResult, results := "", false, 0
	for _, m := range r.Messages {
		text := joinMockText(m.Content)
		a.input += countMockTokens(text)
		switch m.Role {
		case "user":
			last, toolResult = text, false
		case "tool":
			last, toolResult = text, true
			results++
		}
	}
	a.text = last
	if r.Model == "mock-tools" && !toolResult && string(r.ToolChoice) != `"none"` {
		a.tool, a.args = r.chooseTool(last)
		a.text, a.callID = "", "call_mock_"+strconv.Itoa(results+1)
	}
	if limit := cmp.Or(r.MaxCompletionTokens, r.MaxTokens); limit > 0 {
		a.truncate(limit)
	}
	a.outpt = countMockTokens(a.text + a.args)
	return a
}

// truncate cuts the answer to a number of tokens, without cutting a character.
func (a *mockAnswer) truncate(tokens int) {
	for _, text := range []*string{&a.text, &a.args} {
		end := tokens * mockTokenBytes
		if len(*text) <= end {
			continue
		}
		for !utf8.RuneStart((*text)[end]) {
			end--
		}
		*text, a.cut = (*text)[:end], true
	}
}

// joinMockText joins the text of a message's content.
func joinMockText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// mockTokenBytes is the length of a token. It is fixed, so that usage is the same each time.
const mockTokenBytes = 4

func countMockTokens(s string) int { return (len(s) + mockTokenBytes - 1) / mockTokenBytes }

func (a *mockAnswer) buildUsage() map[string]any {
	return map[string]any{"prompt_tokens": a.input, "completion_tokens": a.outpt, "total_tokens": a.input + a.outpt}
}

func (a *mockAnswer) chooseFinishReason() string {
	if a.cut {
		return "length"
	}
	if a.tool != "" {
		return "tool_calls"
	}
	return "stop"
}

func (a *mockAnswer) encodeWhole() any {
	msg := map[string]any{"role": "assistant", "content": a.text}
	if a.tool != "" {
		msg["content"] = nil
		msg["tool_calls"] = []any{map[string]any{
			"id": a.callID, "type": "function", "function": map[string]any{"name": a.tool, "arguments": a.args},
		}}
	}
	return map[string]any{
		"id": a.id, "object": "chat.completion", "created": a.created, "model": a.model,
		"choices": []any{map[string]any{"index": 0, "message": msg, "logprobs": nil, "finish_reason": a.chooseFinishReason()}},
		"usage":   a.buildUsage(),
	}
}

// mockPiece is the number of runes in a streamed piece. It is odd and small, so that any searched text is cut.
const mockPiece = 7

func (a *mockAnswer) listEvents(usage bool) []string {
	event := func(choices []any, more map[string]any) string {
		m := map[string]any{"id": a.id, "object": "chat.completion.chunk", "created": a.created, "model": a.model, "choices": choices}
		for k, v := range more {
			m[k] = v
		}
		b, _ := json.Marshal(m) // maps of plain values always marshal
		return "data: " + string(b) + "\n\n"
	}
	delta := func(d map[string]any, finish any) string {
		return event([]any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	out := []string{delta(map[string]any{"role": "assistant", "content": ""}, nil)}
	if a.tool != "" {
		call := func(m map[string]any) string {
			m["index"] = 0
			return delta(map[string]any{"tool_calls": []any{m}}, nil)
		}
		out = append(out, call(map[string]any{
			"id": a.callID, "type": "function", "function": map[string]any{"name": a.tool, "arguments": ""},
		}))
		for _, p := range splitPieces(a.args) {
			out = append(out, call(map[string]any{"function": map[string]any{"arguments": p}}))
		}
	}
	for _, p := range splitPieces(a.text) {
		out = append(out, delta(map[string]any{"content": p}, nil))
	}
	out = append(out, delta(map[string]any{}, a.chooseFinishReason()))
	if usage {
		out = append(out, event([]any{}, map[string]any{"usage": a.buildUsage()}))
	}
	return append(out, "data: [DONE]\n\n")
}

func splitPieces(s string) (out []string) {
	for len(s) > 0 {
		n := 0
		for range mockPiece {
			_, w := utf8.DecodeRuneInString(s[n:])
			if n += w; n >= len(s) {
				break
			}
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func mockError(status int, code, message string) *upstream.Response {
	r := mockJSON(status, map[string]any{"error": map[string]any{"message": message, "type": "mock_error", "param": nil, "code": code}})
	if status == http.StatusTooManyRequests {
		r.Header = append(r.Header, upstream.Field{Name: "Retry-After", Value: "1"})
	}
	return r
}

func mockJSON(status int, v any) *upstream.Response {
	b, _ := json.Marshal(v) // maps of plain values always marshal
	return &upstream.Response{
		Status: status, ContentLength: int64(len(b)),
		Header: []upstream.Field{{Name: "Content-Type", Value: "application/json"}},
		Body:   &scripted{pieces: []string{string(b)}},
	}
}

// scripted is a body that returns one piece per read.
type scripted struct {
	ctx    context.Context // nil if it cannot be cancelled
	pieces []string
}

var _ upstream.Body = (*scripted)(nil)

func (s *scripted) Read(p []byte) (int, error) {
	if s.ctx != nil && s.ctx.Err() != nil {
		return 0, &upstream.Error{Phase: upstream.PhaseBody, Err: s.ctx.Err()}
	}
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; s.pieces[0] == "" {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (s *scripted) Close() error { return nil }

// Buffered returns 0, so that pieces are sent one by one, as a provider sends them.
func (s *scripted) Buffered() int { return 0 }
