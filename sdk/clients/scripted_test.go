package clients

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// scripted is all providers at once, each below its own path. It answers by
// what it is asked: with a call when the request has tools and no result yet,
// with a text otherwise.
type scripted struct {
	*httptest.Server
	t *testing.T

	mu   sync.Mutex
	got  []received
	sent []byte                           // the body of the last answer
	cut  int                              // where the placeholder is cut between two events
	as   func(*received) (string, []byte) // answers in place of the transcripts: a type and a body

	status int    // of the answers; 0: 200
	tool   string // that is called in place of "charge"; "": that one
}

// call makes the provider call another tool from now on.
func (s *scripted) call(tool string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tool = tool
}

// received is a request as a provider got it.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// called are the providers' paths and the transcripts that they are answered with.
var called = map[string]string{
	"/openai/v1/chat/completions":                                                   "openai",
	"/openai/v1/responses":                                                          "responses",
	"/xai/v1/chat/completions":                                                      "xai",
	"/anthropic/v1/messages":                                                        "anthropic",
	"/gemini/v1beta/models/gemini-2.5-pro:generateContent":                          "gemini",
	"/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse":            "gemini",
	"/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse":        "bedrock",
	"/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream": "bedrock",
	"/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke":          "anthropic",
	bedrockStream: "anthropic",
	// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
	vertexClaude + ":rawPredict":       "anthropic",
	vertexClaude + ":streamRawPredict": "anthropic",
	// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
	vertexGemini + ":generateContent":               "gemini",
	vertexGemini + ":streamGenerateContent?alt=sse": "gemini",
	// https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest and, with a version, /azure/ai-foundry/openai/reference
	"/azure/openai/v1/chat/completions":                                            "openai",
	"/azure/openai/deployments/deploy-gpt/chat/completions?api-version=2024-10-21": "openai",
	"/cohere/v2/chat":                           "cohere",
	"/ollama/api/chat":                          "ollama",
	"/azure-openai/v1/chat/completions":         "openai",
	"/azure-openai/v1/responses":                "responses",
	"/mistral/v1/chat/completions":              "openai",
	"/groq/openai/v1/chat/completions":          "openai",
	"/qwen/compatible-mode/v1/chat/completions": "openai",
	"/deepseek/chat/completions":                "openai",
	"/moonshot/v1/chat/completions":             "openai",
	"/zhipu/api/paas/v4/chat/completions":       "openai",
}

const (
	// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
	bedrockStream = "/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream"
	vertexClaude  = "/vertex/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-4-5%4020250929"
	vertexGemini  = "/vertex/v1beta1/projects/my-project/locations/global/publishers/google/models/gemini-2.5-flash"
)

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{t: t, cut: 11}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// take gives the one request that has come since the last take.
func (s *scripted) take(t *testing.T) received {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Len(t, s.got, 1, "requests at the provider")
	r := s.got[0]
	s.got = nil
	return r
}

// answer makes what is answered from now on; nil: the transcripts.
func (s *scripted) answer(as func(*received) (string, []byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.as = as
}

// refuse makes every answer an error from now on.
func (s *scripted) refuse(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.as = status, func(*received) (string, []byte) { return "application/json", []byte(body) }
}

// readAnswer is the body of the last answer.
func (s *scripted) readAnswer() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// modelEscapes writes names of models as the gateway does: an at sign or a colon may be escaped in a path and need not
// be, and the vendors' clients leave them.
var modelEscapes = strings.NewReplacer("@", "%40", ":0/", "%3A0/")

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	got := received{modelEscapes.Replace(r.URL.EscapedPath()), r.Header.Clone(), body}
	if r.URL.RawQuery != "" {
		got.path += "?" + r.URL.RawQuery
	}
	s.mu.Lock()
	s.got = append(s.got, got)
	as, status := s.as, s.status
	s.mu.Unlock()
	if as == nil {
		as = s.transcript
	}
	typ, out := as(&got)
	s.mu.Lock()
	s.sent = out
	s.mu.Unlock()
	w.Header().Set("Content-Type", typ)
	if typ == "" {
		status = http.StatusNotFound
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write(out) // the client may have left
}

// transcript finds the answer to a request.
func (s *scripted) transcript(r *received) (string, []byte) {
	dir, ok := called[r.path]
	if !ok {
		assert.Fail(s.t, "a path that the provider does not have", r.path)
		return "", nil
	}
	var stream bool
	switch v := gjson.GetBytes(r.body, "stream"); dir {
	case "gemini", "bedrock":
		stream = strings.Contains(r.path, "stream")
		assert.False(s.t, v.Exists(), "a field that the provider refuses")
	case "ollama":
		stream = !v.Exists() || v.Bool()
	default:
		stream = v.Bool()
	}
	if dir == "anthropic" && !strings.HasPrefix(r.path, "/anthropic/") {
		stream = s.checkCloud(r)
	}
	name := "text"
	if asksForCall(r.body) {
		name = "tools"
	}
	s.mu.Lock()
	tool := s.tool
	s.mu.Unlock()
	if tool == "" {
		tool = "charge"
	}
	typ, out := transcriptOf(s.t, dir, name, stream, string(token.Find(r.body)), s.cut, tool)
	if r.path == bedrockStream {
		return "application/vnd.amazon.eventstream", chunks(s.t, string(out))
	}
	return typ, out
}

// clientVersion is what Anthropic's Python client for the clouds sends in place of the version that the clouds document.
const clientVersion = "2026-10-21"

// checkCloud checks what a cloud requires of a Messages body, and reports whether it asks for a stream.
func (s *scripted) checkCloud(r *received) (stream bool) {
	version := gjson.GetBytes(r.body, "anthropic_version").String()
	assert.False(s.t, gjson.GetBytes(r.body, "model").Exists(), "the model is in the path")
	if strings.HasPrefix(r.path, "/vertex/") {
		assert.Contains(s.t, []string{"vertex-2023-10-16", clientVersion}, version)
		stream = gjson.GetBytes(r.body, "stream").Bool()
		assert.Equal(s.t, stream, strings.HasSuffix(r.path, ":streamRawPredict"))
		return stream
	}
	assert.Contains(s.t, []string{"bedrock-2023-05-31", clientVersion}, version)
	assert.False(s.t, gjson.GetBytes(r.body, "stream").Exists(), "the stream is in the path")
	return r.path == bedrockStream
}

// chunks puts the data of server-sent events into the frames of InvokeModelWithResponseStream.
func chunks(t *testing.T, events string) []byte {
	var lines strings.Builder
	for line := range strings.Lines(events) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			lines.WriteString(`chunk {"bytes":"` + base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(data))) + "\"}\n")
		}
	}
	return frames(t, lines.String())
}

// asksForCall reports whether a request has tools and no result of one.
func asksForCall(body []byte) bool {
	return (gjson.GetBytes(body, "tools.0").Exists() || gjson.GetBytes(body, "toolConfig.tools.0").Exists()) &&
		!bytes.Contains(body, []byte("charged"))
}

// transcript is one of the answers in testdata, with the placeholder tok in it.
func transcript(t *testing.T, dir, name string, stream bool, tok string, cut int) (typ string, out []byte) {
	return transcriptOf(t, dir, name, stream, tok, cut, "charge")
}

// transcriptOf is transcript with another tool that is called.
func transcriptOf(t *testing.T, dir, name string, stream bool, tok string, cut int, tool string) (typ string, out []byte) {
	ext, typ := ".json", "application/json"
	if stream {
		switch ext, typ = ".sse", "text/event-stream"; dir {
		case "bedrock":
			ext, typ = ".events", "application/vnd.amazon.eventstream"
		case "ollama":
			ext, typ = ".ndjson", "application/x-ndjson"
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "scripted", dir, name+ext))
	if !assert.NoError(t, err) {
		return "", nil
	}
	text := split(cut)(putToken(strings.ReplaceAll(string(b), `"charge"`, strconv.Quote(tool)), tok), tok)
	if ext == ".events" {
		return typ, frames(t, text)
	}
	return typ, []byte(text)
}

// frames puts events into the binary frames of AWS: each line is an event's type
// and its payload.
func frames(t *testing.T, text string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		kind, payload, _ := strings.Cut(strings.TrimSpace(line), " ")
		m := eventstream.Message{Payload: []byte(payload)}
		m.Headers.Set(":event-type", eventstream.StringValue(kind))
		m.Headers.Set(":content-type", eventstream.StringValue("application/json"))
		m.Headers.Set(":message-type", eventstream.StringValue("event"))
		assert.NoError(t, eventstream.NewEncoder().Encode(&b, m))
	}
	return b.Bytes()
}

// everyProvider configures all providers at UPSTREAM.
const everyProvider = `server: {listen: 127.0.0.1:0, metrics_listen: ""}
providers:
  mock: {}
  openai: {api_key: ` + providerKey + `, base_url: "UPSTREAM/openai", models: [gpt-4o]}
  xai: {api_key: ` + providerKey + `, base_url: "UPSTREAM/xai", models: [grok-4]}
  anthropic: {api_key: ` + providerKey + `, base_url: "UPSTREAM/anthropic", models: [claude-sonnet-4-5]}
  gemini: {api_key: ` + providerKey + `, base_url: "UPSTREAM/gemini", models: [gemini-2.5-pro]}
  bedrock: {api_key: ` + providerKey + `, base_url: "UPSTREAM/bedrock", region: eu-central-1}
  vertex: {api_key: ` + providerKey + `, base_url: "UPSTREAM/vertex", project: my-project, models: [gemini-2.5-flash]}
  cohere: {api_key: ` + providerKey + `, base_url: "UPSTREAM/cohere", capabilities: {tool_calls: true}}
  ollama: {base_url: "UPSTREAM/ollama", models: [llama3.2]}
  azure-openai: {api_key: ` + providerKey + `, base_url: "UPSTREAM/azure-openai"}
  mistral: {api_key: ` + providerKey + `, base_url: "UPSTREAM/mistral"}
  groq: {api_key: ` + providerKey + `, base_url: "UPSTREAM/groq", capabilities: {tool_calls: true}}
  qwen: {api_key: ` + providerKey + `, base_url: "UPSTREAM/qwen", capabilities: {tool_calls: true}}
  deepseek: {api_key: ` + providerKey + `, base_url: "UPSTREAM/deepseek"}
  moonshot: {api_key: ` + providerKey + `, base_url: "UPSTREAM/moonshot"}
  zhipu: {api_key: ` + providerKey + `, base_url: "UPSTREAM/zhipu"}
routes:
  - {model_pattern: "mock-*", providers: [{provider: mock}]}
  - {model_pattern: "gpt-*", providers: [{provider: openai}]}
  - {model_pattern: "text-embedding-*", providers: [{provider: openai}]}
  - {model_pattern: "grok-*", providers: [{provider: xai}]}
  - {model_pattern: "claude-*", providers: [{provider: anthropic}]}
  - {model_pattern: "gemini-*", providers: [{provider: gemini}]}
  - {model_pattern: "claude-sonnet-4-5@*", providers: [{provider: vertex}]}
  - {model_pattern: "gemini-2.5-flash", providers: [{provider: vertex}]}
  - {model_pattern: "eu.anthropic.*", providers: [{provider: bedrock}]}
  - {model_pattern: "command-*", providers: [{provider: cohere}]}
  - {model_pattern: "llama*", providers: [{provider: ollama}]}
  - {model_pattern: "deploy-*", providers: [{provider: azure-openai}]}
  - {model_pattern: "mistral-*", providers: [{provider: mistral}]}
  - {model_pattern: "gemma*", providers: [{provider: groq}]}
  - {model_pattern: "qwen-*", providers: [{provider: qwen}]}
  - {model_pattern: "deepseek-*", providers: [{provider: deepseek}]}
  - {model_pattern: "moonshot-*", providers: [{provider: moonshot}]}
  - {model_pattern: "glm-*", providers: [{provider: zhipu}]}
tenants:
  - {id: default, keys: [{name: dev, key: ` + gatewayKey + `, scopes: []}]}
`

// personal is the chain that everyProvider lacks.
const personal = "chain:\n  - stage: pii\n"
