package audit

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/store"
)

type verifier struct {
	hash *hasher
	rep  Report
	want *store.AuditHead // where the chain should end
	prev store.AuditHead  // the record before
	last string           // its type
	tag  [store.TagSize]byte

	before [32]byte // hash of the last record before the segment
	signed bool     // the segment's signature fits what stands beside it
	kinds  map[string]string
}

func (v *verifier) start(head *store.AuditHead) error {
	v.want = head
	return nil
}

// segment checks the next segment. It stops at the first record that does not hold; where all records hold, what is
// wrong with the segment is told of its last record.
func (v *verifier) segment(s *store.AuditSegment) error {
	next := v.prev.Seq + 1
	switch {
	case s.First > next: // the first thing wrong is what is not there
		return v.broken(next, "", missing(next, s.First-1))
	case s.First < next:
		return v.broken(s.First, "", "its number does not follow")
	}
	sig := v.hash.segment(s)
	v.signed, v.before = hmac.Equal(sig[:], s.Sig[:]), v.prev.Hash
	err := s.Records(func(r *store.AuditRecord) error { return v.record(s, r) })
	if errors.Is(err, store.ErrDamaged) {
		return v.broken(v.prev.Seq+1, "", "it cannot be read: the bytes that it begins with were changed")
	}
	if err != nil {
		return err
	}
	switch {
	case v.prev.Seq < s.First:
		return v.broken(s.First, "", "it is missing")
	case v.signed && v.prev.Seq < s.Last:
		return v.broken(v.prev.Seq+1, "", missing(v.prev.Seq+1, s.Last))
	case !v.signed || v.prev.Seq != s.Last || v.prev.At != s.LastAt || !hmac.Equal(v.prev.Hash[:], s.Hash[:]):
		r := store.AuditRecord{Seq: v.prev.Seq, Tag: v.tag}
		return v.broken(r.Seq, r.EventID(), "what is signed about its segment was changed, or records after it were cut off")
	}
	return nil
}

// record checks the next record of the segment.
func (v *verifier) record(s *store.AuditSegment, r *store.AuditRecord) error {
	sum := v.hash.record(&v.prev.Hash, r.Seq, r.At, r.Tenant, r.Type, r.Payload)
	tag := v.hash.tag(&sum)
	switch {
	case !hmac.Equal(tag[:], r.Tag[:]):
		return v.broken(r.Seq, r.EventID(), v.why(s))
	case v.signed && r.Seq > s.Last:
		return v.broken(r.Seq, r.EventID(), "it stands in a segment that ends before it")
	case r.At < v.prev.At:
		return v.broken(r.Seq, r.EventID(), "its time lies before that of the record before it")
	}
	if v.rep.Records == 0 {
		v.rep.First = r.Seq
	}
	if r.Type == ChainOpened {
		v.rep.Starts++
		if v.last != ChainClosed && v.rep.Records > 0 {
			v.rep.Gaps = append(v.rep.Gaps, Gap{After: v.prev.Seq, From: time.UnixMicro(v.prev.At).UTC(), To: r.Time()})
		}
	}
	v.last = v.kind(r.Type)
	v.rep.Records++
	v.rep.ByType[v.last]++
	v.prev, v.tag = store.AuditHead{Seq: r.Seq, At: r.At, Hash: sum}, r.Tag
	v.rep.Last, v.rep.LastTime, v.rep.LastHash = r.Seq, r.Time(), sum
	return nil
}

// why says what must have happened to a record whose tag does not fit. Only who has the key can make tags and
// signatures, while anybody can compute hashes.
func (v *verifier) why(s *store.AuditSegment) string {
	if v.signed {
		return "its content, its place or its tag was changed"
	}
	sum := v.before
	err := s.Records(func(r *store.AuditRecord) error {
		sum = v.hash.record(&sum, r.Seq, r.At, r.Tenant, r.Type, r.Payload)
		return nil
	})
	if err == nil && sum == s.Hash {
		return "its tag does not fit this key: it was written with another key, or forged without the key"
	}
	return "its content, its place or its tag was changed, and its segment does not fit this key"
}

// kind is the text as one that may be kept.
func (v *verifier) kind(text string) string {
	own, ok := v.kinds[text]
	if !ok {
		own = strings.Clone(text)
		v.kinds[own] = own
	}
	return own
}

func (v *verifier) broken(seq int64, id, reason string) error {
	v.rep.Broken = &Break{Seq: seq, EventID: id, Reason: reason}
	return errStop
}

// end compares the last record with the signed head.
func (v *verifier) end() {
	broken := func(seq int64, reason string) { v.rep.Broken = &Break{Seq: seq, Reason: reason} }
	if v.want == nil {
		if v.rep.Records > 0 {
			broken(v.prev.Seq, "the signed head of the chain is missing")
		}
		return
	}
	sig := v.hash.head(v.want)
	switch {
	case !hmac.Equal(sig[:], v.want.Sig[:]):
		broken(v.prev.Seq, "the head of the chain was changed, or was signed with another key")
	case v.want.Seq > v.prev.Seq:
		broken(v.prev.Seq+1, missing(v.prev.Seq+1, v.want.Seq)+" at the end")
	case v.want.Seq < v.prev.Seq:
		broken(v.want.Seq+1, "it stands after the signed head of the chain")
	case !hmac.Equal(v.want.Hash[:], v.prev.Hash[:]) || v.want.At != v.prev.At:
		broken(v.prev.Seq, "the head of the chain names another record")
	}
}

func missing(from, to int64) string {
	if from == to {
		return "it is missing"
	}
	return fmt.Sprintf("records %d to %d are missing", from, to)
}
