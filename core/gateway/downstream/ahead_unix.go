//go:build unix

package downstream

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// puller reads from a socket into a buffer that is fetched when there is something to
// read: connections that wait hold none.
type puller struct {
	raw  syscall.RawConn
	once func(fd uintptr) bool // bound once
	buf  *[]byte
	n    int
	err  error
}

// newPuller is nil for a connection that has no socket of its own.
func newPuller(nc net.Conn) *puller {
	t, ok := nc.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return nil
	}
	p := &puller{raw: raw}
	p.once = func(fd uintptr) bool {
		p.buf, _ = aheads.Get().(*[]byte)
		for {
			p.n, p.err = syscall.Read(int(fd), *p.buf)
			switch p.err { //nolint:errorlint // a system call's own errors are not wrapped
			case syscall.EINTR:
				continue
			case syscall.EAGAIN:
				aheads.Put(p.buf)
				p.buf = nil
				return false
			}
			return true
		}
	}
	return p
}

// pull waits for bytes. The errors are those of a net.Conn's Read.
func (p *puller) pull(nc net.Conn) (*[]byte, int, error) {
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
		aheads.Put(b)
	}
	return nil, 0, err
}
