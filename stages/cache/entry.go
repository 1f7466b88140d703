package cache

import (
	"encoding/binary"
	"net/http"
	"time"
)

// entry is an answer as it is kept. It is never changed.
type entry struct {
	status int
	at     time.Time // when it was stored
	body   []byte    // JSON, or the events of a stream
	stream bool
	// relaxed says that the schema that the request asks for was not sent as strict.
	relaxed bool
}

// overhead is about what an entry takes in memory besides its body, in bytes.
const overhead = 256

func (e *entry) size() int64 { return int64(len(e.body)) + overhead }

// relaxedBit stands beside the form of an answer in the shared store.
const relaxedBit = 2

// entryHead is the length of what stands before the body in the shared store: a
// version, the form, the status, the time in milliseconds.
const entryHead = 1 + 1 + 2 + 8

// encode writes an entry for the shared store.
func (e *entry) encode() []byte {
	b := make([]byte, 0, entryHead+len(e.body))
	b = append(b, version, form(e.stream))
	if e.relaxed {
		b[1] |= relaxedBit
	}
	b = binary.BigEndian.AppendUint16(b, uint16(e.status))
	b = binary.BigEndian.AppendUint64(b, uint64(e.at.UnixMilli()))
	return append(b, e.body...)
}

// decode reads what encode has written; nil: it is something else.
func decode(b []byte) *entry {
	if len(b) <= entryHead || b[0] != version || b[1] > relaxedBit|1 {
		return nil
	}
	e := &entry{
		stream:  b[1]&1 != 0,
		relaxed: b[1]&relaxedBit != 0,
		status:  int(binary.BigEndian.Uint16(b[2:])),
		at:      time.UnixMilli(int64(binary.BigEndian.Uint64(b[4:]))),
	}
	e.body = b[entryHead:]
	if e.status < http.StatusOK || e.status >= 300 {
		return nil
	}
	return e
}

// good reports whether an entry may answer: it is of the form that was asked for,
// and no older than the client wants it.
func (e *entry) good(stream bool, age time.Duration, now time.Time) bool {
	return e != nil && e.stream == stream && (age == 0 || now.Sub(e.at) <= age)
}
