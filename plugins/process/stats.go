package process

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stats are a plugin's counters since its link was first created.
type Stats struct {
	Link, File, Name, Version, Digest string
	// State is running or restarting.
	State string
	// PID is the process id, or 0 if the process does not run.
	PID int
	// Calls is the number of calls, Busy their total duration.
	Calls uint64
	Busy  time.Duration
	// Restarts is how often the process was restarted.
	Restarts uint64
	// Faults counts by outcome.
	Faults map[Outcome]uint64

	began time.Time
}

// counters are those of one process.
type counters struct {
	calls, restarts atomic.Uint64
	busy            atomic.Int64
	faults          sync.Map // Outcome -> *atomic.Uint64
}

func (c *counters) count(o Outcome) {
	n, ok := c.faults.Load(o)
	if !ok {
		n, _ = c.faults.LoadOrStore(o, new(atomic.Uint64))
	}
	n.(*atomic.Uint64).Add(1)
}

// stats returns the counters.
func (p *process) stats() Stats {
	s := Stats{
		Link:     p.spec.Link,
		File:     p.spec.File,
		Name:     p.agreed.name,
		Version:  p.agreed.version,
		Digest:   p.exe.digest,
		State:    "restarting",
		Calls:    p.counters.calls.Load(),
		Busy:     time.Duration(p.counters.busy.Load()),
		Restarts: p.counters.restarts.Load(),
		Faults:   map[Outcome]uint64{},
		began:    p.began,
	}
	if now := p.now.Load(); now != nil && now.isRunning() {
		s.PID, s.State = int(now.child.pid.Load()), "running"
	}
	p.counters.faults.Range(func(o, n any) bool {
		s.Faults[o.(Outcome)] = n.(*atomic.Uint64).Load()
		return true
	})
	return s
}

func (s *session) isRunning() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// merge adds the counts of an ended process to those of its link.
func (s Stats) merge(old Stats) Stats {
	s.Calls += old.Calls
	s.Busy += old.Busy
	s.Restarts += old.Restarts
	faults := map[Outcome]uint64{}
	for o, n := range s.Faults {
		faults[o] = n
	}
	for o, n := range old.Faults {
		faults[o] += n
	}
	s.Faults = faults
	return s
}
