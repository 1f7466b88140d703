package wasm

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// SandboxCase is a hostile guest, the limit that stops it, and a limit high enough for it to finish: its work is finite, so that both
// outcomes can be observed.
type SandboxCase struct {
	Guest   string // what it does
	Limit   string // what stops it
	Outcome core.Fault
	Refused string // error of a module that is not even loaded
	Source  []byte
	Text    string // triggers it; "!" if empty
	Tight   Limits
	Loose   Limits

	Lines int  // log lines that it writes, of which those above a limit are dropped
	Waits bool // its log line blocks, so that a second caller finds it busy
	Opens bool // two streamed answers at the same time

	Streamed bool // triggered by a streamed answer instead of a request
	Broken   bool // it violates the contract, not a limit, so that it never finishes
}

// cutAt is the deadline of guests that are to be cut. Each of them works for about ten times as long.
const cutAt = 10 * time.Millisecond

// long and patient are generous time limits.
var (
	hurried = Limits{Timeout: cutAt}
	patient = Limits{Timeout: 10 * time.Minute, Start: 10 * time.Minute}
)

// Racing exports raceEnabled to external tests.
const Racing = raceEnabled

func (l Limits) change(change func(*Limits)) Limits {
	change(&l)
	return l
}

// count runs code n times, counting in the local with index x.
func count(x byte, n int32, code []byte) []byte {
	return cat(i32c(0), []byte{0x21, x, 0x03, 0x40}, code,
		[]byte{0x20, x}, i32c(1), []byte{0x6a, 0x22, x}, i32c(n), []byte{0x49, 0x0d, 0, 0x0b})
}

// works returns a guest that runs code n times if the text starts with '!', and then finds nothing.
func works(g guest, n int32, code []byte) guest {
	g.locals = 2
	g.detect = onMark(cat(count(3, n, code), i64c(0)))
	return g
}

// listTimed returns the guests that work for a long time.
func listTimed() map[string]guest {
	tree := guest{detect: onMark(cat(callf(firstCase), i64c(0)))}
	for k := range 24 {
		tree.funcs = append(tree.funcs, fn{typ: typNone, code: repeat(callf(firstCase+k+1), 2)})
	}
	tree.funcs = append(tree.funcs, fn{typ: typNone})
	divide := func(n int) fn { return fn{typ: typI, code: cat(i32c(7), repeat(cat(i32c(3), []byte{0x6e}), n))} }
	indirect := guest{table: 2, elements: []int{0, 0}, funcs: []fn{divide(10)}}
	stream := guest{
		nodetect: true, locals: 1,
		stream: onOperation(abi.StreamPush, cat([]byte{0x20, 2, 0x04, 0x40}, count(4, 100_000_000, nil), []byte{0x0b}, i64c(0))),
	}
	null := []byte{0xd0, 0x70}
	return map[string]guest{
		"a loop":                         works(guest{}, 100_000_000, nil),
		"a tree of calls without a loop": tree,
		"a loop of 200 calls to a leaf of 200 divisions": works(guest{funcs: []fn{divide(200)}}, 1500, repeat(cat(callf(firstCase), drop), 200)),
		"5000 calls without a loop, of a straight line":  works(guest{funcs: []fn{divide(2000)}}, 6, repeat(cat(callf(firstCase), drop), 5000)),
		"a straight line of 60 KB in a loop": works(
			guest{},
			7000,
			repeat(cat([]byte{0x20, 4}, i32c(3), []byte{0x6e, 0x21, 4}), 9000),
		),
		"a loop of indirect calls": works(indirect, 6_000_000, cat(i32c(1), []byte{0x11, typI, 0}, drop)),
		"a loop through a branch table": works(guest{}, 80_000_000, cat(
			[]byte{0x02, 0x40, 0x02, 0x40, 0x20, 3}, i32c(1), []byte{0x71, 0x0e, 1, 0, 1, 0x0b, 0x0b})),
		"a loop of vector roots": works(guest{}, 150_000_000, cat(
			[]byte{0xfd, 0x0c}, make([]byte, 16), []byte{0xfd, 0xef, 0x01, 0xfd, 0xef, 0x01, 0xfd, 0x53}, drop)),
		"fillings of 12 MB":              works(guest{pages: 200}, 400, cat(i32c(2048), i32c(7), i32c(12<<20), []byte{0xfc, 0x0b, 0})),
		"copies of 12 MB":                works(guest{pages: 200}, 500, cat(i32c(2048), i32c(4096), i32c(12<<20), []byte{0xfc, 0x0a, 0, 0})),
		"fillings of a table":            works(guest{table: 60_000}, 20_000, cat(i32c(0), null, i32c(60_000), []byte{0xfc, 0x11, 0})),
		"copies of a table":              works(guest{table: 60_000}, 15_000, cat(i32c(0), i32c(1), i32c(59_000), []byte{0xfc, 0x0e, 0, 0})),
		"a memory that grows by nothing": works(guest{}, 600_000, cat(i32c(0), []byte{0x40, 0}, drop)),
		"calls of the log": works(guest{imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}}}, 1_500_000,
			cat(i32c(2), i32c(0), i32c(200_000), callf(0))),
		"much randomness": works(guest{pages: 200, imports: []importedFunc{{wasiModule, "random_get", typIII}}}, 4,
			cat(i32c(2048), i32c(12<<20), callf(0), drop)),
		"waiting": works(guest{imports: []importedFunc{{wasiModule, "poll_oneoff", typIIIII}}}, 1_000_000,
			cat(i32c(0), i32c(4096), i32c(1), i32c(8192), callf(0), drop)),
		"a loop in hg_stream": stream,
	}
}

// recursive calls itself n levels deep; fat frames hold many values across the call.
func recursive(n int32, fat bool) guest {
	f := fn{typ: typII, locals: 1}
	down := cat(
		[]byte{0x20, 0, 0x45, 0x04, 0x7f},
		i32c(0),
		[]byte{0x05},
		[]byte{0x20, 0},
		i32c(1),
		[]byte{0x6b},
		callf(firstCase),
		i32c(1),
		[]byte{0x6a, 0x0b},
	)
	f.code = down
	if fat { // every local is changed, and needed after the call
		f.locals = 800
		var set, get []byte
		for k := range 800 {
			set = cat(set, []byte{0x20, 0}, i32c(int32(k)), []byte{0x6a, 0x21}, uleb(uint32(k+1)))
			get = cat(get, []byte{0x20}, uleb(uint32(k+1)), []byte{0x6a})
		}
		f.code = cat(set, down, get)
	}
	return guest{funcs: []fn{f}, detect: onMark(cat(i32c(n), callf(firstCase), drop, i64c(0)))}
}

// mutual recurses n levels deep through a table.
func mutual(n int32) guest {
	call := func(slot int32) []byte {
		return cat(
			[]byte{0x20, 0, 0x45, 0x04, 0x7f},
			i32c(0),
			[]byte{0x05},
			[]byte{0x20, 0},
			i32c(1),
			[]byte{0x6b},
			i32c(slot),
			[]byte{0x11, typII, 0},
			i32c(1),
			[]byte{0x6a, 0x0b},
		)
	}
	return guest{
		table: 2, elements: []int{0, 1}, funcs: []fn{{typ: typII, code: call(1)}, {typ: typII, code: call(0)}},
		detect: onMark(cat(i32c(n), callf(firstCase), drop, i64c(0))),
	}
}

// SandboxCases returns the hostile guests of docs/plugin-sandbox.md.
func SandboxCases() []SandboxCase {
	var out []SandboxCase
	for _, name := range slices.Sorted(maps.Keys(listTimed())) {
		out = append(
			out,
			SandboxCase{Guest: name, Limit: "deadline", Outcome: core.FaultTimeout, Source: listTimed()[name].bytes(), Tight: hurried, Loose: patient},
		)
	}
	calm := patient
	module := func(change func(*meter.Limits)) Limits { return calm.change(func(l *Limits) { change(&l.Module) }) }
	deep := module(func(m *meter.Limits) { m.Depth = 1 << 20 })
	at := func(name, limit string, f core.Fault, g guest, loose Limits) {
		out = append(out, SandboxCase{Guest: name, Limit: limit, Outcome: f, Source: g.bytes(), Tight: calm, Loose: loose})
	}
	at("recursion of 20 000 calls", "depth", core.FaultDepth, recursive(20_000, false), deep)
	at("recursion of 20 000 calls by way of a table", "depth", core.FaultDepth, mutual(20_000), deep)
	at("recursion of 5000 calls with fat frames", "depth", core.FaultDepth, recursive(5000, true), deep)

	grow := works(guest{}, 30, cat(i32c(10), []byte{0x40, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b}))
	at("a memory that grows to 19 MB", "memory", core.FaultMemory, grow, calm.change(func(l *Limits) { l.Memory = 64 << 20 }))
	bytewise := works(guest{}, 300, cat(i32c(1), []byte{0x40, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b}))
	at("the same, page by page", "memory", core.FaultMemory, bytewise, calm.change(func(l *Limits) { l.Memory = 64 << 20 }))
	table := works(
		guest{table: 1},
		10,
		cat([]byte{0xd0, 0x70}, i32c(10_000), []byte{0xfc, 0x0f, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b}),
	)
	at("a table that grows to 100 000 entries", "table", core.FaultTrap, table, module(func(m *meter.Limits) { m.Table = 1 << 20 }))

	spans := make([]abi.Span, 200)
	for k := range spans {
		spans[k] = span(0, 1, 0, 1)
	}
	many := SandboxCase{
		Guest:   "200 spans",
		Limit:   "spans",
		Outcome: core.FaultABI,
		Source:  reporting(spans...).bytes(),
		Tight:   calm,
		Loose:   calm,
	}
	many.Tight.Spans = 100
	out = append(out, many)

	refused := func(name, limit, says string, g guest, loose Limits) {
		out = append(out, SandboxCase{Guest: name, Limit: limit, Refused: says, Source: g.bytes(), Tight: calm, Loose: loose})
	}
	refused(
		"a memory of 300 pages at the start",
		"memory",
		"pages of memory",
		guest{pages: 300},
		calm.change(func(l *Limits) { l.Memory = 64 << 20 }),
	)
	refused(
		"a table of 70 000 entries at the start",
		"table",
		"table entries",
		guest{table: 70_000},
		module(func(m *meter.Limits) { m.Table = 1 << 20 }),
	)
	refused(
		"a function of 70 KB",
		"module: body",
		"bytes of function body",
		guest{funcs: []fn{{typ: typNone, code: repeat([]byte{0x01}, 70_000)}}},
		module(func(m *meter.Limits) { m.Body = 1 << 20 }),
	)
	refused(
		"20 100 functions",
		"module: functions",
		"functions",
		guest{funcs: manyFuncs(20_100)},
		module(func(m *meter.Limits) { m.Functions = 30_000 }),
	)
	refused(
		"a function of 3000 locals",
		"module: locals",
		"locals",
		guest{funcs: []fn{{typ: typNone, locals: 3000}}},
		module(func(m *meter.Limits) { m.Locals = 5000 }),
	)
	big := SandboxCase{
		Guest:   "a module of 2 MB",
		Limit:   "module: size",
		Refused: "bytes of module",
		Source:  guest{pages: 40, data: make([]byte, 2<<20)}.bytes(),
		Tight:   calm,
		Loose:   calm,
	}
	big.Tight.Module.Size = 1 << 20
	out = append(out, big)
	slow := works(guest{}, 100_000_000, nil).detect
	slow = slow[len(onMark(nil)) : len(slow)-len(i64c(0))]
	for _, g := range []struct {
		name string
		guest
	}{
		{"a start function that loops", guest{funcs: []fn{{typ: typNone, locals: 4, code: slow}}, start: 1}},
		{"hg_configure that loops", guest{config: cat(slow, i32c(0)), locals: 2}},
	} {
		out = append(out, SandboxCase{
			Guest: g.name, Limit: "time to start", Refused: "load: could not be started: timeout", Source: g.bytes(),
			Tight: calm.change(func(l *Limits) { l.Start = cutAt }), Loose: calm,
		})
	}

	lines := works(guest{imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}}, data: []byte("a line")}, 1000,
		cat(i32c(2), i32c(spansAt), i32c(6), callf(0)))
	out = append(
		out,
		SandboxCase{
			Guest:  "1000 log lines",
			Limit:  "log rate",
			Lines:  1000,
			Source: lines.bytes(),
			Tight:  calm,
			Loose:  calm.change(func(l *Limits) { l.LogLines = 1 << 20 }),
		},
	)
	one := works(guest{imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}}, data: []byte("wait")}, 1,
		cat(i32c(2), i32c(spansAt), i32c(4), callf(0)))
	out = append(out, SandboxCase{
		Guest: "one that keeps its instance busy", Limit: "instances", Outcome: core.FaultOverload, Waits: true, Source: one.bytes(),
		Tight: Limits{Instances: 1, Timeout: 50 * time.Millisecond, Queue: 50 * time.Millisecond}, Loose: Limits{Instances: 2, Timeout: 50 * time.Millisecond},
	})
	held := guest{nodetect: true, stream: i64c(0)}
	out = append(out, SandboxCase{
		Guest: "two answers that stream at one time", Limit: "streams", Outcome: core.FaultOverload, Opens: true, Source: held.bytes(),
		Tight: calm.change(func(l *Limits) { l.Streams = 1 }), Loose: calm.change(func(l *Limits) { l.Streams = 2 }),
	})
	return append(out, followers()...)
}

func manyFuncs(n int) []fn {
	f := make([]fn, n)
	for k := range f {
		f[k].typ = typNone
	}
	return f
}

// Lateness returns how long after its deadline a call was cut, and how long before the cut the guest was last checked.
func Lateness(err error) (late, gap time.Duration, ok bool) {
	var e *Error
	if !errors.As(err, &e) || e.Kind != core.FaultTimeout {
		return 0, 0, false
	}
	return e.late, e.gap, true
}

// CalmText is a text that triggers none of them.
var CalmText = strings.Repeat("calm ", 100)
