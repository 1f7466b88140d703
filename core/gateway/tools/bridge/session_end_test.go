package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
)

// endedServer is a legacy server that notes for which user a session ends.
type endedServer struct {
	oldServer
	greets  func()      // runs before a session opens
	refuses error       // what the notice that a session is open ends with
	ends    chan string // sessions with their users
}

func (o *endedServer) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	switch {
	case m.Call.Method == mcp.MethodInitialize && o.greets != nil:
		o.greets()
	case m.Call.Method == mcp.NoticeInitialized && o.refuses != nil:
		return nil, o.refuses
	}
	return o.oldServer.Send(ctx, m)
}

func (o *endedServer) End(ctx context.Context, session, _ string) error {
	o.ends <- session + " of " + tools.FindUser(ctx).Token
	return ctx.Err()
}

func openEnded(t *testing.T) (*endedServer, *tools.Server, context.Context) {
	t.Helper()
	o := &endedServer{ends: make(chan string, 64)}
	s := &tools.Server{Name: "old", Upstream: o, Era: mcp.Legacy, Sessions: plainBox{}}
	bridge.Attach(s, bridge.NewMemory())
	return o, s, tools.WithUser(t.Context(), tools.User{Token: "ann"})
}

func listenTo(ctx context.Context, s *tools.Server) (tools.Answer, error) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`)
	call := &mcp.Call{Form: mcp.Request, Era: mcp.Modern, Method: mcp.MethodListen, ID: []byte("1")}
	return s.ForModern.(tools.Listener).Listen(ctx, &tools.Message{Call: call, Body: body})
}

func TestASessionThatAClientHasLeftWhileItOpenedIsEndedAtTheServer(t *testing.T) {
	o, s, ctx := openEnded(t)
	ctx, hangUp := context.WithCancel(ctx)
	release := make(chan struct{})
	o.greets = func() { hangUp(); <-release }
	_, err := listenTo(ctx, s)
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	assert.Equal(t, "s1 of ann", <-o.ends)
}

func TestASessionThatTheServerOpensAndThenRefusesIsEndedThere(t *testing.T) {
	o, s, ctx := openEnded(t)
	o.refuses = errors.New("away")
	_, err := listenTo(ctx, s)
	require.ErrorIs(t, err, o.refuses)
	assert.Equal(t, "s1 of ann", <-o.ends)
	_, err = s.ForModern.Send(ctx, callOld(t, &core.Principal{Tenant: "a"}, "client", ""))
	require.ErrorIs(t, err, o.refuses)
	assert.Equal(t, "s2 of ann", <-o.ends)
}

func TestSessionsEndAtTheServerOnBehalfOfTheUserWhoOpenedThem(t *testing.T) {
	o, s, ctx := openEnded(t)
	inner, hangUp := context.WithCancel(ctx)
	a, err := listenTo(inner, s)
	require.NoError(t, err)
	hangUp()
	require.NoError(t, a.Close())
	assert.Equal(t, "s1 of ann", <-o.ends)
	for i := range 33 {
		a, err := s.ForModern.Send(ctx, callOld(t, &core.Principal{Tenant: "a"}, fmt.Sprint("client-", i), ""))
		require.NoError(t, err)
		require.NoError(t, a.Close())
	}
	assert.Equal(t, "s2 of ann", <-o.ends, "the oldest makes room")
}
