//go:build !unix

package downstream

import (
	"errors"
	"net"
)

// socketReader does not exist on this system: connections are read as net/http asks.
type socketReader struct{}

func newSocketReader(net.Conn) *socketReader { return nil }

func (*socketReader) pull(net.Conn) (*[]byte, int, error) { return nil, 0, errors.ErrUnsupported }
