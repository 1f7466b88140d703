// Package sse cuts a byte stream into server-sent events without changing a
// byte: what a Splitter gives, put together again, is what it was given. It
// imports only the standard library.
//
// The format is that of the WHATWG HTML standard, section 9.2: a line ends in
// LF, CR LF or CR, and a blank line ends an event.
package sse

import (
	"bytes"
	"errors"
)

// ErrTooLarge is the error of an event that outgrows the Splitter's limit.
var ErrTooLarge = errors.New("sse: event too large")

// DefaultLimit bounds one event: the largest are whole answers in one chunk.
const DefaultLimit = 8 << 20

// Splitter collects bytes and gives whole events.
type Splitter struct {
	Limit int // bytes of one event; 0: DefaultLimit

	buf  []byte
	pos  int // where the event begins
	line int // where the line begins that is not yet ended
	scan int // up to here that line has no end
}

// Write adds bytes as they arrive. It fails with ErrTooLarge when an event has
// not ended within the limit.
func (s *Splitter) Write(b []byte) error {
	if s.pos > 0 {
		n := copy(s.buf, s.buf[s.pos:])
		s.buf, s.line, s.scan, s.pos = s.buf[:n], s.line-s.pos, s.scan-s.pos, 0
	}
	limit := s.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if len(s.buf) > limit {
		return ErrTooLarge
	}
	s.buf = append(s.buf, b...)
	return nil
}

// Next gives the next whole event, its blank line included, or nil. The bytes
// are valid until the next Write.
func (s *Splitter) Next() []byte {
	for {
		n := findLineEnd(s.buf[s.scan:])
		if n < 0 {
			s.scan = len(s.buf)
			return nil
		}
		at := s.scan + n
		next := at + 1
		if s.buf[at] == '\r' {
			if next == len(s.buf) { // the LF of a CR LF may still come
				s.scan = at
				return nil
			}
			if s.buf[next] == '\n' {
				next++
			}
		}
		blank := at == s.line
		s.line, s.scan = next, next
		if blank {
			ev := s.buf[s.pos:next:next]
			s.pos = next
			return ev
		}
	}
}

// findLineEnd finds the first CR or LF.
func findLineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if r := bytes.IndexByte(b[:n], '\r'); r >= 0 {
		return r
	}
	return n
}

// Rest returns the bytes of an incomplete last event after the end of the stream. They alias the buffer.
func (s *Splitter) Rest() []byte { return s.buf[s.pos:] }

// Reset empties the splitter and keeps its buffer, unless it grew large.
func (s *Splitter) Reset() {
	if cap(s.buf) > 256<<10 {
		s.buf = nil
	}
	s.buf, s.pos, s.line, s.scan = s.buf[:0], 0, 0, 0
}
