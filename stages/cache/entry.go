package cache

import (
	"encoding/binary"
	"net/http"
	"time"
)

// entry is a stored answer. It is immutable.
type entry struct {
	status int
	at     time.Time // when it was stored
	body   []byte    // JSON, or the events of a stream
	stream bool
	// relaxed means that the schema in the request was not sent as strict.
	relaxed bool
}

// overhead is approximately how many bytes an entry takes in memory besides its body.
const overhead = 256

func (e *entry) measureSize() int64 { return int64(len(e.body)) + overhead }

// relaxedBit is part of the form of an answer in the shared store.
const relaxedBit = 2

// entryHead is the length of what precedes the body in the shared store: a version, the form, the status, and the time
// in milliseconds.
const entryHead = 1 + 1 + 2 + 8

// encode encodes an entry for the shared store.
func (e *entry) encode() []byte {
	b := make([]byte, 0, entryHead+len(e.body))
	b = append(b, version, chooseForm(e.stream))
	if e.relaxed {
		b[1] |= relaxedBit
	}
	b = binary.BigEndian.AppendUint16(b, uint16(e.status))
	b = binary.BigEndian.AppendUint64(b, uint64(e.at.UnixMilli()))
	return append(b, e.body...)
}

// decodeEntry decodes an encoded entry. It returns nil if b is not one.
func decodeEntry(b []byte) *entry {
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

// canAnswer reports whether an entry can answer: it has the requested form, and is not older than the client allows.
func (e *entry) canAnswer(stream bool, age time.Duration, now time.Time) bool {
	return e != nil && e.stream == stream && (age == 0 || now.Sub(e.at) <= age)
}
