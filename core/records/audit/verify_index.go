package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/records/store"
)

// indexCheck checks the index that lists use to skip runs of records. It is not signed: whoever changes it could hide records
// from every list and export with a filter, while the chain itself is whole.
type indexCheck struct {
	pairs  map[[2]string]int // tenants with types, and their places in names
	names  [][2]string
	now    map[int]struct{} // of the run that has not ended
	first  int64            // of that run
	ending []indexedRun
}

// indexedRun is a run of records that ends with a checkpoint, with its tenants and types.
type indexedRun struct {
	first, last int64
	pairs       []int
}

func newIndexCheck() *indexCheck {
	return &indexCheck{pairs: map[[2]string]int{}, now: map[int]struct{}{}}
}

// addRecord adds a sound record. kind is its interned type.
func (x *indexCheck) addRecord(kind string, r *store.AuditRecord) {
	if x == nil {
		return
	}
	if x.first == 0 {
		x.first = r.Seq
	}
	at, ok := x.pairs[[2]string{r.Tenant, kind}]
	if !ok {
		own := r.Clone()
		at = len(x.names)
		x.names = append(x.names, [2]string{own.Tenant, kind})
		x.pairs[x.names[at]] = at
	}
	x.now[at] = struct{}{}
	if kind != ChainCheckpoint {
		return
	}
	run := indexedRun{first: x.first, last: r.Seq, pairs: make([]int, 0, len(x.now))}
	for at := range x.now {
		run.pairs = append(run.pairs, at)
	}
	x.ending, x.first = append(x.ending, run), r.Seq+1
	clear(x.now)
}

// indexAtOnce is how many entries one query reads.
const indexAtOnce = 1000

// findFault returns the first entry of the index that hides records of the chain, or nil. An entry behind the record last may have been
// written meanwhile, but must cover all of the run that has not ended.
func (x *indexCheck) findFault(ctx context.Context, db *store.DB, node string, last int64) (*Break, error) {
	runs := x.ending
	for behind, more := int64(-1), true; more; {
		list, err := db.Audit().ListIndex(ctx, node, behind, indexAtOnce)
		if err != nil {
			return nil, err
		}
		more = len(list) == indexAtOnce
		for i := range list {
			e := &list[i]
			behind = e.Seq
			for len(runs) > 0 && runs[0].last < e.Seq {
				runs = runs[1:]
			}
			run := &indexedRun{}
			if e.Seq > last {
				if e.First > last {
					continue
				}
				run = x.newOpenRun(e.Seq)
			} else if len(runs) > 0 {
				run = &runs[0]
			}
			if e.Marks != nil && !x.covers(e, run) {
				return &Break{Seq: e.First, Reason: fmt.Sprintf(
					"the index of the records %d to %d was changed: lists and exports of a tenant or a type leave records out", e.First, e.Seq,
				)}, nil
			}
		}
	}
	return nil, nil
}

// newOpenRun returns the run that has not ended, as if a checkpoint at a place had ended it.
func (x *indexCheck) newOpenRun(last int64) *indexedRun {
	return &indexedRun{x.first, last, slices.Collect(maps.Keys(x.now))}
}

// covers reports whether an entry is that of the run and has all its marks.
func (x *indexCheck) covers(e *store.RunCheckpoint, run *indexedRun) bool {
	if e.Seq != run.last || e.First != run.first {
		return false
	}
	for _, at := range run.pairs {
		if e.Hides(x.names[at][0], x.names[at][1]) {
			return false
		}
	}
	return true
}
