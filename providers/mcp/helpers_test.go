package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

const (
	pong      = `{"jsonrpc":"2.0","id":1,"result":{}}`
	progress  = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
	ping      = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	getPrompt = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"grüße","_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// serve starts a server with a handler, and returns a client for it.
func serve(t *testing.T, s Settings, handle http.HandlerFunc) *Server {
	t.Helper()
	peer := httptest.NewServer(handle)
	t.Cleanup(peer.Close)
	s.URL, s.AllowPrivate = peer.URL+"/mcp", true
	v, err := New(s)
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	return v
}

// message reads a message as a client would have sent it.
func message(t *testing.T, body string) *Message {
	t.Helper()
	x, c := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw, x.Request.Header = []byte(body), http.Header{}
	if body == getPrompt {
		x.Request.Header = http.Header{
			mcp.HeaderVersion: {mcp.ModernVersion}, mcp.HeaderMethod: {mcp.MethodGetPrompt}, mcp.HeaderName: {mcp.EncodeHeader("grüße")},
		}
	}
	e := c.Scan(x)
	require.Nil(t, e)
	return &Message{Call: c, Body: x.Request.Raw}
}

// readAnswer sends a message and returns all messages of its answer.
func readAnswer(ctx context.Context, v *Server, m *Message) (messages []string, a *Answer, err error) {
	if a, err = v.Send(ctx, m); err != nil {
		return nil, nil, err
	}
	defer func() { _ = a.Close() }()
	x := &core.Exchange{}
	for {
		data, _, err := a.Next(ctx, func(data []byte) (bool, error) {
			form, err := m.Call.ReadForm(x, data)
			return form.IsResponse(), err
		})
		if errors.Is(err, io.EOF) {
			return messages, a, nil
		}
		if err != nil {
			return messages, a, err
		}
		messages = append(messages, string(data))
	}
}

// write answers with a type and a body.
func write(w http.ResponseWriter, typ, body string) {
	w.Header().Set("Content-Type", typ)
	_, _ = io.WriteString(w, body)
	_ = http.NewResponseController(w).Flush()
}

const events = "text/event-stream"

// resolver gives the same addresses for each name.
type resolver []string

func (r resolver) LookupNetIP(context.Context, string, string) (ips []netip.Addr, err error) {
	for _, s := range r {
		ips = append(ips, netip.MustParseAddr(s))
	}
	return ips, nil
}
