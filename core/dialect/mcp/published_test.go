package mcp

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// message is what tells the messages of a transcript apart.
type message struct {
	ID     json.RawMessage
	Method string
	raw    string
}

// readSection returns the messages of a section of a transcript, which is in the format of package txtar.
func readSection(t *testing.T, transcript, name string) (list []message) {
	t.Helper()
	_, text, ok := strings.Cut(transcript, "\n-- "+name+" --\n")
	require.True(t, ok, name)
	text, _, _ = strings.Cut(text, "\n-- ")
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		m := message{raw: string(raw)}
		require.NoError(t, json.Unmarshal(raw, &m))
		list = append(list, m)
	}
}

// The transcript is what the protocol's own SDK expects of a client and a server.
func TestThePublishedTranscriptOfToolsIsRead(t *testing.T) {
	text, err := os.ReadFile("testdata/published/tools.txtar")
	require.NoError(t, err)
	asked := map[string]message{} // the last one with an id
	answered := map[string]int{}
	var found []string
	answers := readSection(t, string(text), "server")
	for _, q := range readSection(t, string(text), "client") {
		if q.Method == "" {
			continue // the client's own answer to a ping
		}
		_, x, e := scanRequest(q.raw, nil)
		asked[string(q.ID)] = q
		if !strings.Contains(q.raw, "params") && q.Method == MethodCallTool {
			require.NotNil(t, e, "the server refuses it too")
			continue
		}
		require.Nil(t, e, q.raw)
		if strings.Contains(q.raw, `"greet", "arguments"`) {
			assert.Contains(t, texts(&x.Request), "args arguments=you")
		}
	}
	for _, a := range answers {
		if a.Method != "" {
			continue // the server's ping
		}
		q := asked[string(a.ID)]
		require.NotEmpty(t, q.raw, "an answer to nothing: %s", a.raw)
		c, x, e := scanRequest(q.raw, nil)
		if e != nil {
			assert.Contains(t, a.raw, `"error"`)
			continue
		}
		x.Response.Status, x.Response.Raw = http.StatusOK, []byte(a.raw)
		require.NoError(t, c.ScanResponse(x), a.raw)
		answered[q.Method]++
		found = append(found, texts(&x.Response)...)
	}
	assert.Equal(t, map[string]int{MethodInitialize: 1, "prompts/list": 1, "resources/list": 1, MethodListTools: 1, MethodCallTool: 7}, answered)
	for _, text := range []string{"definition description[0]=say hi", "result content[0]=hi you", "result structuredContent=2025-06-19T15:04:05Z"} {
		assert.Contains(t, found, text)
	}
}
