package mcp

import (
	"context"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// Upstream returns the server as the data plane calls it.
func (v *Server) Upstream() tools.Upstream { return caller{v} }

// caller is a server behind the data plane's interface.
type caller struct{ *Server }

// Send sends a message.
func (c caller) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	a, err := c.Server.Send(ctx, m)
	if err != nil {
		return nil, err
	}
	return reply{a}, nil
}

// reply is an answer behind the data plane's interface.
type reply struct{ *Answer }

// Head returns what is known before the messages.
func (r reply) Head() tools.Head {
	return tools.Head{Status: r.Status, Accepted: r.Accepted, Streamed: r.Streamed, Session: r.Session()}
}

// Next returns the next message.
func (r reply) Next(ctx context.Context, isResponse func(data []byte) (bool, error)) ([]byte, error) {
	data, _, err := r.Answer.Next(ctx, isResponse)
	return data, err
}
