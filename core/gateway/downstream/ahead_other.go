//go:build !unix

package downstream

import (
	"errors"
	"net"
)

// puller is not for this system: connections are read as net/http asks.
type puller struct{}

func newPuller(net.Conn) *puller { return nil }

func (*puller) pull(net.Conn) (*[]byte, int, error) { return nil, 0, errors.ErrUnsupported }
