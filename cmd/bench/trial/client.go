package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// lockedBuffer collects what a process writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}

// tail returns the last of what was written.
func (b *lockedBuffer) tail() string {
	text := b.bytes()
	return string(text[max(0, len(text)-1000):])
}

// buildChat returns the body of a chat request. The text may name the request, for a provider that counts.
func buildChat(text string, streamed bool) string {
	stream := ""
	if streamed {
		stream = `"stream":true,`
	}
	return `{"model":"m",` + stream + `"messages":[{"role":"user","content":"` + text + `"}]}`
}

// counts are the results of many requests.
type counts struct {
	acknowledged, refused, lost atomic.Int64
	first                       atomic.Pointer[string] // the first refusal or loss
}

// add counts a result of ask.
func (c *counts) add(status int, answer string, err error) {
	switch {
	case err == nil && status == http.StatusOK:
		c.acknowledged.Add(1)
		return
	case err != nil:
		answer = err.Error()
		c.lost.Add(1)
	default:
		c.refused.Add(1)
	}
	answer = strconv.Itoa(status) + " " + answer
	c.first.CompareAndSwap(nil, &answer)
}

// fill writes the counts to a row.
func (c *counts) fill(r *row) {
	r.acknowledged, r.refused, r.lost = int(c.acknowledged.Load()), int(c.refused.Load()), int(c.lost.Load())
	if first := c.first.Load(); first != nil {
		r.note = "first of those not answered: " + *first
	}
}

// sendChat sends a request with a key and reads the whole answer.
func sendChat(ctx context.Context, c *http.Client, url, key, body string) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// sendWithoutReading sends a request and reads nothing of the answer. Close the connection to hang up.
func sendWithoutReading(ctx context.Context, g *gateway, key, body string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", g.addr())
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return c, req.Write(c)
}

// provider is a server that answers with handle.
type provider struct {
	url string
	srv *http.Server
}

// startProvider starts a provider.
func startProvider(handle http.HandlerFunc) (*provider, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &provider{url: "http://" + l.Addr().String(), srv: &http.Server{Handler: handle}} // on loopback, for a trial
	go func() { _ = p.srv.Serve(l) }()
	return p, nil
}

func (p *provider) close() { _ = p.srv.Close() }

// buildAnswer returns a whole chat answer with a text.
func buildAnswer(text string) string {
	return `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"` + text +
		`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
}

// writeAnswer writes a whole answer.
func writeAnswer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text) // the gateway may have hung up
}

// buildAnswerChunk returns an event of a streamed chat answer.
func buildAnswerChunk(text string) string {
	return `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + text +
		`"},"finish_reason":null}]}` + "\n\n"
}
