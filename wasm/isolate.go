package wasm

import (
	"context"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// Isolation says what an instance may remember of what it has served.
type Isolation uint8

// Isolations. The zero value lets an instance remember: a guest that is trusted
// with all tenants may keep a cache.
const (
	IsolateNone   Isolation = iota
	IsolateTenant           // nothing of another tenant
	IsolateCall             // nothing: neither of another tenant nor of an earlier check
)

var isolations = [...]string{"none", "tenant", "call"}

func (l Isolation) String() string {
	if int(l) < len(isolations) {
		return isolations[l]
	}
	return isolations[0]
}

// ParseIsolation finds an isolation by its name; empty is none.
func ParseIsolation(name string) (Isolation, error) {
	for l, n := range isolations {
		if n == name {
			return Isolation(l), nil
		}
	}
	if name == "" {
		return IsolateNone, nil
	}
	return 0, fmt.Errorf("isolate %q is not known; write none, tenant or call", printable(name, 40))
}

// snapshot is an instance as it was when it had been configured and had seen no
// text: what all instances are taken back to.
type snapshot struct {
	memory   []byte
	globals  []uint64
	in, room uint32
	clock    time.Duration
}

// resets reports whether instances are ever taken back. With hg_stream each answer
// begins with a guest that knows of no other, whatever the link says: else what is
// decided about a text would depend on what was there before.
func (v *Version) resets() bool {
	return (v.limits.Isolate != IsolateNone || v.has.stream) && !v.state.Beyond
}

// keepGlobals finds the globals that the guest may change.
func (i *instance) keepGlobals() {
	for _, name := range i.v.state.Globals {
		if g, ok := i.mod.ExportedGlobal(name).(api.MutableGlobal); ok {
			i.globals = append(i.globals, g)
		}
	}
}

// snap takes the snapshot. The guest is asked for room before, so that a text of
// usual length does not make its memory grow later.
func (i *instance) snap(ctx context.Context) (*snapshot, error) {
	i.call.arm(ctx, forTime(i.v.limits.Start))
	defer i.call.disarm()
	if i.detector != nil || i.streamer != nil { // a stage reads texts where it likes
		if err := i.reserve(pieceBytes); err != nil {
			return nil, err
		}
	}
	i.measure()
	s := &snapshot{in: i.in, room: i.room, clock: i.clock}
	if b, ok := i.mem.Read(0, i.mem.Size()); ok {
		s.memory = append(s.memory, b...)
	}
	for _, g := range i.globals {
		s.globals = append(s.globals, g.Get())
	}
	return s, nil
}

// reset takes the instance back to the snapshot. It reports false when that
// cannot be done and the instance must be made anew: a memory that has grown
// cannot shrink, and its size would tell of the text that made it grow.
func (i *instance) reset() bool {
	s := i.v.snapshot
	if s == nil {
		return false
	}
	have := i.mem.Size()
	if int(have) < len(s.memory) {
		// One that was made since was not asked for room.
		if _, ok := i.mem.Grow((uint32(len(s.memory)) - have) / pageSize); !ok {
			return false
		}
	}
	if int(i.mem.Size()) != len(s.memory) || !i.mem.Write(0, s.memory) {
		return false
	}
	for k, g := range i.globals {
		g.Set(s.globals[k])
	}
	i.in, i.room, i.clock = s.in, s.room, s.clock
	i.parts, i.used, i.served, i.stale = 0, false, false, false
	return true
}

// foreign reports whether the instance remembers what it may not show to the
// tenant's next check.
func (i *instance) foreign(tenant string) bool {
	if i.v.has.byStream() {
		return i.used
	}
	switch i.v.limits.Isolate {
	case IsolateTenant:
		return i.used && i.caller.tenant != tenant
	case IsolateCall:
		return i.used
	}
	return false
}

// prepare makes an instance fit to serve a caller. One that must forget is taken back, or
// another comes in its place.
func (v *Version) prepare(ctx context.Context, i *instance, who caller, forget bool) (*instance, error) {
	if forget && !i.reset() {
		i.close()
		var err error
		if i, err = v.pool.make(ctx); err != nil {
			return nil, err
		}
	}
	i.stale = i.stale || i.served && i.caller != who
	i.used, i.served, i.caller = true, true, who
	return i, nil
}
