package upstream

import (
	"strings"
	"time"
)

// framing says how the end of an answer's body is determined. The zero value means undecided.
type framing uint8

const (
	frameNone    framing = iota + 1 // there is no body
	frameLength                     // a declared number of bytes
	frameChunked                    // chunks
	frameClose                      // the end of the connection
)

// message is what the head of a final answer says about its body and its connection.
type message struct {
	framing framing
	length  int64         // of frameLength; what ContentLength reports otherwise
	keep    bool          // the connection may be used again
	idle    time.Duration // how long the server keeps an idle connection, by its own account; 0: unknown
}

// frameMessage determines how the body is delimited. Anything that two readers could interpret differently is an error: two
// different lengths, a length beside an encoding, or any encoding other than chunked.
func frameMessage(line statusLine, fields []Field, head bool) (message, error) {
	m := message{length: -1, keep: line.minor == 1}
	d, err := m.readFields(fields)
	if err != nil {
		return m, err
	}
	if d.hasLength {
		n, ok := parseLength(d.length)
		if !ok {
			return m, malformedError("content length")
		}
		m.length = n
	}
	if d.chunked && d.hasLength {
		return m, malformedError("content length beside transfer encoding")
	}
	if d.chunked && line.minor == 0 {
		return m, malformedError("transfer encoding in HTTP/1.0")
	}
	switch bodiless := line.status < 200 || line.status == 204; {
	case bodiless:
		// RFC 9110, 8.6: such an answer declares no body. A server that declares a body probably sends it.
		if m.length > 0 || d.chunked {
			return m, malformedError("a body declared where none can be")
		}
		m.framing = frameNone
		if !head {
			m.length = 0
		}
	case head:
		m.framing = frameNone
	case line.status == 304:
		m.framing, m.length = frameNone, 0
	case d.chunked:
		m.framing = frameChunked
	case d.hasLength:
		m.framing = frameLength
	default:
		m.framing, m.keep = frameClose, false
	}
	return m, nil
}

// declaredLength returns the delimiter that the fields of a head declare.
type declaredLength struct {
	length    string
	hasLength bool
	chunked   bool
}

// readFields reads the fields that frame an answer or concern its connection.
func (m *message) readFields(fields []Field) (d declaredLength, err error) {
	for i := range fields {
		f := &fields[i]
		switch len(f.Name) {
		case 14:
			if strings.EqualFold(f.Name, "Content-Length") {
				if d.hasLength && f.Value != d.length {
					return d, malformedError("two content lengths")
				}
				d.length, d.hasLength = f.Value, true
			}
		case 17:
			if strings.EqualFold(f.Name, "Transfer-Encoding") {
				if d.chunked || !strings.EqualFold(f.Value, "chunked") {
					return d, malformedError("transfer encoding other than chunked")
				}
				d.chunked = true
			}
		case 10:
			if strings.EqualFold(f.Name, "Connection") && hasClose(f.Value) {
				m.keep = false
			} else if strings.EqualFold(f.Name, "Keep-Alive") {
				m.idle = parseKeepAlive(f.Value)
			}
		case 7:
			if strings.EqualFold(f.Name, "Trailer") && framesInTrailer(f.Value) {
				return d, malformedError("a trailer that would frame the answer")
			}
		}
	}
	return d, nil
}

// parseLength reads a decimal number of at most 18 digits, which cannot overflow.
func parseLength(s string) (int64, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// hasClose reports whether a Connection value lists close.
func hasClose(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		if strings.EqualFold(trimBlank(part), "close") {
			return true
		}
	}
	return false
}

// framesInTrailer reports whether a Trailer value announces a field that would change the framing after the fact.
func framesInTrailer(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		switch p := trimBlank(part); len(p) {
		case 7, 14, 17:
			if strings.EqualFold(p, "Trailer") || strings.EqualFold(p, "Content-Length") || strings.EqualFold(p, "Transfer-Encoding") {
				return true
			}
		}
	}
	return false
}

// parseKeepAlive returns the timeout of a Keep-Alive value such as "timeout=5", less one second for the network: a
// connection that its server is about to close would cost a call, because a request that may have arrived is not sent
// again. 0 means that the value has no timeout.
func parseKeepAlive(s string) time.Duration {
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(trimBlank(part), "=")
		if !strings.EqualFold(trimBlank(name), "timeout") {
			continue
		}
		if n, ok := parseLength(trimBlank(value)); ok && n < 1<<20 {
			return max(time.Duration(n)*time.Second-time.Second, time.Second/2)
		}
	}
	return 0
}
