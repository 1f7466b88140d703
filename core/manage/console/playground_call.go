package console

import (
	"encoding/json"
	"net/http"

	"github.com/headgate-dev/headgate/core/gateway/proxy"
)

// playCall is one call of the gateway whose answer is kept whole.
type playCall struct {
	request *http.Request
	grant   proxy.Grant
	answer  *responseRecorder
	panics  any // the value of a panic of the gateway
}

// run makes the call. It keeps a panic for read, since it may run in a goroutine of its own, where a panic ends the process.
func (c *playCall) run(p Playground) {
	defer func() { c.panics = recover() }()
	p.ServeGrant(c.answer, c.request, c.grant)
}

// readTrace returns the trace id of the exchange, or "" if the gateway did not send one.
func (c *playCall) readTrace() string { return c.answer.sent.Get("X-Trace-Id") }

// read returns the text of the answer, or its error. It panics if the gateway did, unless it cut off an incomplete answer.
func (c *playCall) read() (text, failed string) {
	switch c.panics {
	case nil:
		return readAnswer(c.answer.body.Bytes())
	case http.ErrAbortHandler:
		return "", "The answer of the provider is incomplete."
	}
	panic(c.panics)
}

// readAnswer returns the text of a chat completion, or its error.
func readAnswer(body []byte) (text, failed string) {
	var answer struct {
		Choices []struct {
			Message struct {
				Content   *string         `json:"content"`
				ToolCalls json.RawMessage `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil:
		return "", "The answer cannot be parsed."
	case answer.Error != nil:
		return "", capitalizeSentence(answer.Error.Message)
	case len(answer.Choices) == 0:
		return "", "The answer is empty."
	}
	m := answer.Choices[0].Message
	if m.Content != nil {
		return *m.Content, ""
	}
	return string(m.ToolCalls), ""
}
