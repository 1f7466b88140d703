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
		cl := findClient(nc)
		if cl == nil {
			return
		}
		switch state {
		case http.StateIdle:
			cl.recordWait(forRequest)
			cl.hangup.ResetBodyTimeout()
		case http.StateActive:
			cl.recordWait(forNothing)
		case http.StateHijacked:
			cl.recordWait(forNothing)
			openTunnel(nc)
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

// openTunnel ends the framing check of a connection that a handler has taken over: a WebSocket's frames are not
// requests. Before that, a request that only asks for an upgrade is checked as any other.
func openTunnel(nc net.Conn) {
	switch c := nc.(type) {
	case *strictConn:
		c.tunnel.Store(true)
	case *secureConn:
		c.tunnel.Store(true)
	}
}

func findClient(nc net.Conn) *client {
	switch c := nc.(type) {
	case *client:
		return c
	case *tls.Conn:
		return findClient(c.NetConn())
	case *bufferedTLS:
		return findClient(c.NetConn())
	case *strictConn:
		return findClient(c.Conn)
	case *secureConn:
		return findClient(c.Conn)
	}
	return nil
}
