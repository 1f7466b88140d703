package upstream

import (
	"encoding/binary"
	"io"
	"net"
)

// records lies between a TLS connection and its socket. crypto/tls reads ahead, which a peek at the socket does not
// show; records knows whether the bytes read end with a whole TLS record, and can make the TLS connection return what
// it still holds without waiting for more.
type records struct {
	net.Conn
	header [5]byte // type, version, length
	have   int     // bytes of the header
	left   int     // bytes of the record that are still to come
	sealed bool
}

var _ net.Conn = (*records)(nil)

// errSealed is the error of a sealed socket. crypto/tls treats an error with Temporary as recoverable.
type errSealed struct{}

func (errSealed) Error() string   { return "nothing buffered" }
func (errSealed) Timeout() bool   { return true }
func (errSealed) Temporary() bool { return true }

var _ net.Error = errSealed{}

// Read reads from the socket and follows the record boundaries.
func (s *records) Read(p []byte) (int, error) {
	if s.sealed {
		return 0, errSealed{}
	}
	n, err := s.Conn.Read(p)
	s.trackBoundaries(p[:n])
	if err == io.EOF { // sockets return it unwrapped
		// crypto/tls treats the end of the socket between two records as the end of the data, like close_notify. Then
		// anyone on the path could silently truncate an answer without a length.
		err = cut{}
	}
	return n, err
}

func (s *records) trackBoundaries(p []byte) {
	for len(p) > 0 {
		if s.left > 0 {
			k := min(s.left, len(p))
			s.left -= k
			p = p[k:]
			continue
		}
		k := copy(s.header[s.have:], p)
		s.have += k
		p = p[k:]
		if s.have == len(s.header) {
			s.have = 0
			s.left = int(binary.BigEndian.Uint16(s.header[3:]))
		}
	}
}

// isSilent reports whether the TLS connection holds neither plain text nor any part of a further record. It must not
// run concurrently with Read.
func (s *records) isSilent(nc net.Conn, scratch []byte) bool {
	if s.have != 0 || s.left != 0 {
		return false
	}
	s.sealed = true
	n, err := nc.Read(scratch)
	s.sealed = false
	if n != 0 {
		return false
	}
	_, ok := err.(errSealed) // crypto/tls returns the socket's error unwrapped; anything else is not silence
	return ok
}
