package wasm

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Limits bounds the resources of one plugin. A zero field means its default.
type Limits struct {
	// Memory is the most memory of one instance, in bytes; 16 MiB by default, at most MaxMemory.
	Memory int64
	// Instances is the maximum number of instances at one time; twice GOMAXPROCS by default.
	Instances int
	// Fuel is the most that one judgement (all texts of a phase, or one window of a stream) may use, in units of the meter. A unit is
	// about one instruction, of which a machine of 2026 runs 2.5 to 10 in a nanosecond. By default it follows Timeout or, without one,
	// the length of each text.
	Fuel int64
	// Timeout is the longest running time of the guest for one judgement. Time in which it did not run, because the machine was busy with
	// something else, does not count. By default it follows Fuel.
	Timeout time.Duration
	// Queue is the longest time that a call waits for an instance, unless the request's deadline is earlier; 30 s by default.
	Queue time.Duration
	// Streams is the most streamed answers that may hold an instance at one time, see abi.ExportStream; 32 by default.
	Streams int
	// Isolate limits what an instance may remember.
	Isolate Isolation
	// Start is the time limit of each step of a module's first run: instantiating it, configuring it, and each text of the canary; 1 s by
	// default.
	Start time.Duration
	// Spans is the most spans that one call may report; abi.MaxSpans by default, which is also the maximum.
	Spans int
	// LogLines is the most lines that a guest may log per second; 10 by default.
	LogLines int
	// Module bounds the module's contents and its call depth. MemoryPages and Slice are set from the fields above.
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

// startTime is the default of Limits.Start.
const startTime = time.Second

// queueTime is the default of Limits.Queue.
const queueTime = 30 * time.Second

// instanceTime is the time limit for creating a further instance. A Go guest needs 5 ms on an idle machine.
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
		return l, fmt.Errorf("the time in the queue must not be negative")
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
		return l, fmt.Errorf("unknown isolation %d", l.Isolate)
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

// buildMeterLimits returns the limits for checking the module when it is loaded.
func (l Limits) buildMeterLimits() meter.Limits {
	m := l.Module
	m.MemoryPages, m.Slice = uint32(l.Memory/pageSize), slice
	if m.Depth == 0 {
		m.Depth = meter.NewDefaultLimits().Depth
	}
	return m
}
