package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const refusedAlways = "refuses every request; tests of the proxy show that"

// unsent are the operations whose examples are not sent here, with the reason.
var unsent = map[string]string{
	"openResponsesSocket":        "is a WebSocket, which has tests of its own",
	"openRealtimeSession":        "is a WebSocket, which has tests of its own",
	"createRealtimeClientSecret": refusedAlways, "createRealtimeSession": refusedAlways,
	"createRealtimeTranscriptionSession": refusedAlways, "createRealtimeCall": refusedAlways,
	"uploadFile":          "takes a form; the rows on files send one",
	"createImageEdit":     "takes a form; tests of the proxy send one",
	"createTranscription": "takes a form; tests of the proxy send one",
	"createTranslation":   "takes a form; tests of the proxy send one",
	"createSpeech":        "is answered with sound",
	"listFiles":           "may be empty; the rows on files look at one",
	"listBatches":         "may be empty; the rows on batches look at one",
	"createBatch":         "needs a file whose id is not known before; the rows on batches submit one",
	"cancelBatch":         "needs a batch",
	"getBatch":            "needs a batch",
	"getFile":             "needs a file",
	"deleteFile":          "needs a file",
	"getFileContent":      "needs a file",
}

// chooseMock returns the model of the mock that serves requests for the model of an example.
func chooseMock(model string) string {
	if strings.HasPrefix(model, "text-embedding") {
		return "text-embedding-mock"
	}
	return "mock-echo"
}

// lives sends the example of each operation of the data plane to the mock, and requires that the answers have the
// members of the examples with the same JSON types: clients get what the document promises.
func (t *T) lives() {
	t.Helper()
	sent := 0
	for _, op := range operations(t.loadDocument("public")) {
		if strings.HasPrefix(op.path, "/admin/v1/") || unsent[op.OperationID] != "" {
			continue
		}
		if strings.HasPrefix(op.path, "/mcp") || strings.HasPrefix(op.path, "/a2a/") {
			continue // they need servers and agents, which the tests of these planes have
		}
		sent++
		path, generates := op.path, strings.Contains(op.path, "{call}")
		if generates && op.method == http.MethodPost {
			path = strings.Replace(path, "{call}", "mock-echo:generateContent", 1)
		}
		path = strings.Replace(path, "{call}", "mock-echo", 1)
		var body m
		if op.RequestBody != nil {
			body, _ = op.RequestBody.Value.Content.Get("application/json").Example.(m)
			require.NotNil(t, body, op.OperationID)
			if model, ok := body["model"].(string); ok {
				body["model"] = chooseMock(model)
			}
		}
		for media, promised := range op.Responses.Value("200").Value.Content {
			where := op.OperationID + " " + media
			if media != "text/event-stream" {
				answer := t.anybody().do(op.method, path, orNil(body)).is(200)
				assert.Empty(t, differs(where, promised.Example, answer.json()), "the example differs from the answer %s", answer.body)
				continue
			}
			streamed := path
			if generates {
				streamed = strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1)
			} else {
				body["stream"] = true
			}
			text, _ := promised.Example.(string)
			t.streams(where, text, t.anybody().post(streamed, body).is(200).body)
			delete(body, "stream")
		}
	}
	assert.GreaterOrEqual(t, sent, 20, "operations of the data plane whose examples are sent")
}

func orNil(body m) any {
	if body == nil {
		return nil
	}
	return body
}

// optional are members of examples that only some models have.
var optional = map[string]bool{"context_length": true, "pricing": true}

// differs returns the places where an answer lacks a member of an example, or has another JSON type there.
func differs(at string, example, answer any) (places []string) {
	switch example := example.(type) {
	case m:
		got, ok := answer.(m)
		if !ok {
			return []string{at}
		}
		for name, v := range example {
			of, has := got[name]
			if !has && !optional[name] {
				places = append(places, at+"."+name)
			} else if of != nil {
				places = append(places, differs(at+"."+name, v, of)...)
			}
		}
	case []any:
		got, ok := answer.([]any)
		if !ok {
			return []string{at}
		}
		if len(example) > 0 && len(got) == 0 {
			return []string{at + "[0]"}
		}
		if len(example) > 0 {
			return differs(at+"[0]", example[0], got[0])
		}
	default:
		if example != nil && fmt.Sprintf("%T", example) != fmt.Sprintf("%T", answer) {
			return []string{at}
		}
	}
	return places
}

// streams requires that a stream has an event that resembles each one of an example.
func (t *T) streams(where, example string, got []byte) {
	t.Helper()
	require.NotEmpty(t, example, where)
	for line := range strings.Lines(example) {
		line = strings.TrimRight(line, "\n")
		data, isData := strings.CutPrefix(line, "data: ")
		var promised any
		if !isData || json.Unmarshal([]byte(data), &promised) != nil {
			assert.Contains(t, string(got), line, where)
			continue
		}
		assert.True(t, occurs(promised, got), "%s has no event that resembles %s: %s", where, data, got)
	}
}

// occurs reports whether a stream has an event of the same type that resembles an example.
func occurs(promised any, got []byte) bool {
	for line := range bytes.Lines(got) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		var event m
		if ok && json.Unmarshal(data, &event) == nil && event["type"] == promised.(m)["type"] && len(differs("", promised, event)) == 0 {
			return true
		}
	}
	return false
}
