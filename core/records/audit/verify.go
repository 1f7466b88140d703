package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Report is the outcome of the verification of one node's chain.
type Report struct {
	Node        string           // "" for what was written before nodes had names
	Records     int64            // records that hold, counted up to the first broken one
	First, Last int64            // numbers of the first and the last of them
	LastTime    time.Time        // when the last of them was written
	LastHash    [32]byte         // its hash: kept elsewhere, it also proves that no older copy was put back
	ByType      map[string]int64 // records by event type
	Starts      int64            // how often a gateway started
	Gaps        []Gap            // starts after a shutdown that was not orderly
	Checkpoints int64            // signed heads within the chain
	Signed      int64            // number of the last record that a checkpoint covers
	Removed     *Removal         // what retention has removed; nil: nothing
	Broken      *Break           // the first record that does not hold; nil when the chain is whole
	// Unanswered counts requests without a response, Killed those that the end of a gateway without a shutdown explains,
	// and Running those that may still be answered. Open lists the first thousand of Unanswered and Killed.
	Unanswered, Killed, Running int64
	Open                        []Unanswered

	seen []place // where this node saw the chains of others end, the last one of each
}

// Valid says whether the chain is whole.
func (r *Report) Valid() bool { return r.Broken == nil }

// Removal is what retention has removed from the start of a chain.
type Removal struct {
	Through  int64            // the number of the last record that is gone
	LastTime time.Time        // when that was written
	At       time.Time        // when it was removed
	ByType   map[string]int64 // how many records of each type are gone
}

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

// Proof is the outcome of the verification of all chains.
type Proof struct {
	Chains []Report // by node
}

// Valid says whether all chains are whole.
func (p *Proof) Valid() bool {
	return !slices.ContainsFunc(p.Chains, func(r Report) bool { return !r.Valid() })
}

// Records is how many records hold, over all chains.
func (p *Proof) Records() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Records
	}
	return n
}

// ByType is how many records of each type hold, over all chains.
func (p *Proof) ByType() map[string]int64 {
	sums := map[string]int64{}
	for i := range p.Chains {
		for kind, n := range p.Chains[i].ByType {
			sums[kind] += n
		}
	}
	return sums
}

// Unanswered is how many requests have no response, and no end of a gateway that explains it, over all chains.
func (p *Proof) Unanswered() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Unanswered
	}
	return n
}

// Killed is how many requests were under way when a gateway ended without a shutdown, over all chains.
func (p *Proof) Killed() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Killed
	}
	return n
}

// errStop ends the walk at the first broken record.
var errStop = errors.New("stop")

// Verify checks the chains of all nodes, each as VerifyChain does, and that no chain ends before a place where another
// node has seen it.
func Verify(ctx context.Context, db *store.DB, key []byte) (Proof, error) {
	if _, err := newHasher(key); err != nil {
		return Proof{}, err
	}
	nodes, err := db.Audit().ListNodes(ctx)
	if err != nil {
		return Proof{}, fmt.Errorf("verify audit chains: %w", err)
	}
	var p Proof
	for _, node := range nodes {
		r, err := VerifyChain(ctx, db, key, node)
		if err != nil {
			return Proof{}, err
		}
		p.Chains = append(p.Chains, r)
	}
	for i := range p.Chains {
		for _, seen := range p.Chains[i].seen {
			if err := p.compare(ctx, db, p.Chains[i].Node, seen); err != nil {
				return Proof{}, fmt.Errorf("verify audit chains: %w", err)
			}
		}
	}
	return p, nil
}

// compare checks what the witness has seen of another node's chain against that chain.
func (p *Proof) compare(ctx context.Context, db *store.DB, witness string, seen place) error {
	at := slices.IndexFunc(p.Chains, func(r Report) bool { return r.Node == seen.Node })
	if at < 0 {
		p.Chains = append(p.Chains, Report{Node: seen.Node, ByType: map[string]int64{}, Broken: &Break{
			Seq: seen.Seq, Reason: fmt.Sprintf("the chain is gone; node %q has seen it", witness),
		}})
		return nil
	}
	r := &p.Chains[at]
	if r.Broken != nil || r.Removed != nil && seen.Seq <= r.Removed.Through {
		return nil
	}
	if seen.Seq > r.Last {
		r.Broken = &Break{
			Seq:    r.Last + 1,
			Reason: describeGap(r.Last+1, seen.Seq) + fmt.Sprintf(" at the end, where node %q has seen them", witness),
		}
		return nil
	}
	hash, err := db.Audit().GetHash(ctx, seen.Node, seen.Seq)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || fmt.Sprintf("%x", hash) != seen.Hash {
		r.Broken = &Break{Seq: seen.Seq, Reason: fmt.Sprintf("node %q has seen another record in its place", witness)}
	}
	return nil
}

// VerifyChain reads a node's chain as it stands at this moment and checks each record's number, content and place, each
// segment's and checkpoint's signature, that the chain begins where it was made or where retention has cut it, and that
// it ends where the signed head says. The error tells that it could not be read; what is wrong with the chain is in the
// report. A gateway may be writing meanwhile.
func VerifyChain(ctx context.Context, db *store.DB, key []byte, node string) (Report, error) {
	v, err := newVerifier(key, node)
	if err != nil {
		return Report{}, err
	}
	err = db.Audit().Walk(ctx, node, v.start, v.segment)
	if err != nil && !errors.Is(err, errStop) {
		return Report{}, fmt.Errorf("verify audit chain of node %q: %w", node, err)
	}
	if v.rep.Broken == nil {
		v.end()
	}
	v.calls.finish(v.rep.LastTime)
	v.rep.Unanswered, v.rep.Killed, v.rep.Running, v.rep.Open = v.calls.lost, v.calls.killed, v.calls.running, v.calls.list
	for _, node := range slices.Sorted(maps.Keys(v.seen)) {
		v.rep.seen = append(v.rep.seen, v.seen[node])
	}
	return v.rep, nil
}
