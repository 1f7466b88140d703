package statetest

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// StartCountingProxy starts a proxy in front of a server, and returns the URL of the server by way of it and the number
// of round trips so far: how often a client has written after an answer, or first.
func StartCountingProxy(t testing.TB, s *Server) (url string, count func() int64) {
	t.Helper()
	address, settings, _ := strings.Cut(strings.TrimPrefix(s.URL, "redis://"), "/")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	trips := new(atomic.Int64)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", address)
			if err != nil {
				_ = client.Close()
				continue
			}
			asking := new(atomic.Bool)
			go relayBytes(server, client, func() {
				if !asking.Swap(true) {
					trips.Add(1)
				}
			})
			go relayBytes(client, server, func() { asking.Store(false) })
		}
	}()
	return "redis://" + l.Addr().String() + "/" + settings, trips.Load
}

// relayBytes copies what comes from a connection to another until one of them ends, and calls note before each write.
func relayBytes(to, from net.Conn, note func()) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		note()
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
