package batch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/meter"
)

// answer is what a client reads.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (a answer) json(t testing.TB) (v map[string]any) {
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

// code and message are those of an error.
func (a answer) fault(t testing.TB) (code, message string) {
	e, _ := a.json(t)["error"].(map[string]any)
	require.NotNil(t, e, a.body)
	code, _ = e["code"].(string)
	message, _ = e["message"].(string)
	return code, message
}

func (g *gate) call(key, method, path, contentType string, body io.Reader) answer {
	r, err := http.NewRequest(method, g.url+path, body)
	require.NoError(g.t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(g.t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(b), err}
}

func (g *gate) get(key, path string) answer { return g.call(key, "GET", path, "", nil) }

func (g *gate) post(key, path, body string) answer {
	return g.call(key, "POST", path, "application/json", strings.NewReader(body))
}

// upload sends a file as a client does.
func (g *gate) upload(key, content string, fields ...string) answer {
	if fields == nil {
		fields = []string{"purpose", "batch"}
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(g.t, w.WriteField(fields[i], fields[i+1]))
	}
	p, err := w.CreateFormFile("file", "in.jsonl")
	require.NoError(g.t, err)
	_, err = io.WriteString(p, content)
	require.NoError(g.t, err)
	require.NoError(g.t, w.Close())
	return g.call(key, "POST", "/v1/files", w.FormDataContentType(), &b)
}

// requireUpload uploads a file that is taken, and gives its id.
func (g *gate) requireUpload(key, content string) string {
	g.t.Helper()
	a := g.upload(key, content)
	require.Equal(g.t, 200, a.status, a.body)
	return a.json(g.t)["id"].(string)
}

func (g *gate) submit(key, file string) answer {
	return g.post(
		key,
		"/v1/batches",
		`{"input_file_id":"`+file+`","endpoint":"/v1/chat/completions","completion_window":"24h","metadata":{"run":"7"}}`,
	)
}

func (g *gate) requireBatch(key, file string) string {
	g.t.Helper()
	a := g.submit(key, file)
	require.Equal(g.t, 200, a.status, a.body)
	return a.json(g.t)["id"].(string)
}

// records are the types of the events so far, with their payloads.
func (g *gate) records() (out []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.events {
		out = append(out, e.Tenant+" "+e.Type+" "+string(e.Payload))
	}
	return out
}

func (g *gate) usage() []meter.Record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]meter.Record(nil), g.booked...)
}

func (g *gate) losses() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.lost...)
}

// request is a line of a file.
func request(id, model, text string) string {
	return fmt.Sprintf(
		`{"custom_id":%q,"method":"POST","url":"/v1/chat/completions","body":{"model":%q,"messages":[{"role":"user","content":%q}]}}`+"\n",
		id,
		model,
		text,
	)
}

func result(id, text string, in, out int) string {
	return fmt.Sprintf(
		`{"id":"batch_req_1","custom_id":%q,"response":{"status_code":200,"request_id":"r","body":{"id":"c","object":"chat.completion","model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":2}}}},"error":null}`+"\n",
		id,
		text,
		in,
		out,
	)
}
