package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ownAddress = "ann.lee@example.com"

var addressToken = regexp.MustCompile(`\{\{PII_EMAIL_[0-9a-f]{16}\}\}`)

// mailer is a provider that, asked by one who offers a tool, calls it with the address
// that it was shown, in pieces of three bytes; shown the tool's result, it confirms.
type mailer struct {
	mu   sync.Mutex
	seen []string // bodies
}

func (m *mailer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.seen = append(m.seen, string(body))
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(delta, finish string) {
		_, _ = fmt.Fprintf(
			w,
			`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n",
			delta,
			finish,
		)
		w.(http.Flusher).Flush()
	}
	shown := addressToken.FindString(string(body))
	if strings.Contains(string(body), `"role":"tool"`) {
		say(`{"role":"assistant","content":"Sent to "}`, "null")
		say(`{"content":"`+shown+`."}`, "null")
		say(`{}`, `"stop"`)
	} else {
		say(
			`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"send_mail","arguments":""}}]}`,
			"null",
		)
		args := `{"to":"` + shown + `","cc":["` + shown + `"],"subject":"hi"}`
		for len(args) > 0 {
			n := min(3, len(args))
			piece, _ := json.Marshal(args[:n])
			say(`{"tool_calls":[{"index":0,"function":{"arguments":`+string(piece)+`}}]}`, "null")
			args = args[n:]
		}
		say(`{}`, `"tool_calls"`)
	}
	_, _ = io.WriteString(
		w,
		`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`+"\n\ndata: [DONE]\n\n",
	)
}

// A whole session: the model calls a tool with the client's own address, and the client
// runs it and tells the result. The provider never sees the address.
func TestAClientsOwnAddressComesBackInTheArgumentsOfAStreamedCall(t *testing.T) {
	m := new(mailer)
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	c, _ := official(serve(t, srv.URL), gatewayKey)
	p := openai.ChatCompletionNewParams{
		Model:    "gpt-4o",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Write to me at " + ownAddress)},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "send_mail", Parameters: shared.FunctionParameters{"type": "object"},
		})},
	}
	first := readStream(t, &c, p)
	require.Len(t, first.Choices[0].Message.ToolCalls, 1)
	call := first.Choices[0].Message.ToolCalls[0]
	var args struct {
		To string
		Cc []string
	}
	require.NoError(t, json.Unmarshal([]byte(call.Function.Arguments), &args))
	assert.Equal(t, ownAddress, args.To)
	assert.Equal(t, []string{ownAddress}, args.Cc)

	p.Messages = append(p.Messages, first.Choices[0].Message.ToParam(), openai.ToolMessage("delivered to "+args.To, call.ID))
	assert.Equal(t, "Sent to "+ownAddress+".", readStream(t, &c, p).Choices[0].Message.Content)

	m.mu.Lock()
	defer m.mu.Unlock()
	require.Len(t, m.seen, 2)
	tokens := map[string]bool{}
	for _, body := range m.seen {
		assert.NotContains(t, body, ownAddress)
		assert.NotContains(t, body, "example.com")
		for _, tok := range addressToken.FindAllString(body, -1) {
			tokens[tok] = true
		}
	}
	assert.Len(t, tokens, 1, "one value has one placeholder, in every turn")
}
