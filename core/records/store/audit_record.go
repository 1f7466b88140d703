package store

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// AuditRecord is one stored record. If it was tampered with, it may hold anything.
type AuditRecord struct {
	Node                  string // node of its chain; "" if written before nodes had names
	Seq, At               int64
	Tenant, Type, Payload string
	Tag                   [TagSize]byte // returned by the Sealer
}

// EventID returns the record's id: its node, sequence number and tag. It locates the record and cannot be forged for
// another record without the chain's key. For a record without a node it has the form of a UUID.
func (r *AuditRecord) EventID() string {
	if r.Node == "" {
		n := binary.BigEndian.AppendUint64(nil, uint64(r.Seq))
		return fmt.Sprintf("%x-%x-%x-%x-%x", n[:4], n[4:6], n[6:8], r.Tag[:2], r.Tag[2:])
	}
	return r.Node + "-" + strconv.FormatInt(r.Seq, 10) + "-" + hex.EncodeToString(r.Tag[:])
}

// errEventID means that a text is not an event id.
var errEventID = errors.New("not an event id")

// ParseEventID splits an event id into node, sequence number and tag.
func ParseEventID(id string) (node string, seq int64, tag [TagSize]byte, err error) {
	rest, last, ok := cutLast(id)
	if !ok {
		return "", 0, tag, errEventID
	}
	if len(id) == 36 && strings.Count(id, "-") == 4 && len(last) == 12 { // the form of a UUID
		b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
		if err != nil || len(b) != 16 {
			return "", 0, tag, errEventID
		}
		copy(tag[:], b[8:])
		return "", int64(binary.BigEndian.Uint64(b)), tag, nil
	}
	node, number, ok := cutLast(rest)
	b, err := hex.DecodeString(last)
	if !ok || node == "" || err != nil || len(b) != TagSize {
		return "", 0, tag, errEventID
	}
	copy(tag[:], b)
	if seq, err = strconv.ParseInt(number, 10, 64); err != nil || seq < 1 {
		return "", 0, tag, errEventID
	}
	return node, seq, tag, nil
}

func cutLast(s string) (before, after string, ok bool) {
	at := strings.LastIndexByte(s, '-')
	if at < 0 {
		return "", "", false
	}
	return s[:at], s[at+1:], true
}

// Time returns when the event was recorded.
func (r *AuditRecord) Time() time.Time { return time.UnixMicro(r.At).UTC() }

// Clone returns a copy with its own strings, which may be retained.
func (r *AuditRecord) Clone() AuditRecord {
	own := *r
	own.Tenant, own.Type, own.Payload = strings.Clone(r.Tenant), strings.Clone(r.Type), strings.Clone(r.Payload)
	return own
}

// Place returns the record's place in a list, for the page after it.
func (r *AuditRecord) Place() AuditPlace { return AuditPlace{At: r.At, Node: r.Node, Seq: r.Seq} }
