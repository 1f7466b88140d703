package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a provider in OpenAI's form that keeps the paths and bodies of its requests.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	paths  []string
	bodies [][]byte
}

func newRecorder(t *testing.T) *recorder {
	r := new(recorder)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.paths, r.bodies = append(r.paths, q.URL.Path), append(r.bodies, body)
		r.mu.Unlock()
		const head = `{"id":"x","object":"chat.completion`
		if bytes.Contains(body, []byte(`"stream":true`)) || bytes.Contains(body, []byte(`"stream": true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+head+`.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, head+`","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}))
	t.Cleanup(r.Close)
	return r
}

// take returns what was received, and forgets it.
func (r *recorder) take() (paths []string, bodies [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	paths, bodies = r.paths, r.bodies
	r.paths, r.bodies = nil, nil
	return paths, bodies
}

// writeChats returns n chat requests, one JSON document a line: texts, parameters, tools, results of tools and streams.
func writeChats(t *testing.T, n int) [][]byte {
	t.Helper()
	type object = map[string]any
	random := rand.New(rand.NewPCG(7, 7)) // the same requests in each run
	texts := []string{"Grüße, 世界 🌍", "line\nbreak \"quoted\" \\ back", strings.Repeat("plain text ", 30), "<b>&amp;</b>"}
	parameters := []struct {
		name  string
		value any
	}{
		{"temperature", 0.5},
		{"temperature", 1},
		{"top_p", 0.9},
		{"max_tokens", 500},
		{"stop", []string{"END"}},
		{"seed", 42},
		{"presence_penalty", 0.1},
		{"frequency_penalty", 0.2},
		{"n", 1},
		{"user", "u-1"},
		{"logprobs", true},
		{"response_format", object{"type": "json_object"}},
		{"parallel_tool_calls", false},
		{"stream", true},
	}
	function := object{"type": "function", "function": object{"name": "f", "description": "d", "parameters": object{
		"type": "object", "properties": object{"a": object{"type": "string"}}, "required": []string{"a"},
	}}}
	var chats [][]byte
	for i := range n {
		messages := []object{
			{"role": "system", "content": fmt.Sprint("Be brief. ", i)}, {"role": "user", "content": texts[random.IntN(len(texts))]},
		}
		if random.IntN(5) == 0 {
			messages = append(messages, object{"role": "assistant", "content": nil, "tool_calls": []object{
				{"id": "c1", "type": "function", "function": object{"name": "f", "arguments": `{"a":"1"}`}},
			}}, object{"role": "tool", "tool_call_id": "c1", "content": "done"})
		}
		chat := object{"model": "fast", "messages": messages}
		for _, p := range parameters {
			if random.IntN(5) < 2 && (p.name != "parallel_tool_calls" || chat["tools"] != nil) {
				chat[p.name] = p.value
			}
		}
		if random.IntN(3) == 0 {
			chat["tools"], chat["tool_choice"] = []object{function}, []string{"auto", "required"}[random.IntN(2)]
		}
		b, err := json.Marshal(chat)
		require.NoError(t, err)
		chats = append(chats, b)
	}
	return chats
}

// TestRequestsLeaveAsThroughLiteLLM sends the same requests through LiteLLM's package and through a gateway that has imported its
// configuration. The bodies that reach the provider must be equal but for the fields that docs/import.md lists.
func TestRequestsLeaveAsThroughLiteLLM(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	scripts := filepath.Join("testdata", "python")
	python := installPython(ctx, t, filepath.Join(scripts, "litellm.txt"))
	provider, dir := newRecorder(t), t.TempDir()
	source := filepath.Join(dir, "litellm.yaml") // JSON is YAML
	require.NoError(t, os.WriteFile(source, []byte(`{"model_list":[{"model_name":"fast","litellm_params":{"model":"openai/gpt-4o-mini","api_base":"`+
		provider.URL+`/v1","api_key":"os.environ/OPENAI_API_KEY"}}]}`), 0o600))
	chats := writeChats(t, 200)

	through := exec.CommandContext(ctx, python, "-B", filepath.Join(scripts, "litellm_client.py"), source)
	through.Env = append(os.Environ(), "OPENAI_API_KEY="+providerKey)
	through.Stdin = bytes.NewReader(append(bytes.Join(chats, []byte("\n")), '\n'))
	out, err := through.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "ok 200")
	wantPaths, want := provider.take()

	imported := filepath.Join(dir, "gateway.yaml")
	out, err = exec.CommandContext(ctx, program, "import", "litellm", source, "--out", imported).CombinedOutput()
	require.NoError(t, err, string(out))
	config, err := os.ReadFile(imported)
	require.NoError(t, err)
	text := strings.Replace(string(config), `key: ""`, `key: "`+gatewayKey+`"`, 1)
	text = strings.Replace(text, "${OPENAI_API_KEY}", providerKey, 1)
	base := "http://" + serveWith(t, text+"server: {listen: 127.0.0.1:0, metrics_listen: \"\"}\nguardrail: {default_max_response_tokens: 0}\n", provider.URL)
	for _, chat := range chats {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", bytes.NewReader(chat))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+gatewayKey)
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode, "%s\n%s", chat, answer)
	}
	gotPaths, got := provider.take()
	assert.Equal(t, wantPaths, gotPaths)
	require.Len(t, got, len(want))
	nulls, options := 0, 0
	for i := range want {
		theirs, ours := decodeChat(t, want[i]), decodeChat(t, got[i])
		if removeNullContent(ours) {
			nulls++
		}
		if ours["stream"] == true && theirs["stream_options"] == nil {
			assert.Equal(t, map[string]any{"include_usage": true}, ours["stream_options"])
			delete(ours, "stream_options")
			options++
		}
		assert.Equal(t, theirs, ours, "%s", chats[i])
	}
	t.Logf("of %d bodies, %d differ in content: null and %d in stream_options", len(want), nulls, options)
}

func decodeChat(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var chat map[string]any
	require.NoError(t, json.Unmarshal(body, &chat), string(body))
	return chat
}

// removeNullContent removes content: null from messages, as LiteLLM does, and reports whether there was one.
func removeNullContent(chat map[string]any) (removed bool) {
	messages, _ := chat["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if content, ok := message["content"]; ok && content == nil {
			delete(message, "content")
			removed = true
		}
	}
	return removed
}
