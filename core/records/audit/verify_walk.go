package audit

import (
	"crypto/ed25519"
	"crypto/hmac"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

type verifier struct {
	node   string
	hash   *hasher
	public ed25519.PublicKey
	rep    Report
	want   *store.AuditHead // expected end of the chain
	prev   store.AuditHead  // the previous record
	up     bool             // a gateway has started and not shut down
	calls  exchanges
	tag    [store.TagSize]byte

	before [32]byte // hash of the last record before the segment
	signed bool     // the segment's signature matches its fields
	kinds  map[string]string
	seen   map[string]place // by node
	ends   func() error     // optional; called after each segment
	index  *indexCheck      // optional
}

func newVerifier(key []byte, node string) (*verifier, error) {
	h, err := newHasher(key)
	if err != nil {
		return nil, err
	}
	public, err := DerivePublicKey(key)
	if err != nil {
		return nil, err
	}
	v := &verifier{node: node, hash: h, public: public, kinds: map[string]string{}, seen: map[string]place{}}
	v.calls.open = map[string]UnansweredRequest{}
	v.rep = Report{Node: node, ByType: map[string]int64{}}
	v.prev.Hash = h.hashGenesis(node)
	return v, nil
}

// start sets the expected start and end of the chain.
func (v *verifier) start(base *store.AuditBase, head *store.AuditHead) error {
	v.want = head
	if base == nil {
		return nil
	}
	if sig := v.hash.signBase(v.node, base); !hmac.Equal(sig[:], base.Sig[:]) {
		return v.reportBreak(base.Seq, "", "where the chain begins after retention was changed, or was signed with another key")
	}
	v.prev = store.AuditHead{Seq: base.Seq, At: base.At, Hash: base.Hash}
	v.rep.Removed = &Removal{
		Through: base.Seq, LastTime: time.UnixMicro(base.At).UTC(), At: time.UnixMicro(base.RemovedAt).UTC(), ByType: base.Counts,
	}
	return nil
}

// verifySegment checks the next segment. It stops at the first record that fails. If all records hold, it attributes a fault
// of the segment to its last record.
func (v *verifier) verifySegment(s *store.AuditSegment) error {
	next := v.prev.Seq + 1
	switch {
	case s.First > next: // report the first missing record
		return v.reportBreak(next, "", describeGap(next, s.First-1))
	case s.First < next:
		return v.reportBreak(s.First, "", "the record's number does not follow")
	}
	sig := v.hash.signSegment(s)
	v.signed, v.before = hmac.Equal(sig[:], s.Sig[:]), v.prev.Hash
	err := s.VisitRecords(func(r *store.AuditRecord) error { return v.verifyRecord(s, r) })
	if errors.Is(err, store.ErrDamaged) {
		return v.reportBreak(v.prev.Seq+1, "", "the record cannot be read: its first bytes were changed")
	}
	if err != nil {
		return err
	}
	switch {
	case v.prev.Seq < s.First:
		return v.reportBreak(s.First, "", "the record is missing")
	case v.signed && v.prev.Seq < s.Last:
		return v.reportBreak(v.prev.Seq+1, "", describeGap(v.prev.Seq+1, s.Last))
	case !v.signed || v.prev.Seq != s.Last || v.prev.At != s.LastAt || !hmac.Equal(v.prev.Hash[:], s.Hash[:]):
		r := store.AuditRecord{Node: v.node, Seq: v.prev.Seq, Tag: v.tag}
		return v.reportBreak(r.Seq, r.EventID(), "what is signed about its segment was changed, or records after it were cut off")
	}
	if v.ends != nil {
		return v.ends()
	}
	return nil
}

// verifyRecord checks the next record of the segment.
func (v *verifier) verifyRecord(s *store.AuditSegment, r *store.AuditRecord) error {
	sum, tag := v.hash.hashRecord(&v.prev.Hash, r)
	switch {
	case !hmac.Equal(tag[:], r.Tag[:]):
		return v.reportBreak(r.Seq, r.EventID(), v.explainTag(s))
	case v.signed && r.Seq > s.Last:
		return v.reportBreak(r.Seq, r.EventID(), "the record stands in a segment that ends before it")
	case r.At < v.prev.At:
		return v.reportBreak(r.Seq, r.EventID(), "the record's time lies before that of the record before it")
	}
	if v.rep.Records == 0 {
		v.rep.First = r.Seq
	}
	kind := v.internKind(r.Type)
	switch kind {
	case ChainOpened:
		v.rep.Starts++
		v.calls.end(v.up || v.rep.Removed != nil && v.rep.Starts == 1) // the previous start may be among the removed records
		if v.up {
			v.rep.Gaps = append(v.rep.Gaps, Gap{After: v.prev.Seq, From: time.UnixMicro(v.prev.At).UTC(), To: r.Time()})
		}
		v.up = true
	case ChainClosed:
		v.up = false
		v.calls.end(false)
	case ChainCheckpoint:
		c, head, reason := readCheckpoint(r.Payload, v.public)
		if reason == "" && (c.Node != v.node || !isSameHead(&head, &v.prev)) {
			reason = "the record is a checkpoint of another record"
		}
		if reason != "" {
			return v.reportBreak(r.Seq, r.EventID(), reason)
		}
		for _, p := range c.Seen {
			v.seen[p.Node] = p
		}
		v.rep.Checkpoints++
		v.rep.Signed = head.Seq
	}
	v.calls.processRecord(kind, r)
	v.index.addRecord(kind, r)
	v.rep.Records++
	v.rep.ByType[kind]++
	v.prev, v.tag = store.AuditHead{Seq: r.Seq, At: r.At, Hash: sum}, r.Tag
	v.rep.Last, v.rep.LastTime, v.rep.LastHash = r.Seq, r.Time(), sum
	return nil
}

// explainTag explains an invalid tag. Anybody can compute hashes, but only a holder of the key can create tags and signatures.
func (v *verifier) explainTag(s *store.AuditSegment) string {
	if v.signed {
		return "the record's content, its place or its tag was changed"
	}
	sum := v.before
	err := s.VisitRecords(func(r *store.AuditRecord) error {
		sum, _ = v.hash.hashRecord(&sum, r)
		return nil
	})
	if err == nil && sum == s.Hash {
		return "the record's tag does not match this key: it was written with another key, or forged without the key"
	}
	return "the record's content, its place or its tag was changed, and its segment does not match this key"
}

// internKind interns the text, which otherwise aliases the read buffer.
func (v *verifier) internKind(text string) string {
	own, ok := v.kinds[text]
	if !ok {
		own = strings.Clone(text)
		v.kinds[own] = own
	}
	return own
}

func (v *verifier) reportBreak(seq int64, id, reason string) error {
	v.rep.Broken = &Break{Seq: seq, EventID: id, Reason: reason}
	return errStop
}

// end compares the last record with the signed head.
func (v *verifier) end() {
	broken := func(seq int64, reason string) { v.rep.Broken = &Break{Seq: seq, Reason: reason} }
	if v.want == nil {
		if v.prev.Seq > 0 {
			broken(v.prev.Seq, "the signed head of the chain is missing")
		}
		return
	}
	sig := v.hash.signHead(v.node, v.want)
	switch {
	case !hmac.Equal(sig[:], v.want.Sig[:]):
		broken(v.prev.Seq, "the head of the chain was changed, or was signed with another key")
	case v.want.Seq > v.prev.Seq:
		broken(v.prev.Seq+1, describeGap(v.prev.Seq+1, v.want.Seq)+" at the end")
	case v.want.Seq < v.prev.Seq:
		broken(v.want.Seq+1, "the record stands after the signed head of the chain")
	case !hmac.Equal(v.want.Hash[:], v.prev.Hash[:]) || v.want.At != v.prev.At:
		broken(v.prev.Seq, "the head of the chain names another record")
	}
}

func describeGap(from, to int64) string {
	if from == to {
		return "the record is missing"
	}
	return fmt.Sprintf("records %d to %d are missing", from, to)
}
