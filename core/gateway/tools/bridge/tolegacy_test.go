package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
)

// plainBox seals nothing, but knows what it was sealed for.
type plainBox struct{}

func (plainBox) Seal(plain []byte, context string) []byte {
	return append([]byte(context+"\x01"), plain...)
}

func (plainBox) Open(sealed []byte, context string) ([]byte, error) {
	plain, ok := bytes.CutPrefix(sealed, []byte(context+"\x01"))
	if !ok {
		return nil, errors.New("sealed for another")
	}
	return plain, nil
}

// oldServer is a legacy server that asks the user a name in each call of a tool, and answers when it is told one.
type oldServer struct {
	mu     sync.Mutex
	opened int
	ended  []string
	calls  []context.Context
}

func (o *oldServer) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case m.Call.Form != mcp.Request:
		return &lines{head: tools.Head{Status: 202, Accepted: true}}, nil
	case m.Call.Method == mcp.MethodInitialize:
		o.opened++
		greeting := `{"jsonrpc":"2.0","id":` + string(m.Call.ID) +
			`,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}`
		return &lines{head: tools.Head{Status: 200, Session: "s" + strconv.Itoa(o.opened)}, of: []string{greeting}}, nil
	}
	o.calls = append(o.calls, ctx)
	return &lines{head: tools.Head{Status: 200, Streamed: true}, of: []string{
		`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"who?"}}`,
		`{"jsonrpc":"2.0","id":` + string(m.Call.ID) + `,"result":{"content":[{"type":"text","text":"hello"}]}}`,
	}}, nil
}

func (o *oldServer) End(_ context.Context, session, _ string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = append(o.ended, session)
	return nil
}

func (*oldServer) Probe(context.Context) (mcp.Era, error) { return mcp.Legacy, nil }

// lines is an answer of several messages.
type lines struct {
	head tools.Head
	of   []string
}

func (l *lines) Head() tools.Head { return l.head }

func (l *lines) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(l.of) == 0 {
		return nil, io.EOF
	}
	data := []byte(l.of[0])
	l.of = l.of[1:]
	_, err := isResponse(data)
	return data, err
}

func (*lines) Close() error { return nil }

// openOld returns a legacy server for modern clients.
func openOld() (*oldServer, *tools.Server) {
	o := &oldServer{}
	s := &tools.Server{Name: "old", Upstream: o, Era: mcp.Legacy, Sessions: plainBox{}}
	bridge.Attach(s, bridge.NewMemory())
	return o, s
}

// callOld is a call of a tool by a modern client that can be asked, with more members of its params.
func callOld(t *testing.T, p *core.Principal, client, more string) *tools.Message {
	t.Helper()
	x, call := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw = []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"` + client + `","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}` + more + `}}`)
	x.Request.Header = map[string][]string{
		mcp.HeaderVersion: {mcp.ModernVersion}, mcp.HeaderMethod: {mcp.MethodCallTool}, mcp.HeaderName: {"greet"},
	}
	require.Nil(t, call.Scan(x))
	return &tools.Message{Call: call, Body: x.Request.Raw, Principal: p}
}

func nextOf(t *testing.T, a tools.Answer) string {
	t.Helper()
	data, err := a.Next(t.Context(), func([]byte) (bool, error) { return true, nil })
	require.NoError(t, err)
	return string(data)
}

// askOld calls a tool until the server's question, and returns what the client adds to answer it.
func askOld(t *testing.T, s *tools.Server, p *core.Principal, client string) (first tools.Answer, more string) {
	t.Helper()
	m := callOld(t, p, client, "")
	first, err := s.ForModern.Send(t.Context(), m)
	require.NoError(t, err)
	for i := range m.Body { // the body belongs to the exchange, and to another one later
		m.Body[i] = 'x'
	}
	body := nextOf(t, first)
	require.Contains(t, body, `"resultType":"input_required"`)
	_, state, _ := strings.Cut(body, `"requestState":"`)
	state, _, _ = strings.Cut(state, `"`)
	return first, `,"requestState":"` + state + `","inputResponses":{"ask":{"action":"accept","content":{"name":"Jo"}}}`
}

var someone = &core.Principal{Tenant: "acme", KeyID: "k1"}

func TestACallThatGoesOnIsNotEndedByTheExchangeThatBeganIt(t *testing.T) {
	o, s := openOld()
	first, more := askOld(t, s, someone, "c")
	second, err := s.ForModern.Send(t.Context(), callOld(t, someone, "c", more))
	require.NoError(t, err)
	closed := make(chan error)
	go func() { closed <- first.Close() }() // while the second goes on
	assert.Contains(t, nextOf(t, second), "hello")
	require.NoError(t, <-closed)
	require.NoError(t, second.Close())
	_, err = first.Next(t.Context(), nil)
	assert.ErrorIs(t, err, io.EOF)
	assert.Len(t, o.calls, 1)
}

func TestAHangUpEndsACallThatGoesOn(t *testing.T) {
	o, s := openOld()
	first, more := askOld(t, s, someone, "c")
	require.NoError(t, first.Close())
	require.NoError(t, o.calls[0].Err(), "it waits")
	ctx, hangUp := context.WithCancel(t.Context())
	second, err := s.ForModern.Send(ctx, callOld(t, someone, "c", more))
	require.NoError(t, err)
	require.NoError(t, o.calls[0].Err())
	hangUp()
	<-o.calls[0].Done()
	require.NoError(t, second.Close())
}

func TestAClientThatOpensManySessionsEndsItsOwnAlone(t *testing.T) {
	o, s := openOld()
	call := func(p *core.Principal, client string) tools.Answer {
		a, err := s.ForModern.Send(t.Context(), callOld(t, p, client, ""))
		require.NoError(t, err)
		return a
	}
	victim := &core.Principal{Tenant: "other", KeyID: "k2"}
	require.NoError(t, call(victim, "c").Close()) // idle, and the oldest of all
	busy := call(someone, "busy")
	for i := range 40 {
		require.NoError(t, call(someone, strconv.Itoa(i)).Close())
	}
	opened := o.opened
	require.NoError(t, call(victim, "c").Close())
	require.NoError(t, call(someone, "busy").Close())
	assert.Equal(t, opened, o.opened, "both sessions are still open")
	assert.Contains(t, nextOf(t, busy), "who?")
	require.NoError(t, busy.Close())
	require.NoError(t, call(someone, "0").Close())
	assert.Equal(t, opened+1, o.opened, "its oldest idle one was ended")
}

func TestSessionsInUseAreRefusedBeyondTheShareOfATenant(t *testing.T) {
	_, s := openOld()
	for i := range 256 {
		_, err := s.ForModern.Send(t.Context(), callOld(t, someone, strconv.Itoa(i), ""))
		require.NoError(t, err)
	}
	_, err := s.ForModern.Send(t.Context(), callOld(t, someone, "more", ""))
	assert.ErrorContains(t, err, "too many sessions")
	a, err := s.ForModern.Send(t.Context(), callOld(t, &core.Principal{Tenant: "other", KeyID: "k2"}, "c", ""))
	require.NoError(t, err)
	require.NoError(t, a.Close())
}

func TestCallsOfATenantThatWaitAreBounded(t *testing.T) {
	_, s := openOld()
	for i := range 256 {
		askOld(t, s, &core.Principal{Tenant: "acme", KeyID: strconv.Itoa(i / 32)}, "c")
	}
	a, err := s.ForModern.Send(t.Context(), callOld(t, &core.Principal{Tenant: "acme", KeyID: "another"}, "c", ""))
	require.NoError(t, err)
	_, err = a.Next(t.Context(), func([]byte) (bool, error) { return true, nil })
	assert.ErrorContains(t, err, "too many calls wait")
	require.NoError(t, a.Close())
	askOld(t, s, &core.Principal{Tenant: "other", KeyID: "k"}, "c")
}
