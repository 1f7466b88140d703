package bridge_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
)

// streamingServer is a modern server that counts the streams which are open, and agrees to all that they ask for.
type streamingServer struct {
	tools.Upstream
	mu         sync.Mutex
	open, most int
}

func (*streamingServer) CanListen() bool { return true }

func (s *streamingServer) Listen(_ context.Context, m *tools.Message) (tools.Answer, error) {
	var scan splice.Scanner
	sub, e := mcp.ReadSubscription(&scan, m.Body)
	if e != nil {
		return nil, e
	}
	s.count(1)
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":` + string(sub.Append(nil)) + `}}`
	return &openStream{server: s, lines: lines{head: tools.Head{Status: 200, Streamed: true}, of: []string{ack}}}, nil
}

func (s *streamingServer) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	s.most = max(s.most, s.open)
}

// openStream is an answer without an end.
type openStream struct {
	lines

	server *streamingServer
}

func (o *openStream) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	if len(o.of) > 0 {
		return o.lines.Next(ctx, isResponse)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (o *openStream) Close() error {
	o.server.count(-1)
	return nil
}

// growingFeed is a list of resources that a test adds to.
type growingFeed struct {
	mu        sync.Mutex
	uris      []string
	changed   chan struct{}
	confirmed map[string]bool
}

func (f *growingFeed) List() ([]string, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.uris...), f.changed
}

func (f *growingFeed) Confirm(uri string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.confirmed[uri] = true
}

func (f *growingFeed) set(uris ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uris = uris
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *growingFeed) isConfirmed(uri string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.confirmed[uri]
}

func TestALegacyClientHasFewStreamsAtAModernServerHoweverOftenItSubscribes(t *testing.T) {
	up := &streamingServer{}
	s := &tools.Server{Name: "new", Upstream: up, Era: mcp.Modern, Sessions: plainBox{}}
	bridge.Attach(s, bridge.NewMemory())
	feed := &growingFeed{uris: []string{"file:///first"}, changed: make(chan struct{}), confirmed: map[string]bool{}}
	a, err := s.ForLegacy.(tools.Listener).Listen(t.Context(), &tools.Message{Call: &mcp.Call{Era: mcp.Legacy}, Feed: feed})
	require.NoError(t, err)
	assert.True(t, feed.isConfirmed("file:///first"))
	all := []string{"file:///first"}
	for i := range 40 {
		uri := fmt.Sprint("file:///later/", i)
		all = append(all, uri)
		feed.set(all...)
		require.Eventually(t, func() bool { return feed.isConfirmed(uri) }, 10*time.Second, time.Millisecond)
	}
	up.mu.Lock()
	assert.LessOrEqual(t, up.most, 4, "one that is replaced may still be closing")
	up.mu.Unlock()
	feed.set("file:///first")
	require.Eventually(t, func() bool {
		up.mu.Lock()
		defer up.mu.Unlock()
		return up.open == 1
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, a.Close())
	assert.Zero(t, up.open)
}
