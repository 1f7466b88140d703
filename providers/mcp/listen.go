package mcp

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// DefaultListenIdle is how long a stream of notifications may be silent, unless a call may be silent for longer.
const DefaultListenIdle = 30 * time.Minute

// CanListen reports that servers over HTTP can be listened to. Whether one has anything to say is in its capabilities.
func (caller) CanListen() bool { return true }

// Listen opens a stream of notifications: by a request in the modern era, and of the session in the legacy era.
func (c caller) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	sent := *m
	sent.Endless = true
	if m.Call.Era == mcp.Modern {
		return c.Send(ctx, &sent)
	}
	a, err := c.Server.listen(ctx, &sent)
	if err != nil {
		return nil, err
	}
	return reply{a}, nil
}

// listen opens the stream of a legacy session (specification 2025-11-25, "Listening for Messages from the Server").
func (v *Server) listen(ctx context.Context, m *Message) (*Answer, error) {
	if m.Session != "" && !isSession(m.Session) {
		return nil, ErrSession
	}
	a := &Answer{server: v, message: m, left: v.set.MaxAnswer, session: m.Session, listens: true}
	resp, err := v.client.Do(a.newCancelable(ctx), v.buildStreamRequest(m, m.Session))
	if err == nil {
		if err = a.readHead(resp); err == nil {
			return a, nil
		}
		_ = a.Close()
		return nil, err
	}
	a.cancel()
	return nil, err
}

// buildStreamRequest makes the request of a stream of a legacy session: one that is resumed, or the session's own.
func (v *Server) buildStreamRequest(m *Message, session string) *upstream.Request {
	r := v.buildRequest(m)
	r.Method, r.Body = "GET", nil
	kept := r.Header[:0]
	for _, f := range r.Header {
		switch f.Name {
		case "Content-Type", mcp.HeaderSession:
		case "Accept":
			kept = append(kept, upstream.Field{Name: f.Name, Value: "text/event-stream"})
		default:
			kept = append(kept, f)
		}
	}
	if r.Header = kept; session != "" {
		r.Header = append(r.Header, upstream.Field{Name: mcp.HeaderSession, Value: session})
	}
	return r
}
