package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

var errUpstream = errors.New("bad upstream answer")

// rawPool keeps connections to one upstream.
type rawPool struct {
	host string
	mu   sync.Mutex
	idle []*rawConn
}

// rawConn is one upstream connection with its buffers.
type rawConn struct {
	c    net.Conn
	r    *bufio.Reader
	w    []byte
	ct   [64]byte
	kept bool // it served a request before
}

type rawHead struct {
	status      int
	contentType []byte // valid until the next answer on the connection
	length      int    // -1: not given
	chunked     bool
}

func (p *rawPool) get() (*rawConn, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		c.kept = true
		return c, nil
	}
	p.mu.Unlock()
	c, err := net.DialTimeout("tcp", p.host, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &rawConn{c: c, r: bufio.NewReaderSize(c, 8<<10)}, nil
}

func (p *rawPool) put(c *rawConn) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

func (c *rawConn) close() { _ = c.c.Close() }

// send writes the request and reads the head of its answer. It replaces a kept connection that the upstream has closed
// in the meantime.
func (p *rawPool) send(method, path, auth string, body []byte) (*rawConn, rawHead, error) {
	for {
		c, err := p.get()
		if err != nil {
			return nil, rawHead{}, err
		}
		err = c.write(p.host, method, path, auth, body)
		var h rawHead
		if err == nil {
			h, err = c.readHead()
		}
		if err == nil {
			return c, h, nil
		}
		c.close()
		if !c.kept || !errors.Is(err, io.EOF) {
			return nil, rawHead{}, err
		}
	}
}

// write sends head and body in one write, or one vectored write for long ones.
func (c *rawConn) write(host, method, path, auth string, body []byte) error {
	w := append(c.w[:0], method...)
	w = append(append(w, ' '), path...)
	w = append(append(w, " HTTP/1.1\r\nHost: "...), host...)
	w = append(append(w, "\r\nContent-Type: application/json\r\nAuthorization: "...), auth...)
	w = append(w, "\r\nContent-Length: "...)
	w = strconv.AppendInt(w, int64(len(body)), 10)
	w = append(w, "\r\n\r\n"...)
	var err error
	if len(body) <= 16<<10 {
		c.w = append(w, body...)
		_, err = c.c.Write(c.w)
	} else {
		c.w = w
		bufs := net.Buffers{w, body}
		_, err = bufs.WriteTo(c.c)
	}
	if err != nil {
		return io.EOF
	}
	return nil
}

func (c *rawConn) readHead() (rawHead, error) {
	h := rawHead{length: -1}
	l, err := c.r.ReadSlice('\n')
	if err != nil {
		return h, io.EOF
	}
	if len(l) < len("HTTP/1.1 200") {
		return h, errUpstream
	}
	if h.status, err = strconv.Atoi(string(l[9:12])); err != nil {
		return h, errUpstream
	}
	for {
		if l, err = c.r.ReadSlice('\n'); err != nil {
			return h, errUpstream
		}
		l = bytes.TrimRight(l, "\r\n")
		if len(l) == 0 {
			return h, nil
		}
		k := bytes.IndexByte(l, ':')
		if k < 0 {
			return h, errUpstream
		}
		v := bytes.TrimSpace(l[k+1:])
		switch {
		case k == 12 && bytes.EqualFold(l[:k], []byte("content-type")):
			h.contentType = append(c.ct[:0], v...)
		case k == 14 && bytes.EqualFold(l[:k], []byte("content-length")):
			if h.length, err = strconv.Atoi(string(v)); err != nil {
				return h, errUpstream
			}
		case k == 17 && bytes.EqualFold(l[:k], []byte("transfer-encoding")):
			h.chunked = true
		}
	}
}

// copyBody forwards the body and flushes when nothing more has arrived.
func (c *rawConn) copyBody(w io.Writer, h rawHead, flush func()) error {
	if !h.chunked {
		return c.copyBytes(w, h.length, flush)
	}
	for {
		l, err := c.r.ReadSlice('\n')
		if err != nil {
			return errUpstream
		}
		n, err := strconv.ParseUint(string(bytes.TrimRight(l, "\r\n")), 16, 31)
		if err != nil {
			return errUpstream
		}
		if err := c.copyBytes(w, int(n), flush); err != nil {
			return err
		}
		if _, err := c.r.Discard(2); err != nil {
			return errUpstream
		}
		if n == 0 {
			return nil
		}
	}
}

func (c *rawConn) copyBytes(w io.Writer, n int, flush func()) error {
	for n > 0 {
		if c.r.Buffered() == 0 {
			if _, err := c.r.Peek(1); err != nil {
				return errUpstream
			}
		}
		b, err := c.r.Peek(min(n, c.r.Buffered()))
		if err != nil {
			return errUpstream
		}
		n -= len(b)
		if _, err := w.Write(b); err != nil {
			return err
		}
		if c.r.Buffered() <= len(b)+2 {
			flush()
		}
		if _, err := c.r.Discard(len(b)); err != nil {
			return errUpstream
		}
	}
	return nil
}
