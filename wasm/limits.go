package wasm

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Limits bounds what one plugin may take. A field that is zero takes its
// default.
type Limits struct {
	// Memory is the most memory of one instance, in bytes; 16 MiB by default,
	// at most MaxMemory.
	Memory int64
	// Instances is the most instances at one time; twice GOMAXPROCS by default.
	Instances int
	// Fuel is what one judgement may use, all texts of a phase or one window of a stream, in units of the meter: about one
	// for an instruction, of which a machine of 2026 runs 2.5 to 10 in a nanosecond. By default it follows Timeout or, without
	// one, the length of each text.
	Fuel int64
	// Timeout is how long the guest may run for one judgement. Time in which it did not run, because the machine was busy
	// with something else, does not count. By default it follows Fuel.
	Timeout time.Duration
	// Queue is how long a call waits for an instance, if the request's own time is not up before; 30 s by default.
	Queue time.Duration
	// Streams is the most streamed answers that may hold an instance of their own
	// at one time, see abi.ExportStream; 32 by default.
	Streams int
	// Isolate says what an instance may remember.
	Isolate Isolation
	// Start is what each step of a module's first run may take: instantiating it,
	// configuring it, each text of the canary; 1 s by default.
	Start time.Duration
	// Spans is the most that one call may report, at most abi.MaxSpans, which is
	// the default.
	Spans int
	// LogLines is how much a guest may log in a second; 10 by default.
	LogLines int
	// Module bounds what the module may hold and how deep it may call. Its
	// MemoryPages and Slice are set from here.
	Module meter.Limits
}

const (
	// MaxMemory is the highest memory limit that can be set.
	MaxMemory     = 256 << 20
	defaultMemory = 16 << 20
	pageSize      = 64 << 10
	maxInstances  = 1024

	defaultStreams = 32
	maxStreams     = 4096
)

// startTime is what each step of a module's first run may take where Limits do
// not say.
const startTime = time.Second

// queueTime is how long a call waits for an instance where Limits do not say.
const queueTime = 30 * time.Second

// instanceTime is what making a further instance may take. A Go guest needs
// 5 ms on an idle machine.
const instanceTime = 250 * time.Millisecond

func (l Limits) withDefaults() (Limits, error) {
	switch {
	case l.Memory < 0 || l.Memory > MaxMemory:
		return l, fmt.Errorf("the memory limit must be at most %d bytes", MaxMemory)
	case l.Instances < 0 || l.Instances > maxInstances:
		return l, fmt.Errorf("the number of instances must be at most %d", maxInstances)
	case l.Fuel < 0:
		return l, fmt.Errorf("the fuel must not be negative")
	case l.Queue < 0:
		return l, fmt.Errorf("the time in line must not be negative")
	case l.Timeout < 0:
		return l, fmt.Errorf("the timeout must not be negative")
	case l.Streams < 0 || l.Streams > maxStreams:
		return l, fmt.Errorf("the number of streams must be at most %d", maxStreams)
	case l.Start < 0:
		return l, fmt.Errorf("the time to start must not be negative")
	case l.Spans < 0 || l.Spans > abi.MaxSpans:
		return l, fmt.Errorf("the number of spans must be at most %d", abi.MaxSpans)
	case l.LogLines < 0:
		return l, fmt.Errorf("the number of log lines must not be negative")
	case l.Isolate > IsolateCall:
		return l, fmt.Errorf("isolation %d is not known", l.Isolate)
	}
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	l.Memory = max(l.Memory/pageSize, 1) * pageSize
	if l.Instances == 0 {
		l.Instances = 2 * runtime.GOMAXPROCS(0)
	}
	l.Streams = cmp.Or(l.Streams, defaultStreams)
	l.Start = cmp.Or(l.Start, startTime)
	l.Queue = cmp.Or(l.Queue, queueTime)
	l.Spans = cmp.Or(l.Spans, abi.MaxSpans)
	l.LogLines = cmp.Or(l.LogLines, linesPerSecond)
	return l, nil
}

// meter gives the limits of the check when the module is loaded.
func (l Limits) meter() meter.Limits {
	m := l.Module
	m.MemoryPages, m.Slice = uint32(l.Memory/pageSize), slice
	if m.Depth == 0 {
		m.Depth = meter.DefaultLimits().Depth
	}
	return m
}
