package downstream

import (
	"net"
	"sync"
)

// handoffListener is the listener for connections that are handed to net/http.
type handoffListener struct {
	addr net.Addr
	come chan net.Conn
	end  chan struct{}
	once sync.Once
}

func newHandoff(addr net.Addr) *handoffListener {
	return &handoffListener{addr: addr, come: make(chan net.Conn), end: make(chan struct{})}
}

// deliver passes a connection on, or closes it if the listener is closed.
func (h *handoffListener) deliver(nc net.Conn) {
	select {
	case h.come <- nc:
	case <-h.end:
		_ = nc.Close()
	}
}

// Accept waits for the next connection.
func (h *handoffListener) Accept() (net.Conn, error) {
	select {
	case nc := <-h.come:
		return nc, nil
	case <-h.end:
		return nil, net.ErrClosed
	}
}

// Close makes Accept fail.
func (h *handoffListener) Close() error {
	h.once.Do(func() { close(h.end) })
	return nil
}

// Addr returns the address of the listener that accepted the connections.
func (h *handoffListener) Addr() net.Addr { return h.addr }
