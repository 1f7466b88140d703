package wasm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// findHTTPStatus returns the status of the answer as the guest sees it.
func (c *talk) findHTTPStatus(i *instance) int {
	switch m := &i.http.message; {
	case m.status != 0:
		return m.status
	case c.phase == abi.PhaseResponse && c.x.Response.Status != 0:
		return c.x.Response.Status
	}
	return http.StatusOK
}

func handleSetStatus(c *talk, i *instance, stack []uint64) {
	status := int(uint32(stack[0]))
	if status < 200 || status > 599 {
		endWithBreach("it set a status that no answer can have")
	}
	if c.phase == abi.PhaseResponse && !i.http.message.buffersResponse() {
		endWithBreach("it set the status of an answer that it does not buffer: enable buffer_response")
	}
	i.http.message.status = status
}

// passHTTPRequest records what a guest has done that lets a request pass.
func (c *talk) passHTTPRequest(i *instance) {
	m := &i.http.message
	if m.status != 0 || m.wrote[httpwasm.Response] {
		endWithBreach("it wrote an answer and let the request pass; return next=0 with an answer")
	}
	c.addHTTPHeader(m)
	m.kept.sent = m.header
	if m.wrote[httpwasm.Request] {
		c.applyHTTPBody(i, httpwasm.Request)
	}
}

// answerHTTPRequest records the answer of a guest that does not let a request pass: an error, or a reply in the shape of the client.
func (c *talk) answerHTTPRequest(i *instance) {
	m := &i.http.message
	c.addHTTPHeader(m)
	body := m.written[httpwasm.Response]
	switch status := c.findHTTPStatus(i); {
	case status >= http.StatusBadRequest:
		c.refuseHTTP(m, status)
	case status != http.StatusOK:
		endWithBreach("it answers with a status that is neither 200 nor an error")
	case len(body) == 0:
		endWithBreach("it answers with nothing: return next=1 to let a request pass")
	case m.holdsJSON():
		if c.s.services.Reply == nil {
			endWithBreach("it responded with a body where nothing can check one")
		}
		c.more.body = body
		c.setAction(core.Answer)
	default:
		if len(body) > abi.MaxAnswer || !utf8.Valid(body) || c.s.answer == nil {
			endWithBreach("it responds with a text that is too long or not UTF-8, or where nothing can make an answer of a text")
		}
		c.reply = string(body)
		c.setAction(core.Answer)
	}
}

// holdsJSON reports whether the guest's answer is a body rather than a text. Its type decides, if the guest has set one.
func (m *httpMessage) holdsJSON() bool {
	k := slices.IndexFunc(m.header, func(f core.Field) bool { return f.Name == headerContentType })
	if k >= 0 {
		return strings.Contains(m.header[k].Value, "json") || strings.Contains(m.header[k].Value, "event-stream")
	}
	b := bytes.TrimSpace(m.written[httpwasm.Response])
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// passHTTPResponse records what a guest has done with an answer.
func (c *talk) passHTTPResponse(i *instance) {
	m := &i.http.message
	c.addHTTPHeader(m)
	current := c.x.Response.Status
	if current == 0 {
		current = http.StatusOK
	}
	if m.status != 0 && m.status != current {
		if m.status < http.StatusBadRequest {
			endWithBreach("it changes the status of an answer to one that is not an error")
		}
		c.refuseHTTP(m, m.status)
		return
	}
	if m.wrote[httpwasm.Response] {
		if !m.buffersResponse() {
			endWithBreach("it wrote the body of an answer that it does not buffer: enable buffer_response")
		}
		c.applyHTTPBody(i, httpwasm.Response)
	}
}

// httpCodes are the codes of refusals by their status.
var httpCodes = map[int]struct {
	kind core.Kind
	code string
}{
	http.StatusUnauthorized:          {core.Unauthenticated, core.CodeUnauthorized},
	http.StatusForbidden:             {core.Forbidden, core.CodePolicyDenied},
	http.StatusNotFound:              {core.NotFound, core.CodeNotFound},
	http.StatusRequestEntityTooLarge: {core.TooLarge, core.CodeTooLarge},
	http.StatusTooManyRequests:       {core.RateLimited, core.CodeRateLimit},
	http.StatusServiceUnavailable:    {core.Unavailable, core.CodeOverloaded},
}

// refuseHTTP blocks the exchange with a status. The guest's answer is the message of the error.
func (c *talk) refuseHTTP(m *httpMessage, status int) {
	c.setAction(core.Block)
	c.refusal = c.newRefusal("", readHTTPMessage(m.written[httpwasm.Response]), 0, false)
	if known, ok := httpCodes[status]; ok {
		c.refusal.Kind, c.refusal.Code = known.kind, known.code
	}
	c.refusal.Status = status
	c.header = slices.DeleteFunc(c.header, func(f core.Field) bool {
		if f.Name != "Retry-After" {
			return false
		}
		if n, err := strconv.ParseUint(f.Value, 10, 31); err == nil {
			c.refusal.RetryAfter = time.Duration(n) * time.Second
		}
		return true
	})
}

// readHTTPMessage returns the text of an answer that is an error: of JSON, the member message or error, or that of error.
func readHTTPMessage(body []byte) string {
	var doc struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return string(body[:min(len(body), abi.MaxMessage)])
	}
	if text := ""; doc.Message == "" && json.Unmarshal(doc.Error, &text) == nil {
		return text
	}
	if doc.Message == "" {
		_ = json.Unmarshal(doc.Error, &doc) // leaves it empty if there is none
	}
	return doc.Message
}

// setHTTPModel records the model that a guest has written into the request.
func (c *talk) setHTTPModel(name string) {
	if len(name) > abi.MaxModel || !isPlainText([]byte(name)) {
		endWithBreach("the name of a model is empty, too long, or no plain text")
	}
	c.patch.Model = foreign.FindPatchedModel(c.x, name)
}
