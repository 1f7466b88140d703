package gemini

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/sse"
)

// ArrayWriter turns the events of a stream into one JSON array, the answer of
// streamGenerateContent without alt=sse. The zero value is ready.
type ArrayWriter struct {
	events sse.Splitter
	began  bool
}

// ContentType is the type of the body that an ArrayWriter writes.
func (*ArrayWriter) ContentType() string { return "application/json; charset=UTF-8" }

// Append appends the events that b completes as elements. It skips comments and blank
// events, and fails if an event is too large.
func (w *ArrayWriter) Append(dst, b []byte) ([]byte, error) {
	if err := w.events.Write(b); err != nil {
		return dst, err
	}
	for ev := w.events.Next(); ev != nil; ev = w.events.Next() {
		dst = w.appendElement(dst, ev)
	}
	return dst, nil
}

// Close appends the rest and the end of the array.
func (w *ArrayWriter) Close(dst []byte) []byte {
	if rest := w.events.Rest(); len(rest) > 0 {
		dst = w.appendElement(dst, rest)
	}
	if !w.began {
		dst = append(dst, '[')
	}
	return append(dst, ']')
}

func (w *ArrayWriter) appendElement(dst, ev []byte) []byte {
	lo, hi, n := sse.FindData(ev)
	if n > 1 {
		ev = sse.Join(nil, ev)
		lo, hi, _ = sse.FindData(ev)
	}
	if n == 0 && isBareJSON(ev) {
		lo, hi = 0, len(ev)
	}
	element := bytes.TrimSpace(ev[lo:hi])
	if len(element) == 0 {
		return dst
	}
	if w.began {
		dst = append(dst, ",\r\n"...)
	} else {
		dst = append(dst, '[')
	}
	w.began = true
	return append(dst, element...)
}
