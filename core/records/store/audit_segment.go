package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// AuditSegment is a run of records that were stored together, with the hash of the last one and a signature over that
// hash and the four numbers. If it was tampered with, it may hold anything; a hash or signature of the wrong length
// reads as zeros.
type AuditSegment struct {
	Node            string
	First, Last     int64 // sequence numbers
	FirstAt, LastAt int64 // microseconds since 1970 UTC
	Hash, Sig       [32]byte
	Data            []byte
}

// TagSize is the length in bytes of the tag that a Sealer adds to each record.
const TagSize = 8

// ErrDamaged means that stored audit records cannot be read. Verification reports the first of them.
var ErrDamaged = errors.New("the stored audit records are damaged")

// appendRecord appends the record in its stored form: its length, then the time since firstAt, the length of the
// tenant, the tenant, the length of the type, the type, the payload, and, not counted in the length, the tag.
func appendRecord(data []byte, firstAt int64, e *AuditEvent, tag [TagSize]byte) []byte {
	since := uint64(e.At - firstAt)
	size := measureUvarint(since) + measureUvarint(uint64(len(e.Tenant))) + len(e.Tenant) +
		measureUvarint(uint64(len(e.Type))) + len(e.Type) + len(e.Payload)
	data = binary.AppendUvarint(data, uint64(size))
	data = binary.AppendUvarint(data, since)
	data = binary.AppendUvarint(data, uint64(len(e.Tenant)))
	data = append(data, e.Tenant...)
	data = binary.AppendUvarint(data, uint64(len(e.Type)))
	data = append(data, e.Type...)
	data = append(data, e.Payload...)
	return append(data, tag[:]...)
}

// VisitRecords calls each with the records of the segment, in order. The record and its strings are valid only during the
// call. ErrDamaged means that the data after the last record cannot be read. An error of each ends the walk and is
// returned.
func (s *AuditSegment) VisitRecords(each func(*AuditRecord) error) error {
	for rest, seq := s.Data, s.First; len(rest) > 0; seq++ {
		r, n := s.decodeRecord(rest, seq)
		if n == 0 {
			return fmt.Errorf("%w: record %d cannot be read", ErrDamaged, seq)
		}
		if err := each(&r); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// decodeRecord decodes the record at the start of data and returns its length, or 0 if it is malformed. Its strings alias
// data.
func (s *AuditSegment) decodeRecord(data []byte, seq int64) (r AuditRecord, length int) {
	body, rest, ok := cutField(data)
	if !ok || len(rest) < TagSize {
		return r, 0
	}
	length = len(data) - len(rest) + TagSize
	since, n := parseUvarint(body)
	if n == 0 {
		return r, 0
	}
	tenant, body, ok1 := cutField(body[n:])
	kind, payload, ok2 := cutField(body)
	if !ok1 || !ok2 {
		return r, 0
	}
	return AuditRecord{
		Node: s.Node, Seq: seq, At: s.FirstAt + int64(since), Tenant: zerocopy.String(tenant), Type: zerocopy.String(kind),
		Payload: zerocopy.String(payload),
		Tag:     [TagSize]byte(rest),
	}, length
}

// cutField reads a length at the start of b, and returns the bytes of that length and the rest.
func cutField(b []byte) (head, rest []byte, ok bool) {
	size, n := parseUvarint(b)
	if n == 0 || size > uint64(len(b)-n) {
		return nil, nil, false
	}
	b = b[n:]
	return b[:size], b[size:], true
}

// parseUvarint decodes a number and returns its length, or 0 if it is malformed. It rejects overlong encodings, so that each
// record has exactly one encoding.
func parseUvarint(b []byte) (v uint64, length int) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n != measureUvarint(v) {
		return 0, 0
	}
	return v, n
}

func measureUvarint(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
