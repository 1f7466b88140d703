//go:build unix

package downstream

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// socketReader reads from a socket into a buffer that it takes from the pool only when there is something to read:
// waiting connections hold none.
type socketReader struct {
	raw  syscall.RawConn
	once func(fd uintptr) bool // bound once
	buf  *[]byte
	n    int
	err  error
}

// newSocketReader returns nil for a connection without a socket.
func newSocketReader(nc net.Conn) *socketReader {
	t, ok := nc.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return nil
	}
	p := &socketReader{raw: raw}
	p.once = func(fd uintptr) bool {
		p.buf, _ = readBuffers.Get().(*[]byte)
		for {
			p.n, p.err = syscall.Read(int(fd), *p.buf)
			switch p.err { // a system call's own errors are not wrapped
			case syscall.EINTR:
				continue
			case syscall.EAGAIN:
				readBuffers.Put(p.buf)
				p.buf = nil
				return false
			}
			return true
		}
	}
	return p
}

// pull waits for bytes. Its errors are those of net.Conn.Read.
func (p *socketReader) pull(nc net.Conn) (*[]byte, int, error) {
	p.buf, p.n, p.err = nil, 0, nil
	err := p.raw.Read(p.once)
	b := p.buf
	p.buf = nil
	switch {
	case err != nil:
		var op *net.OpError
		if errors.As(err, &op) {
			op.Op = "read"
		}
	case p.err != nil:
		err = &net.OpError{Op: "read", Net: "tcp", Source: nc.LocalAddr(), Addr: nc.RemoteAddr(), Err: os.NewSyscallError("read", p.err)}
	case p.n == 0:
		err = io.EOF
	default:
		return b, p.n, nil
	}
	if b != nil {
		readBuffers.Put(b)
	}
	return nil, 0, err
}
