package proxy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// judgeRefusal checks that a refusal says what to change, in the client's own shape.
func (c *cell) judgeRefusal(t *testing.T) verdict {
	e := c.shape.problem(t, c.got.body, c.got.status)
	if !assert.Equal(t, http.StatusBadRequest, c.got.status) {
		return wrong
	}
	switch c.shape.dialect {
	case "generate":
		assert.Equal(t, "INVALID_ARGUMENT", e.kind)
	default:
		assert.Equal(t, "invalid_request_error", e.kind)
	}
	if c.shape.dialect != "generate" && c.shape.dialect != "messages" && c.shape.calls {
		assert.Equal(t, "unsupported_parameter", e.code)
	}
	if c.shape.calls { // refused because of the provider
		assert.Contains(t, e.message, c.p.Label())
	}
	return refused
}

const reasonOf429 = "Rate limit reached for requests"

// judgeError checks that the provider's error has its status, its reason and the client's shape.
func (c *cell) judgeError(t *testing.T) verdict {
	status, reason := http.StatusTooManyRequests, reasonOf429
	if c.feature == "early" && statusless[c.asked.wire] {
		status, reason = http.StatusInternalServerError, "" // reported as a provider failure
	}
	if c.vendor.name == "mock" && c.feature == "error" {
		reason = "this is the error 429 that was asked for"
	}
	e := c.shape.problem(t, c.got.body, c.got.status)
	ok := assert.Equal(t, status, c.got.status) && assert.Contains(t, e.message, c.p.Label()+" API error") &&
		assert.Contains(t, e.message, reason)
	if c.feature == "error" {
		ok = assert.Equal(t, "1", c.got.header.Get("Retry-After")) && ok
	}
	switch {
	case !ok:
		return wrong
	case c.ownWire():
		return native
	}
	return translated
}

// statusless are the wires whose errors in a stream carry no status.
var statusless = map[string]bool{"cohere.chat": true, "ollama.chat": true}
