package providers

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// mockItem contains the members of an item of a conversation that the mock reads.
type mockItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

const (
	mockCompaction = "compaction"
	// mockSeal begins what the mock seals: it is not encrypted, so that it can be looked at.
	mockSeal = "mock."
)

// readText returns what the mock reads of an item.
func (it *mockItem) readText() string {
	if it.Type != mockCompaction {
		return joinMockText(it.Content) + joinMockText(it.Output)
	}
	sealed, _ := strings.CutPrefix(it.Encrypted, mockSeal)
	text, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil { // of another provider
		return it.Encrypted
	}
	return string(text)
}

// mockCompact repeats the user's messages, and seals the texts of all other items in one item.
func mockCompact(body []byte) *upstream.Response {
	var r struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	if e := findMockFailure(r.Model); e != nil {
		return e
	}
	var items []mockItem
	if json.Unmarshal(r.Input, &items) != nil {
		items = []mockItem{{Role: "user", Content: r.Input}}
	}
	h := fnv.New64a()
	_, _ = h.Write(body) // a hash never fails
	id, read := fmt.Sprintf("%016x", h.Sum64()), countMockTokens(r.Instructions)
	var output []any
	var said []string
	for i := range items {
		it := &items[i]
		text := it.readText()
		if read += countMockTokens(text); it.Role != "user" {
			said = append(said, text)
			continue
		}
		output = append(output, map[string]any{
			"id": fmt.Sprintf("msg_mock_%s_%d", id, i), "type": "message", "status": "completed", "role": "user",
			"content": []any{map[string]any{"type": "input_text", "text": text}},
		})
	}
	sealed := mockSeal + base64.StdEncoding.EncodeToString([]byte(strings.Join(said, "\n")))
	output = append(output, map[string]any{"id": "cmp_mock_" + id, "type": mockCompaction, "encrypted_content": sealed})
	written := countMockTokens(sealed)
	return mockJSON(http.StatusOK, map[string]any{
		"id": "resp_mock_" + id, "object": "response.compaction", "created_at": time.Now().Unix(), "output": output,
		"usage": map[string]any{
			"input_tokens": read, "input_tokens_details": map[string]int{"cached_tokens": 0},
			"output_tokens": written, "output_tokens_details": map[string]int{"reasoning_tokens": 0}, "total_tokens": read + written,
		},
	})
}

// holdsCompaction reports whether a request may contain what a provider has sealed. Other shapes cannot say it, so the mock
// must read such a request in its own.
func holdsCompaction(x *core.Exchange) bool {
	return x.Dialect == openAIResponses && bytes.Contains(x.Request.Raw, []byte(`"`+mockCompaction+`"`))
}

// mockResponses answers a request of the Responses API as mockReply answers its translation to chat. Sealed items have
// been read, and are left out of the translation.
func mockResponses(ctx context.Context, body []byte) *upstream.Response {
	unreadable := mockError(http.StatusBadRequest, "invalid_request", "the mock could not read the request")
	body, err := dropCompactions(body)
	if err != nil {
		return unreadable
	}
	var x core.Exchange
	x.Request.Raw = body
	if e := (openai.Responses{}).Scan(&x); e != nil {
		return unreadable
	}
	r, e := openai.Responses{}.Decode(&x)
	if e != nil {
		return mockError(http.StatusBadRequest, "invalid_request", e.Public)
	}
	r.Model = x.Head.Model
	low := llm.Lower(r, llm.Target{})
	chat, e := openai.ChatWire{}.EncodeRequest(nil, low.Request, core.Traits{
		Label: "Mock", Model: r.Model, LimitField: "max_tokens",
		StreamUsage: true,
	})
	if e != nil {
		return mockError(http.StatusBadRequest, "invalid_request", e.Public)
	}
	res := mockReply(ctx, chat)
	if res.Status != http.StatusOK {
		return res
	}
	if !r.Stream {
		return encodeMockWhole(r, low, res)
	}
	res.Body, err = newMockStream(ctx, r, low, res.Body.(*scripted).pieces)
	if err != nil {
		return mockError(http.StatusInternalServerError, "mock_error", "the mock could not write its answer")
	}
	return res
}

// dropCompactions returns a request without its sealed items.
func dropCompactions(body []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	var input, kept []json.RawMessage
	if json.Unmarshal(members["input"], &input) != nil { // a text
		return body, nil
	}
	for _, raw := range input {
		var it mockItem
		if json.Unmarshal(raw, &it) != nil || it.Type != mockCompaction {
			kept = append(kept, raw)
		}
	}
	if len(kept) == 0 {
		kept = append(kept, json.RawMessage(`{"role":"user","content":""}`))
	}
	var err error
	if members["input"], err = json.Marshal(kept); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// encodeMockWhole writes a whole answer of chat as one of Responses.
func encodeMockWhole(r *llm.Request, low *llm.Lowered, res *upstream.Response) *upstream.Response {
	chat, err := io.ReadAll(res.Body)
	if err == nil {
		var whole *llm.Response
		if whole, err = (openai.ChatWire{}).DecodeResponse(chat); err == nil {
			body := openai.Responses{}.Encode(nil, r, low.RestoreResponse(whole))
			res.ContentLength, res.Body = int64(len(body)), &scripted{pieces: []string{string(body)}}
			return res
		}
	}
	return mockError(http.StatusInternalServerError, "mock_error", "the mock could not write its answer")
}

// newMockStream writes a streamed answer of chat as one of Responses.
func newMockStream(ctx context.Context, r *llm.Request, low *llm.Lowered, chat []string) (*scripted, error) {
	out := &scripted{ctx: ctx}
	decoder, encoder, raise := openai.ChatWire{}.DecodeStream(), openai.Responses{}.EncodeStream(r), low.Stream()
	write := func(ev *llm.Event) error {
		if b := encoder.Append(nil, ev); len(b) > 0 {
			out.pieces = append(out.pieces, string(b))
		}
		return nil
	}
	emit := func(ev *llm.Event) error { return raise(ev, write) }
	for _, piece := range chat {
		if err := decoder.Decode([]byte(piece), emit); err != nil {
			return nil, err
		}
	}
	return out, decoder.Close(emit)
}
