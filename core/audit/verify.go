package audit

import (
	"context"
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

// Verify reads the chain as it stands at this moment and checks each record's number, content and place, each segment's
// signature, and that the chain ends where the signed head says. The error tells that it could not be read; what is
// wrong with the chain is in the report. A gateway may be writing meanwhile.
func Verify(ctx context.Context, db *store.DB, key []byte) (Report, error) {
	h, err := newHasher(key)
	if err != nil {
		return Report{}, err
	}
	v := verifier{hash: h, rep: Report{ByType: map[string]int64{}}, kinds: map[string]string{}}
	err = db.WalkAudit(ctx, v.start, v.segment)
	if err != nil && !errors.Is(err, errStop) {
		return Report{}, fmt.Errorf("verify audit chain: %w", err)
	}
	if v.rep.Broken == nil {
		v.end()
	}
	return v.rep, nil
}
