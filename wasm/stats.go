package wasm

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// sampleEvery is the number of calls per timed call.
const sampleEvery = 16

// Stats are the counters of a version since it was loaded.
type Stats struct {
	Name, Digest string
	// Calls counts calls of the guest, Bytes the text passed to it, and Findings its findings. Held text of streams is counted once.
	Calls, Bytes, Findings uint64
	// Fuel is the weight of the code that its instances have run, as the meter counts it. Up to one slice of 20,000 per instance is not
	// included yet.
	Fuel uint64
	// Faults counts faults by kind; calls refused by the breaker count as overloads.
	Faults map[core.Fault]uint64
	// Sampled calls took Time together. Every sixteenth call is timed, because reading the clock for each would cost as much as the rest
	// of a short call.
	Sampled uint64
	Time    time.Duration
	// Stalled is how long guests stood still in the middle of calls because the machine was busy with something else. Queued is how long
	// callers waited for an instance. Neither counts against a guest.
	Stalled, Queued time.Duration
	// Instances is the number of live instances, which together hold Memory bytes of linear memory.
	Instances int
	Memory    int64
	// Streams is the number of answers that currently hold an instance.
	Streams int
	// OutOfService is true while the breaker is open.
	OutOfService bool
}

// Stats returns a snapshot of the counters.
func (v *Version) Stats() Stats {
	s := Stats{
		Name: v.Name, Digest: v.Digest,
		Calls: v.calls.Load(), Bytes: v.bytes.Load(), Findings: v.findings.Load(), Fuel: v.ticks.Load() * slice,
		Faults:  map[core.Fault]uint64{},
		Sampled: v.sampled.Load(), Time: time.Duration(v.spent.Load()),
		Instances: int(v.live.Load()), Memory: v.memory.Load(),
		Stalled: time.Duration(v.stalled.Load()), Queued: time.Duration(v.queued.Load()),
		Streams:      v.pool.countStreams(),
		OutOfService: !v.breaker.circuit.IsClosed(),
	}
	for k := range v.faults {
		if n := v.faults[k].Load(); n > 0 {
			s.Faults[core.Fault(k)] = n
		}
	}
	return s
}

// Mean returns the mean time of the timed calls, or 0 if none was timed.
func (s *Stats) Mean() time.Duration {
	if s.Sampled == 0 {
		return 0
	}
	return s.Time / time.Duration(s.Sampled)
}
