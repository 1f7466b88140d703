package clients

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// replay sends a recorded request byte for byte over its own connection: its
// lines as HTTP has them, with the gateway's address and key, and the length.
func replay(t *testing.T, addr, file string) heardBack {
	t.Helper()
	return replayWith(t, addr, file, "")
}

// replayWith is replay with more members in the body.
func replayWith(t *testing.T, addr, file, members string) heardBack {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "node", file))
	require.NoError(t, err)
	head, body, ok := strings.Cut(strings.NewReplacer("HOST", addr, "KEY", gatewayKey, "CARD", card).Replace(string(b)), "\n\n")
	require.True(t, ok)
	if members != "" {
		body = strings.TrimSuffix(strings.TrimSpace(body), "}") + "," + members + "}"
	}
	head += "\ncontent-length: " + strconv.Itoa(len(body))
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n"+body)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = out.ReadFrom(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return heardBack{res.StatusCode, res.Header, out.String()}
}

func TestRequestsOfTheNodeClientsAreServed(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	for _, x := range []struct {
		file, dir string
		text      string // the path of the answer's text; "": it is streamed
	}{
		{"openai_chat.http", "openai", "choices.0.message.content"},
		{"openai_chat_stream.http", "anthropic", ""},
		{"openai_responses.http", "gemini", ""},
		{"anthropic_messages.http", "anthropic", "content.0.text"},
		{"anthropic_messages_stream.http", "openai", ""},
		{"google_generate.http", "gemini", "candidates.0.content.parts.0.text"},
		{"google_generate_beta.http", "gemini", "candidates.0.content.parts.0.text"},
		{"google_generate_stream.http", "ollama", ""},
	} {
		t.Run(x.file, func(t *testing.T) {
			a := replay(t, addr, x.file)
			require.Equal(t, 200, a.status, a.body)
			assert.Empty(t, a.header.Get("Content-Encoding"))
			target{dir: x.dir, model: modelOf(x.dir)}.checkRequest(t, s)
			if x.text != "" {
				assert.Equal(t, answerText, gjson.Get(a.body, x.text).String())
				assert.Contains(t, a.header.Get("Content-Type"), "application/json")
				return
			}
			assert.Contains(t, a.header.Get("Content-Type"), "text/event-stream")
			assert.Contains(t, a.body, card)
		})
	}
	t.Run("embeddings as base64", func(t *testing.T) {
		s.answer(
			answers(
				t,
				"/openai/v1/embeddings",
				`{"object":"list","data":[{"object":"embedding","index":0,"embedding":"`+vector()+`"}],"model":"text-embedding-3-small","usage":{"prompt_tokens":8,"total_tokens":8}}`,
			),
		)
		a := replay(t, addr, "openai_embeddings.http")
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, string(s.readAnswer()), a.body)
		got := s.take(t).body
		assert.Equal(t, "base64", gjson.GetBytes(got, "encoding_format").String())
		assert.NotContains(t, string(got), card)
	})
}

func TestToolsOfTheNodeClientsAreCalled(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	const function = `"tools":[{"type":"function","function":{"name":"charge","parameters":` + toolSchema + `}}]`
	const flat = `"tools":[{"type":"function","name":"charge","strict":false,"parameters":` + toolSchema + `}]`
	const own = `"tools":[{"name":"charge","input_schema":` + toolSchema + `}]`
	const declared = `"tools":[{"functionDeclarations":[{"name":"charge","parametersJsonSchema":` + toolSchema + `}]}]`
	for _, x := range []struct{ file, dir, tools, has string }{
		{"openai_chat.http", "openai", function, `"tool_calls"`},
		{"openai_chat_stream.http", "anthropic", function, `"finish_reason":"tool_calls"`},
		{"openai_responses.http", "gemini", flat, `"type":"function_call"`},
		{"anthropic_messages.http", "anthropic", own, `"tool_use"`},
		{"anthropic_messages_stream.http", "openai", own, `"stop_reason":"tool_use"`},
		{"google_generate.http", "gemini", declared, `"functionCall"`},
		{"google_generate_stream.http", "ollama", declared, `"functionCall":{`},
	} {
		t.Run(x.file, func(t *testing.T) {
			a := replayWith(t, addr, x.file, x.tools)
			require.Equal(t, 200, a.status, a.body)
			h := target{dir: x.dir, model: modelOf(x.dir)}.checkRequest(t, s)
			assert.Equal(t, "charge", h.tool)
			assert.JSONEq(t, toolSchema, h.schema)
			assert.Contains(t, a.body, x.has)
			assert.Contains(t, a.body, "charge")
			assert.NotContains(t, a.body, "{{PII_")
		})
	}
}

func modelOf(dir string) string {
	for _, x := range targets {
		if x.dir == dir {
			return x.model
		}
	}
	return ""
}
