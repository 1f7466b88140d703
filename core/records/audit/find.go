package audit

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// FoundRecord is one record with its position in its chain and the evidence for it.
type FoundRecord struct {
	ExportedRecord
	Node string
	Seq  int64
	At   time.Time
	// Hash is SHA-256 over the record and its position. Chain is the hash of the chain after it, or "" if the records
	// before it cannot be read.
	Hash, Chain string
	Segment     [2]int64 // first and last record number of its segment
	Signed      int64    // last record of the chain that a checkpoint covers
	// Broken says what is wrong with the record or its segment; "" if both are sound. Only Verify checks the whole
	// chain.
	Broken string
}

// FindRecord returns the record with an event id. It returns store.ErrNotFound if the record is missing or another
// record is stored at its position.
func FindRecord(ctx context.Context, db *store.DB, key []byte, id string) (FoundRecord, error) {
	node, seq, tag, err := store.ParseEventID(id)
	if err != nil {
		return FoundRecord{}, store.ErrNotFound
	}
	h, err := newHasher(key)
	if err != nil {
		return FoundRecord{}, err
	}
	s, before, err := db.Audit().GetSegment(ctx, node, seq)
	if err != nil {
		return FoundRecord{}, err
	}
	prev, known := h.hashGenesis(node), before != nil || s.First == 1
	if before != nil {
		prev = *before
	}
	f := FoundRecord{Node: node, Seq: seq, Segment: [2]int64{s.First, s.Last}}
	err = s.VisitRecords(func(r *store.AuditRecord) error {
		sum, own := h.hashRecord(&prev, r)
		prev = sum
		if r.Seq != seq {
			return nil
		}
		if r.Tag != tag {
			return store.ErrNotFound
		}
		kept := r.Clone()
		f.ExportedRecord, f.At = ViewRecord(&kept), r.Time()
		f.Hash = fmt.Sprintf("%x", h.hashLeaf(r))
		if known {
			f.Chain = fmt.Sprintf("%x", sum)
		}
		if !hmac.Equal(own[:], r.Tag[:]) {
			f.Broken = "the record's content, its place or its tag was changed"
		}
		return nil
	})
	switch sig := h.signSegment(&s); {
	case errors.Is(err, store.ErrNotFound), err != nil && !errors.Is(err, store.ErrDamaged):
		return FoundRecord{}, err
	case f.EventID == "" && err == nil:
		return FoundRecord{}, store.ErrNotFound
	case f.Broken != "":
	case err != nil:
		f.EventID, f.Broken = id, "the segment that it is stored in cannot be read whole"
	case !hmac.Equal(sig[:], s.Sig[:]):
		f.Broken = "what is signed about the segment that it is stored in was changed"
	case known && prev != s.Hash:
		f.Broken = "the records of its segment do not lead to the hash that is signed"
	}
	c, err := db.Audit().FindLastCheckpoint(ctx, node, 0)
	if err != nil {
		return FoundRecord{}, err
	}
	if c != nil {
		f.Signed = c.Seq - 1
	}
	return f, nil
}
