package store

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// AuditRecord is one stored record. A record that somebody has meddled with may hold anything.
type AuditRecord struct {
	Seq, At               int64
	Tenant, Type, Payload string
	Tag                   [TagSize]byte // what the Sealer made of the record and its place
}

// EventID names the record: its sequence number and its tag, written as a UUID. It leads back to the record and cannot
// be made for another one without the key of the chain.
func (r *AuditRecord) EventID() string {
	n := binary.BigEndian.AppendUint64(nil, uint64(r.Seq))
	return fmt.Sprintf("%x-%x-%x-%x-%x", n[:4], n[4:6], n[6:8], r.Tag[:2], r.Tag[2:])
}

// Time is when the event was recorded.
func (r *AuditRecord) Time() time.Time { return time.UnixMicro(r.At).UTC() }

// Clone is the record with texts of its own, which may be kept.
func (r *AuditRecord) Clone() AuditRecord {
	own := *r
	own.Tenant, own.Type, own.Payload = strings.Clone(r.Tenant), strings.Clone(r.Type), strings.Clone(r.Payload)
	return own
}
