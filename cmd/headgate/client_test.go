package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client talks to one gateway with one key over connections of its own.
type client struct {
	base, key string
	http      *http.Client
}

func (g *gate) client(key string) *client {
	return &client{"http://" + g.addr, key, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: patience}}
}

// answer is what came back.
type answer struct {
	status int
	body   string
	header http.Header
}

// code is the error code of an answer.
func (a answer) code() string {
	var e struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal([]byte(a.body), &e) // what is no error has no code
	return e.Error.Code
}

// content is the text of a chat answer.
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
	b, _ := json.Marshal(map[string]any{"model": model, "messages": []any{map[string]any{"role": "user", "content": text}}}) // plain values always marshal
	return b
}

// try sends a chat message.
func (c *client) try(model, text string) (answer, error) {
	return c.do("POST", "/v1/chat/completions", chatBody(model, text))
}

// chat sends a chat message, and the network must do its part.
func (c *client) chat(t *testing.T, model, text string) answer {
	t.Helper()
	a, err := c.try(model, text)
	require.NoError(t, err)
	return a
}

// restored sends a text through a model that echoes and says what was wrong.
func (c *client) restored(model, text string) error {
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

// traffic is a number of clients that send, each on its own connection.
type traffic struct {
	t    *testing.T
	sent atomic.Int64
	stop chan struct{}
	all  sync.WaitGroup
	errs chan error
	once sync.Once
}

// traffic begins to send. Every exchange must succeed.
func (g *gate) traffic(clients int, pause time.Duration, model string) *traffic {
	tr := &traffic{t: g.t, stop: make(chan struct{}), errs: make(chan error, clients)}
	for i := range clients {
		c := g.client(testKey)
		tr.all.Add(1)
		go func() {
			defer tr.all.Done()
			defer c.http.CloseIdleConnections()
			for n := 0; ; n++ {
				select {
				case <-tr.stop:
					return
				case <-time.After(pause):
				}
				if err := c.restored(model, fmt.Sprintf("client %d, message %d, card %s, badge EMP-%06d", i, n, card, n)); err != nil {
					tr.errs <- err
					return
				}
				tr.sent.Add(1)
			}
		}()
	}
	g.t.Cleanup(func() { tr.end() })
	return tr
}

func (tr *traffic) end() {
	tr.once.Do(func() { close(tr.stop) })
	tr.all.Wait()
}

// unharmed ends the traffic; nothing of it may have failed.
func (tr *traffic) unharmed() {
	tr.t.Helper()
	tr.end()
	select {
	case err := <-tr.errs:
		require.NoError(tr.t, err)
	default:
	}
	require.Positive(tr.t, tr.sent.Load())
}

// more waits until so many more exchanges were served.
func (tr *traffic) more(n int64) {
	tr.t.Helper()
	from := tr.sent.Load()
	eventually(tr.t, "traffic goes on", func() bool {
		select {
		case err := <-tr.errs:
			require.NoError(tr.t, err)
		default:
		}
		return tr.sent.Load() >= from+n
	})
}

// state is the part of the status document that tests look at.
type state struct {
	Status   string
	Warnings []string
	Chain    []struct{ Name string }
	Plugins  []struct{ File, Name, Digest string }
}

func (s state) links() (names []string) {
	for _, l := range s.Chain {
		names = append(names, l.Name)
	}
	return names
}

// digest is that of the file in force; empty: it is not in force.
func (s state) digest(file string) string {
	for _, p := range s.Plugins {
		if p.File == file {
			return p.Digest
		}
	}
	return ""
}

func (s state) warned(parts ...string) bool {
	for _, w := range s.Warnings {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(w, p)
		}
		if all {
			return true
		}
	}
	return false
}

func (g *gate) status() (s state) {
	g.t.Helper()
	c := g.client(testKey)
	defer c.http.CloseIdleConnections() // each would hold goroutines of the gateway
	a, err := c.do("GET", "/status", nil)
	require.NoError(g.t, err)
	require.Equal(g.t, http.StatusOK, a.status)
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &s))
	return s
}

// metric sums the samples of a metric that have all the labels, each name="value".
func (g *gate) metric(name string, labels ...string) (sum float64) {
	g.t.Helper()
	c := g.client("")
	c.base = "http://" + g.metrics
	defer c.http.CloseIdleConnections()
	a, err := c.do("GET", "/metrics", nil)
	require.NoError(g.t, err)
	for line := range strings.Lines(a.body) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || series != name && !strings.HasPrefix(series, name+"{") {
			continue
		}
		fits := true
		for _, l := range labels {
			fits = fits && strings.Contains(series, l)
		}
		if fits {
			v, err := strconv.ParseFloat(value, 64)
			require.NoError(g.t, err)
			sum += v
		}
	}
	return sum
}
