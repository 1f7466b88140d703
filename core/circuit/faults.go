package circuit

import (
	"hash/maphash"
	"sync/atomic"
)

// keySlots is how many counts of keys a Faults has. Two keys that share one are doubted a little early, which costs a canary.
const keySlots = 64

// Faults counts faults in a row, of each key and of all keys together, for callees whose input clients write: there a row of
// faults may be the input's, so that it only raises the question. A known-good input, a canary, answers it. The zero value is
// not ready for use. Safe for concurrent use; while there are no faults a call costs one atomic load.
type Faults struct {
	limit    int32
	seed     maphash.Seed // so that no client can choose its slot
	watching atomic.Bool  // there was a fault since the last Reset
	row      atomic.Int32
	keys     [keySlots]atomic.Int32
}

// Init sets how many faults in a row raise the question. Call it before f is used.
func (f *Faults) Init(limit int) { f.limit, f.seed = int32(limit), maphash.MakeSeed() }

func (f *Faults) findSlot(key string) *atomic.Int32 {
	return &f.keys[maphash.String(f.seed, key)%keySlots]
}

// CountSuccess notes that a call of a key went well.
func (f *Faults) CountSuccess(key string) {
	if !f.watching.Load() {
		return
	}
	f.row.Store(0)
	if n := f.findSlot(key); n.Load() != 0 {
		n.Store(0)
	}
}

// CountFault notes a fault in a call of a key, and reports whether there were too many in a row.
func (f *Faults) CountFault(key string) bool {
	f.watching.Store(true)
	ofKey := f.findSlot(key).Add(1)
	return f.row.Add(1) >= f.limit || ofKey >= f.limit
}

// HasFaults reports whether there was a fault since the last Reset.
func (f *Faults) HasFaults() bool { return f.watching.Load() }

// Reset forgets all faults.
func (f *Faults) Reset() {
	f.watching.Store(false)
	f.row.Store(0)
	for k := range f.keys {
		f.keys[k].Store(0)
	}
}
