package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// client sends requests to one gateway with one key over its own connections.
type client struct {
	base, key string
	http      *http.Client
}

func (g *gate) client(key string) *client {
	return &client{"http://" + g.addr, key, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: patience}}
}

// answer is the response of the gateway.
type answer struct {
	status int
	body   string
	header http.Header
}

// code returns the error code of an answer.
func (a answer) code() string {
	var e struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal([]byte(a.body), &e) // an answer without an error has no code
	return e.Error.Code
}

// content returns the text of a chat answer.
func (a answer) content() string {
	var r struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	if json.Unmarshal([]byte(a.body), &r) != nil || len(r.Choices) == 0 {
		return ""
	}
	return r.Choices[0].Message.Content
}

func (c *client) do(method, path string, body []byte) (a answer, err error) {
	r, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Server-Timing", "1")
	res, err := c.http.Do(r)
	if err != nil {
		return a, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, string(b), res.Header}, err
}

func chatBody(model, text string) []byte {
	b, _ := json.Marshal(
		map[string]any{"model": model, "messages": []any{map[string]any{"role": "user", "content": text}}},
	) // plain values always marshal
	return b
}

// try sends a chat message.
func (c *client) try(model, text string) (answer, error) {
	return c.do("POST", "/v1/chat/completions", chatBody(model, text))
}

// chat sends a chat message, and requires that the network works.
func (c *client) chat(t *testing.T, model, text string) answer {
	t.Helper()
	a, err := c.try(model, text)
	require.NoError(t, err)
	return a
}

// checkEcho sends a text through a model that echoes, and returns an error if it does not come back.
func (c *client) checkEcho(model, text string) error {
	a, err := c.try(model, text)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusOK:
		return fmt.Errorf("status %d: %s", a.status, a.body)
	case a.content() != text:
		return fmt.Errorf("sent %q, got %q", text, a.content())
	}
	return nil
}
