package proxy_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// asked is a request as the provider received it. Its wire follows from its path.
type asked struct {
	wire, body, said string
	framed           bool // a stream of events is sent in the frames of InvokeModelWithResponseStream
}

// wirePaths are ends of the paths at which each wire is served.
var wirePaths = []struct{ wire, whole, stream string }{
	{"openai.chat", "/chat/completions", "/chat/completions"},
	{"openai.responses", "/responses", "/responses"},
	{"anthropic.messages", "/v1/messages", "/v1/messages"},
	{"anthropic.messages", ":rawPredict", ":streamRawPredict"},
	{"anthropic.messages", "/invoke", "/invoke-with-response-stream"},
	{"gemini.generate", ":generateContent", ":streamGenerateContent"},
	{"bedrock.converse", "/converse", "/converse-stream"},
	{"cohere.chat", "/v2/chat", "/v2/chat"},
	{"ollama.chat", "/api/chat", "/api/chat"},
}

// scriptedProvider answers on a loopback listener with the files of testdata/matrix/answers, in the wire that the path
// implies.
type scriptedProvider struct {
	url     string
	counts  bool // chat streams report usage unasked, with the finish
	t       *testing.T
	mu      sync.Mutex
	feature string
	manner  manner
	edit    func(said string) string // nil: as in the file
	calls   []*asked
}

func newScripted(t *testing.T) *scriptedProvider {
	s := &scriptedProvider{t: t}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// say sets the answer to the next call.
func (s *scriptedProvider) say(feature string, m manner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feature, s.manner, s.calls = feature, m, nil
}

// takeCall returns the call received since, or nil.
func (s *scriptedProvider) takeCall(t *testing.T) *asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return nil
	}
	assert.Len(t, s.calls, 1, "one request makes one call")
	return s.calls[0]
}

func (s *scriptedProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &asked{body: string(body), framed: strings.HasSuffix(r.URL.Path, "/invoke-with-response-stream")}
	s.calls = append(s.calls, a)
	for _, p := range wirePaths {
		end := p.whole
		if s.manner == streamed {
			end = p.stream
		}
		if strings.HasSuffix(r.URL.Path, end) {
			a.wire = p.wire
		}
	}
	if !assert.NoError(s.t, err) || !assert.NotEmpty(s.t, a.wire, "asked at %s", r.URL) {
		return
	}
	status, kind, said := s.answer(a)
	if s.edit != nil {
		said = s.edit(said)
	}
	a.said = said
	if a.framed && status == http.StatusOK {
		kind, said = "application/vnd.amazon.eventstream", invokedFrames(s.t, said)
	}
	w.Header().Set("Content-Type", kind)
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, said) // the gateway may hang up after an error
}

// invokedFrames puts the data of server-sent events into frames, per
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html.
func invokedFrames(t *testing.T, events string) string {
	var lines strings.Builder
	for line := range strings.Lines(events) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			lines.WriteString(`chunk {"bytes":"` + base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(data))) + "\"}\n")
		}
	}
	return frameEvents(t, lines.String())
}

// answer returns the script's answer to a call.
func (s *scriptedProvider) answer(a *asked) (status int, contentType, body string) {
	parts := partsOf(s.t, "answers/"+a.wire)
	streamType := map[string]string{"bedrock.converse": "application/vnd.amazon.eventstream", "ollama.chat": "application/x-ndjson"}[a.wire]
	if streamType == "" {
		streamType = "text/event-stream"
	}
	part := s.feature
	switch part {
	case "unknown", "seen":
		part = "plain"
	case "detour":
		part = "tools"
	}
	switch {
	case s.feature == "error":
		return http.StatusTooManyRequests, "application/json", parts[part]
	case s.feature != "early":
		part += "." + string(s.manner)
	}
	if s.feature == "structured" && strings.Contains(a.body, "headgate_") {
		// The schema arrived as the input of a tool, so the answer calls that tool.
		part = strings.Replace(part, "structured", "forced", 1)
	}
	if asFunction := s.feature == "custom" && !strings.Contains(a.body, `"type":"custom"`); asFunction {
		parts[part] = strings.NewReplacer("get_weather", "sql", "Rome", "SELECT 2").Replace(parts[strings.Replace(part, "custom", "tools", 1)])
	}
	body = parts[part]
	if !assert.NotEmpty(s.t, body, "%s has no answer %s", a.wire, part) {
		return http.StatusInternalServerError, "text/plain", ""
	}
	if s.manner == wholly {
		return http.StatusOK, "application/json", strings.TrimSuffix(body, "\n")
	}
	switch a.wire {
	case "bedrock.converse":
		body = frameEvents(s.t, body)
	case "ollama.chat":
	default:
		body += "\n" // the file ends without the last blank line
	}
	if a.wire == "openai.chat" && !strings.Contains(a.body, `"include_usage":true`) {
		usage := usageOf(body)
		body = withoutUsage(body)
		if i := strings.LastIndex(body, `"usage":null`); s.counts && i >= 0 {
			body = body[:i] + usage + body[i+len(`"usage":null`):]
		}
	}
	return http.StatusOK, streamType, body
}
