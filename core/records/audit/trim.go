package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// trimRecords is the approximate number of records that one removal transaction deletes. It keeps exchanges from
// waiting long for the database.
const trimRecords = 16 * checkpointRecords

// TrimResult is what Trim removed from one chain.
type TrimResult struct {
	Node    string
	Through int64            // number of the last removed record
	Removed map[string]int64 // removed this time, by type
}

// Trim removes records older than age from all chains, up to a checkpoint of each. It verifies what it is about to
// remove and first records its last hash and counts in an event. Verification then begins at the chain's new start,
// which key signs. A chain that fails verification stays as it is, and the error says so.
func (l *Log) Trim(ctx context.Context, key []byte, now time.Time, age time.Duration) ([]TrimResult, error) {
	nodes, err := l.db.Audit().ListNodes(ctx)
	if err != nil {
		return nil, err
	}
	var done []TrimResult
	var errs []error
	for _, node := range nodes {
		t, err := l.trim(ctx, key, node, now, age)
		if err != nil {
			errs = append(errs, fmt.Errorf("audit retention, node %q: %w", node, err))
		} else if t != nil {
			done = append(done, *t)
		}
	}
	return done, errors.Join(errs...)
}

func (l *Log) trim(ctx context.Context, key []byte, node string, now time.Time, age time.Duration) (*TrimResult, error) {
	last, err := l.db.Audit().FindLastCheckpoint(ctx, node, now.Add(-age).UnixMicro())
	if err != nil || last == nil {
		return nil, err
	}
	steps, removed, err := l.plan(ctx, key, node, last.Seq, now)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	end := &steps[len(steps)-1]
	counts, err := json.Marshal(end.Counts)
	if err != nil {
		return nil, err
	}
	var p Payload
	p.AddStr("node", node)
	p.AddInt("through_seq", end.Seq)
	p.AddInt("through_at", end.At)
	p.AddStr("hash", hex.EncodeToString(end.Hash[:]))
	p.AddRaw("removed", counts)
	if err := l.Append(ctx, Event{Type: ChainTrimmed, Payload: p.Bytes()}); err != nil {
		return nil, err
	}
	if err := l.WriteCheckpoint(ctx); err != nil { // sign the announcement before removing anything
		return nil, err
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	for i := range steps {
		if err := l.db.Audit().Trim(ctx, node, &steps[i]); err != nil {
			return nil, err
		}
	}
	return &TrimResult{Node: node, Through: end.Seq, Removed: removed}, nil
}

// plan verifies the chain up to record upto, and returns the start of the chain after each step of the removal.
func (l *Log) plan(
	ctx context.Context,
	key []byte,
	node string,
	upto int64,
	now time.Time,
) (steps []store.AuditBase, removed map[string]int64, err error) {
	v, err := newVerifier(key, node)
	if err != nil {
		return nil, nil, err
	}
	step := func(before map[string]int64) store.AuditBase {
		counts := maps.Clone(before)
		if counts == nil {
			counts = map[string]int64{}
		}
		for kind, n := range v.rep.ByType {
			counts[kind] += n
		}
		b := store.AuditBase{Seq: v.prev.Seq, At: v.prev.At, Hash: v.prev.Hash, Counts: counts, RemovedAt: now.UnixMicro()}
		b.Sig = v.hash.signBase(node, &b)
		return b
	}
	var before map[string]int64
	from, checkpoints := int64(0), int64(0)
	start := func(base *store.AuditBase, head *store.AuditHead) error {
		if base != nil {
			before, from = base.Counts, base.Seq
		}
		if upto <= from {
			return errStop
		}
		return v.start(base, head)
	}
	v.ends = func() error {
		if v.prev.Seq >= upto {
			if v.prev.Seq == upto {
				steps = append(steps, step(before))
			}
			return errStop
		}
		if v.rep.Checkpoints > checkpoints && v.prev.Seq == v.rep.Signed+1 && v.prev.Seq-from >= trimRecords {
			steps = append(steps, step(before))
			from = v.prev.Seq
		}
		checkpoints = v.rep.Checkpoints
		return nil
	}
	if err := l.db.Audit().Walk(ctx, node, start, v.verifySegment); err != nil && !errors.Is(err, errStop) {
		return nil, nil, err
	}
	if b := v.rep.Broken; b != nil {
		return nil, nil, fmt.Errorf("no record was removed: the chain is broken at %s", b)
	}
	if len(steps) > 0 && steps[len(steps)-1].Seq != upto {
		return nil, nil, fmt.Errorf("no record was removed: record %d does not end a segment", upto)
	}
	return steps, v.rep.ByType, nil
}
