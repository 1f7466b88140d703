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
		if cl, ok := nc.(*client); ok {
			return WithHangup(ctx, cl.hangup)
		}
		return ctx
	}
}

func clientOf(nc net.Conn) *client {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	cl, _ := nc.(*client)
	return cl
}
