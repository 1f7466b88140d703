package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// maxMockBody bounds the bytes that one request may make the mock hold.
const maxMockBody = 64 << 20

var errBadRequest = errors.New("not an HTTP/1.1 request the mock understands")

var continueLine = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// inbound reads consecutive requests from a connection into buffers that it reuses.
type inbound struct {
	r       *bufio.Reader
	path    []byte // without the query
	body    []byte
	closing bool // the peer asked for the connection to be closed
}

// converse answers requests until the peer disconnects or breaks the protocol.
func (m *mock) converse(c net.Conn) {
	in := &inbound{r: bufio.NewReaderSize(c, 16<<10)}
	out := &outbound{c: c}
	for {
		if err := in.readRequest(c); err != nil {
			return
		}
		if m.latency > 0 && len(in.body) > 0 {
			time.Sleep(m.latency)
		}
		err := m.answer(out, in)
		if err != nil || in.closing {
			return
		}
	}
}

// readRequest reads one request; w receives the interim answer if the peer waits for it.
func (in *inbound) readRequest(w io.Writer) error {
	line, err := in.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	_, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok {
		return errBadRequest
	}
	target, _, _ := bytes.Cut(rest, []byte(" "))
	target, _, _ = bytes.Cut(target, []byte("?"))
	in.path = append(in.path[:0], target...)

	length, chunked, err := in.readHead(w)
	if err != nil {
		return err
	}
	in.body = in.body[:0]
	if !chunked {
		return in.readBody(length)
	}
	for {
		if line, err = in.r.ReadSlice('\n'); err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
		if err != nil {
			return errBadRequest
		}
		if err := in.readBody(int(n)); err != nil {
			return err
		}
		if _, err = in.r.Discard(2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// readHead reads the header lines.
func (in *inbound) readHead(w io.Writer) (length int, chunked bool, err error) {
	in.closing = false
	for {
		h, err := in.r.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		h = bytes.TrimRight(h, "\r\n")
		if len(h) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(h, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 {
				return 0, false, errBadRequest
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("connection")):
			in.closing = bytes.EqualFold(value, []byte("close"))
		case bytes.EqualFold(name, []byte("expect")):
			if _, err := w.Write(continueLine); err != nil {
				return 0, false, err
			}
		}
	}
}

// readBody appends n bytes to the body.
func (in *inbound) readBody(n int) error {
	at := len(in.body)
	if n > maxMockBody-at {
		return errBadRequest
	}
	if cap(in.body)-at < n {
		grown := make([]byte, at, 2*at+n)
		copy(grown, in.body)
		in.body = grown
	}
	in.body = in.body[:at+n]
	_, err := io.ReadFull(in.r, in.body[at:])
	return err
}
