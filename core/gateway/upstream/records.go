package upstream

import (
	"encoding/binary"
	"io"
	"net"
)

// records lies between a TLS connection and its socket. crypto/tls reads ahead, out of sight of a peek at the socket;
// records knows whether what was read ends with a whole TLS record, and can make the TLS connection show what it still
// holds without waiting for more.
type records struct {
	net.Conn
	header [5]byte // type, version, length
	have   int     // bytes of the header
	left   int     // bytes of the record that are still to come
	sealed bool
}

var _ net.Conn = (*records)(nil)

// errSealed is the answer of a sealed socket. crypto/tls takes an error that says Temporary for one that passes.
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
	s.follow(p[:n])
	if err == io.EOF { // sockets return it as it is
		// crypto/tls takes the end of the socket between two records for the end of the data, as it does close_notify. Then
		// anybody on the way could end, unnoticed, an answer that has no length.
		err = cut{}
	}
	return n, err
}

func (s *records) follow(p []byte) {
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

// isSilent reports whether the TLS connection holds neither plain text nor any part of a further record. It must not run
// beside a Read.
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
	_, ok := err.(errSealed) // crypto/tls hands the error of the socket on as it is; anything else is not silence
	return ok
}
