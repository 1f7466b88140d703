package downstream

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// writeHead queues the status and the handler's header, which must not change afterwards.
func (r *response) writeHead() {
	if r.out == nil {
		r.out, _ = outs.Get().(*[]byte)
	}
	b := appendStatus(*r.out, r.status)
	b = r.appendHeader(b)
	*r.out = b
}

// appendStatus appends the status line.
func appendStatus(b []byte, status int) []byte {
	if status == http.StatusOK {
		return append(b, "HTTP/1.1 200 OK\r\n"...)
	}
	b = strconv.AppendInt(append(b, "HTTP/1.1 "...), int64(status), 10)
	b = append(b, ' ')
	if text := http.StatusText(status); text != "" {
		b = append(b, text...)
	} else {
		b = strconv.AppendInt(append(b, "status code "...), int64(status), 10)
	}
	return append(b, "\r\n"...)
}

// appendHeader appends the handler's header sorted by name, and records what it says about the body and the connection.
func (r *response) appendHeader(b []byte) []byte {
	var room [24]string
	names := room[:0]
	for name := range r.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values := r.header[name]
		switch name {
		case "Content-Length":
			if !r.declareLength(values) {
				continue
			}
		case "Content-Type":
			r.typed = true
			if r.status == http.StatusNotModified {
				continue
			}
		case "Content-Encoding":
			r.typed = r.typed || len(values) > 0 && values[0] != ""
		case "Date":
			r.dated = len(values) > 0
		case "Connection":
			if len(values) == 0 || values[0] != "close" {
				continue // the server controls the connection
			}
			r.closeSent, r.last = true, true
		case "Transfer-Encoding", "Trailer":
			continue // and the framing
		}
		if !isName(name) {
			continue
		}
		for _, v := range values {
			b = append(append(b, name...), ": "...)
			b = append(appendValue(b, v), "\r\n"...)
		}
	}
	return b
}

// declareLength records the handler's Content-Length, and reports whether to send it.
func (r *response) declareLength(values []string) bool {
	if len(values) == 0 || r.noBody {
		return false
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || n < 0 {
		r.k.s.o.Log.Printf("a handler has set an invalid Content-Length")
		return false
	}
	r.length = n
	return true
}

func isName(s string) bool {
	for i := range len(s) {
		if kinds[s[i]] == 0 {
			return false
		}
	}
	return s != ""
}

// appendValue appends a field value on one line, trimmed.
func appendValue(b []byte, v string) []byte {
	if strings.ContainsAny(v, "\r\n") {
		v = strings.NewReplacer("\r", " ", "\n", " ").Replace(v)
	}
	return append(b, strings.Trim(v, " \t\r\n")...)
}

// finishHead completes the head. It detects the content type from the first part of the body.
func (r *response) finishHead(first []byte) {
	r.framed = true
	// Some clients send the whole request before they read; they would never receive an answer.
	if r.hasUnread() && !r.last && !r.body.drop() {
		r.last = true
	}
	r.last = r.last || r.k.s.closing.Load() || r.k.s.drains.Load()
	if r.out == nil {
		r.out, _ = outs.Get().(*[]byte)
	}
	b := *r.out
	if !r.dated {
		b = append(append(append(b, "Date: "...), formatDate()...), "\r\n"...)
	}
	if r.lengthFound {
		b = strconv.AppendInt(append(b, "Content-Length: "...), r.length, 10)
		b = append(b, "\r\n"...)
	}
	if !r.typed && !r.noBody && len(first) > 0 {
		b = append(append(append(b, "Content-Type: "...), http.DetectContentType(first)...), "\r\n"...)
	}
	if r.last && !r.closeSent {
		b = append(b, "Connection: close\r\n"...)
	}
	if r.chunked {
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	*r.out = append(b, "\r\n"...)
}

// sendInterim sends an informational (1xx) answer with the header as it is now.
func (r *response) sendInterim(status int) {
	inform := response{k: r.k, header: r.header, out: r.out, noBody: true, status: status}
	inform.writeHead()
	*inform.out = append(*inform.out, "\r\n"...)
	inform.flush()
	r.out, r.err = nil, inform.err
}

// cachedDate caches the text of a date.
type cachedDate struct {
	second int64
	text   string
}

var lastDate atomic.Pointer[cachedDate]

// formatDate returns the current time in HTTP format.
func formatDate() string {
	now := time.Now()
	if d := lastDate.Load(); d != nil && d.second == now.Unix() {
		return d.text
	}
	d := &cachedDate{now.Unix(), now.UTC().Format(http.TimeFormat)}
	lastDate.Store(d)
	return d.text
}
