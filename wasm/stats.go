package wasm

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// sampleEvery is how many calls there are to each one that is timed.
const sampleEvery = 16

// Stats are a version's counters since it was loaded.
type Stats struct {
	Name, Digest string
	// Calls are calls of the guest, Bytes the text it was given, Findings what
	// it found, held text of streams counted once.
	Calls, Bytes, Findings uint64
	// Fuel is the weight of the code that its instances have run, as the meter counts it; up to
	// one slice of 20,000 for each instance is not told of yet.
	Fuel uint64
	// Faults counts by kind; calls refused by the breaker are overloads.
	Faults map[core.Fault]uint64
	// Sampled calls took Time together: every sixteenth call is timed, as reading
	// the clock for each would cost as much as the rest of a short one.
	Sampled uint64
	Time    time.Duration
	// Stalled is for how long guests stood still in the middle of calls, because the machine was busy with something else, and
	// Queued for how long callers waited for an instance. Neither counts against a guest.
	Stalled, Queued time.Duration
	// Instances are alive, and hold Memory bytes of linear memory together.
	Instances int
	Memory    int64
	// Streams are the answers that hold an instance of their own now.
	Streams int
	// OutOfService is true while the breaker is open.
	OutOfService bool
}

// Stats reads the counters.
func (v *Version) Stats() Stats {
	s := Stats{
		Name: v.Name, Digest: v.Digest,
		Calls: v.calls.Load(), Bytes: v.bytes.Load(), Findings: v.findings.Load(), Fuel: v.ticks.Load() * slice,
		Faults:  map[core.Fault]uint64{},
		Sampled: v.sampled.Load(), Time: time.Duration(v.spent.Load()),
		Instances: int(v.live.Load()), Memory: v.memory.Load(),
		Stalled: time.Duration(v.stalled.Load()), Queued: time.Duration(v.queued.Load()),
		Streams:      v.pool.streams(),
		OutOfService: !v.breaker.circuit.IsClosed(),
	}
	for k := range v.faults {
		if n := v.faults[k].Load(); n > 0 {
			s.Faults[core.Fault(k)] = n
		}
	}
	return s
}

// Mean is the mean time of a call, of those that were timed; 0: none was.
func (s *Stats) Mean() time.Duration {
	if s.Sampled == 0 {
		return 0
	}
	return s.Time / time.Duration(s.Sampled)
}
