package plugins

import (
	"maps"

	"github.com/headgate-dev/headgate/wasm"
)

// Stats returns the counters of every module that was ever loaded, by digest and file. They only grow, except for
// instances, memory and the out-of-service flag, which describe the present.
func (d *Dir) Stats() []wasm.Stats {
	d.state.Lock()
	defer d.state.Unlock()
	d.retire()
	sums := map[string]wasm.Stats{}
	for _, v := range d.live {
		addStats(sums, v.Stats())
	}
	for _, s := range d.retired {
		addStats(sums, s)
	}
	out := make([]wasm.Stats, 0, len(sums))
	for _, s := range sums {
		out = append(out, s)
	}
	sortBy(out, func(s wasm.Stats) string { return s.Name + "\x00" + s.Digest })
	return out
}

// retire stores the counters of versions that have closed, and releases the versions. The caller holds the lock.
func (d *Dir) retire() {
	keep := d.live[:0]
	for _, v := range d.live {
		select {
		case <-v.CloseSignal():
			addStats(d.retired, v.Stats())
		default:
			keep = append(keep, v)
		}
	}
	clear(d.live[len(keep):])
	d.live = keep
}

func addStats(sums map[string]wasm.Stats, s wasm.Stats) {
	key := s.Name + "\x00" + s.Digest
	t, ok := sums[key]
	if !ok {
		s.Faults = maps.Clone(s.Faults)
		sums[key] = s
		return
	}
	t.Calls += s.Calls
	t.Bytes += s.Bytes
	t.Findings += s.Findings
	t.Fuel += s.Fuel
	t.Sampled += s.Sampled
	t.Time += s.Time
	t.Instances += s.Instances
	t.Memory += s.Memory
	t.Streams += s.Streams
	t.Stalled += s.Stalled
	t.Queued += s.Queued
	t.OutOfService = t.OutOfService || s.OutOfService
	for k, n := range s.Faults {
		t.Faults[k] += n
	}
	sums[key] = t
}
