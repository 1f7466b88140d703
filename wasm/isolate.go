package wasm

import (
	"context"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// Isolation is what an instance may remember of the calls it served.
type Isolation uint8

// Isolations. The zero value lets an instance remember everything: a guest trusted with all tenants may keep a cache.
const (
	IsolateNone   Isolation = iota
	IsolateTenant           // remembers nothing of another tenant
	IsolateCall             // remembers nothing, neither of another tenant nor of an earlier check
)

var isolations = [...]string{"none", "tenant", "call"}

func (l Isolation) String() string {
	if int(l) < len(isolations) {
		return isolations[l]
	}
	return isolations[0]
}

// ParseIsolation returns the isolation with a name; "" is none.
func ParseIsolation(name string) (Isolation, error) {
	for l, n := range isolations {
		if n == name {
			return Isolation(l), nil
		}
	}
	if name == "" {
		return IsolateNone, nil
	}
	return 0, fmt.Errorf("unknown isolate %q; write none, tenant or call", stripControls(name, 40))
}

// snapshot is the state of an instance after its configuration and before any text. All instances are reset to it.
type snapshot struct {
	memory   []byte
	globals  []uint64
	in, room uint32
	clock    time.Duration
}

// resets reports whether instances are ever reset. With hg_stream each answer begins on a guest without state of another answer, whatever
// the link's setting: otherwise the decision about a text would depend on earlier answers.
func (v *Version) resets() bool {
	return (v.limits.Isolate != IsolateNone || v.has.stream) && !v.state.Beyond
}

// findMutableGlobals finds the globals that the guest may change.
func (i *instance) findMutableGlobals() {
	for _, name := range i.v.state.Globals {
		if g, ok := i.mod.ExportedGlobal(name).(api.MutableGlobal); ok {
			i.globals = append(i.globals, g)
		}
	}
}

// createSnapshot takes the snapshot. It first makes the guest reserve room, so that a text of usual length does not
// grow its memory later.
func (i *instance) createSnapshot(ctx context.Context) (*snapshot, error) {
	i.call.arm(ctx, newTimeAllowance(i.v.limits.Start))
	defer i.call.disarm()
	if i.detector != nil || i.streamer != nil { // a stage chooses where it reads texts
		if err := i.reserve(pieceBytes); err != nil {
			return nil, err
		}
	}
	i.measureMemory()
	s := &snapshot{in: i.in, room: i.room, clock: i.clock}
	if b, ok := i.mem.Read(0, i.mem.Size()); ok {
		s.memory = append(s.memory, b...)
	}
	for _, g := range i.globals {
		s.globals = append(s.globals, g.Get())
	}
	return s, nil
}

// reset resets the instance to the snapshot. It returns false if that is impossible and the instance must be replaced: a memory that has
// grown cannot shrink, and its size would reveal the text that made it grow.
func (i *instance) reset() bool {
	s := i.v.snapshot
	if s == nil {
		return false
	}
	have := i.mem.Size()
	if int(have) < len(s.memory) {
		// An instance created since was not asked to reserve room.
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

// isForeign reports whether the instance remembers something that the tenant's next check must not see.
func (i *instance) isForeign(tenant string) bool {
	if i.v.has.detectsByStream() {
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

// prepare readies an instance for a caller. An instance that must forget is reset or replaced.
func (v *Version) prepare(ctx context.Context, i *instance, who caller, forget bool) (*instance, error) {
	if forget && !i.reset() {
		i.close()
		var err error
		if i, err = v.pool.createInstance(ctx); err != nil {
			return nil, err
		}
	}
	i.stale = i.stale || i.served && i.caller != who
	i.used, i.served, i.caller = true, true, who
	return i, nil
}
