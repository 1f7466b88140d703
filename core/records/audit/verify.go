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

// Report is the result of verifying one node's chain.
type Report struct {
	Node        string           // "" for records written before nodes had names
	Records     int64            // sound records before the first broken one
	First, Last int64            // numbers of the first and last of them
	LastTime    time.Time        // time of the last of them
	LastHash    [32]byte         // its hash; if kept elsewhere, it also detects a restored older copy
	ByType      map[string]int64 // records by event type
	Starts      int64            // number of gateway starts
	Gaps        []Gap            // starts that followed an unclean shutdown
	Checkpoints int64            // signed heads in the chain
	Signed      int64            // number of the last record that a checkpoint covers
	Removed     *Removal         // what retention removed, or nil
	Broken      *Break           // the first record that fails, or nil if the chain is whole
	// Unanswered counts requests without a response, Killed those explained by a gateway that stopped without a
	// shutdown, and Running those that may still be answered. Open lists the first thousand of Unanswered and Killed.
	Unanswered, Killed, Running int64
	Open                        []UnansweredRequest

	seen []place // last known ends of the other nodes' chains, according to this node
}

// Valid reports whether the chain is whole.
func (r *Report) Valid() bool { return r.Broken == nil }

// Removal is what retention removed from the start of a chain.
type Removal struct {
	Through  int64            // number of the last removed record
	LastTime time.Time        // time of that record
	At       time.Time        // time of the removal
	ByType   map[string]int64 // removed records by type
}

// Gap is a gateway stop without a shutdown. Records accepted shortly before it may be missing: that is the price of
// batching and no sign of tampering.
type Gap struct {
	After    int64     // number of the last record before the gap
	From, To time.Time // interval of the gap
}

// Break is the first record that fails verification.
type Break struct {
	Seq     int64  // record number
	EventID string // record id, empty if the record is missing
	Reason  string
}

func (b *Break) String() string {
	if b.EventID == "" {
		return fmt.Sprintf("record %d: %s", b.Seq, b.Reason)
	}
	return fmt.Sprintf("record %d (%s): %s", b.Seq, b.EventID, b.Reason)
}

// Proof is the result of verifying all chains.
type Proof struct {
	Chains []Report // by node
}

// Valid reports whether all chains are whole.
func (p *Proof) Valid() bool {
	return !slices.ContainsFunc(p.Chains, func(r Report) bool { return !r.Valid() })
}

// Records returns the number of sound records in all chains.
func (p *Proof) Records() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Records
	}
	return n
}

// ByType returns the number of sound records of each type in all chains.
func (p *Proof) ByType() map[string]int64 {
	sums := map[string]int64{}
	for i := range p.Chains {
		for kind, n := range p.Chains[i].ByType {
			sums[kind] += n
		}
	}
	return sums
}

// CountUnanswered returns the number of requests in all chains whose missing response no gateway stop explains.
func (p *Proof) CountUnanswered() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Unanswered
	}
	return n
}

// CountKilled returns the number of requests in all chains that were under way when a gateway stopped without a shutdown.
func (p *Proof) CountKilled() (n int64) {
	for i := range p.Chains {
		n += p.Chains[i].Killed
	}
	return n
}

// errStop ends the walk at the first broken record.
var errStop = errors.New("stop")

// Verify runs VerifyChain on the chains of all nodes. It also checks that no chain ends before a position that another
// node has recorded.
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

// compare checks the other node's chain against the position that the witness recorded.
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

// VerifyChain reads a node's chain as of now. It checks the number, content and position of each record, the signature
// of each segment and checkpoint, that the chain begins at its genesis or where retention cut it, that it ends at the
// signed head, and that the index of lists hides no record. The report describes faults of the chain; the error means that it could not
// be read. A gateway may be writing meanwhile.
func VerifyChain(ctx context.Context, db *store.DB, key []byte, node string) (Report, error) {
	v, err := newVerifier(key, node)
	if err != nil {
		return Report{}, err
	}
	v.index = newIndexCheck()
	err = db.Audit().Walk(ctx, node, v.start, v.verifySegment)
	if err != nil && !errors.Is(err, errStop) {
		return Report{}, fmt.Errorf("verify audit chain of node %q: %w", node, err)
	}
	if v.rep.Broken == nil {
		v.end()
	}
	if v.rep.Broken == nil {
		if v.rep.Broken, err = v.index.findFault(ctx, db, node, v.rep.Last); err != nil {
			return Report{}, fmt.Errorf("verify audit chain of node %q: %w", node, err)
		}
	}
	v.calls.finish(v.rep.LastTime)
	v.rep.Unanswered, v.rep.Killed, v.rep.Running, v.rep.Open = v.calls.lost, v.calls.killed, v.calls.running, v.calls.list
	for _, node := range slices.Sorted(maps.Keys(v.seen)) {
		v.rep.seen = append(v.rep.seen, v.seen[node])
	}
	return v.rep, nil
}
