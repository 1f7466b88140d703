package audit

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/store"
)

// Report is the outcome of a verification.
type Report struct {
	Records     int64            // records that hold, counted up to the first broken one
	First, Last int64            // numbers of the first and the last of them
	LastTime    time.Time        // when the last of them was written
	LastHash    [32]byte         // its hash: kept elsewhere, it also proves that no older copy was put back
	ByType      map[string]int64 // records by event type
	Starts      int64            // how often a gateway started
	Gaps        []Gap            // starts after a shutdown that was not orderly
	Broken      *Break           // the first record that does not hold; nil when the chain is whole
}

// Valid says whether the chain is whole.
func (r *Report) Valid() bool { return r.Broken == nil }

// Gap is where a gateway ended without a shutdown: records it had accepted shortly before may be missing. That is
// what batching costs, and no sign of tampering.
type Gap struct {
	After    int64     // the last record before the gap
	From, To time.Time // between which times
}

// Break is the first record that does not hold.
type Break struct {
	Seq     int64  // its number
	EventID string // its id, empty when the record is missing
	Reason  string
}

func (b *Break) String() string {
	if b.EventID == "" {
		return fmt.Sprintf("record %d: %s", b.Seq, b.Reason)
	}
	return fmt.Sprintf("record %d (%s): %s", b.Seq, b.EventID, b.Reason)
}

// errStop ends the walk at the first broken record.
var errStop = errors.New("stop")

// Verify reads the chain as it stands at this moment and checks each record's number, hash, link and signature, and
// that it ends where the signed head says. The error tells that it could not be read; what is wrong with the chain is
// in the report. A gateway may be writing meanwhile.
func Verify(ctx context.Context, db *store.DB, key []byte) (Report, error) {
	h, err := newHasher(key)
	if err != nil {
		return Report{}, err
	}
	v := verifier{hash: h, rep: Report{ByType: map[string]int64{}}}
	err = db.WalkAudit(ctx, v.start, v.record)
	if err != nil && !errors.Is(err, errStop) {
		return Report{}, fmt.Errorf("verify audit chain: %w", err)
	}
	if v.rep.Broken == nil {
		v.end()
	}
	return v.rep, nil
}

type verifier struct {
	hash *hasher
	rep  Report
	want *store.AuditHead // where the chain should end
	prev store.AuditHead  // the record before
	last string           // its type
}

func (v *verifier) start(head *store.AuditHead) error {
	v.want = head
	return nil
}

func (v *verifier) record(r *store.AuditRecord) error {
	if reason := v.check(r); reason != "" {
		v.rep.Broken = &Break{Seq: r.Seq, EventID: r.EventID(), Reason: reason}
		if r.Seq > v.prev.Seq+1 { // the first thing wrong is what is not there
			v.rep.Broken = &Break{Seq: v.prev.Seq + 1, Reason: missing(v.prev.Seq+1, r.Seq-1)}
		}
		return errStop
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
	v.last = r.Type
	v.rep.Records++
	v.rep.ByType[r.Type]++
	v.prev = store.AuditHead{Seq: r.Seq, At: r.At, Hash: [32]byte(r.Hash)}
	v.rep.Last, v.rep.LastTime, v.rep.LastHash = r.Seq, r.Time(), v.prev.Hash
	return nil
}

func (v *verifier) check(r *store.AuditRecord) string {
	switch {
	case r.Seq != v.prev.Seq+1:
		return "its number does not follow"
	case len(r.Hash) != 32 || len(r.Sig) != 32:
		return "its hash or signature has a wrong length"
	}
	sum := v.hash.record(&v.prev.Hash, r.Seq, r.At, r.Tenant, r.Type, r.Payload)
	sumFits := hmac.Equal(sum[:], r.Hash)
	stored := [32]byte(r.Hash)
	sig := v.hash.sign(&stored)
	sigFits := hmac.Equal(sig[:], r.Sig)
	switch {
	case !sumFits && !sigFits:
		return "its hash was changed, or it was forged without the key"
	case !sumFits:
		return "its content, its place or the record before it was changed"
	case !sigFits:
		return "its signature does not fit this key"
	case r.At < v.prev.At:
		return "its time lies before that of the record before it"
	}
	return ""
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
