package downstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// reportStates makes s report the state of each connection to its client.
func reportStates(s *http.Server) {
	s.ConnState = func(nc net.Conn, state http.ConnState) {
		cl := clientOf(nc)
		if cl == nil {
			return
		}
		switch state {
		case http.StateIdle:
			cl.wait(forRequest)
			cl.hangup.ResetBody()
		case http.StateActive, http.StateHijacked:
			cl.wait(forNothing)
		}
	}
	s.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		// Over TLS a client can close the TLS session and keep the socket open.
		if c, ok := nc.(*strictConn); ok {
			if cl, ok := c.Conn.(*client); ok {
				return WithHangup(ctx, cl.hangup)
			}
		}
		return ctx
	}
}

func clientOf(nc net.Conn) *client {
	switch c := nc.(type) {
	case *client:
		return c
	case *tls.Conn:
		return clientOf(c.NetConn())
	case *strictConn:
		return clientOf(c.Conn)
	case *secureConn:
		return clientOf(c.Conn)
	}
	return nil
}
