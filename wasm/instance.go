package wasm

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// instance is one running guest. One goroutine uses it at a time.
type instance struct {
	v         *Version
	mod       api.Module
	mem       api.Memory
	alloc     api.Function
	detector  api.Function // nil if the guest is a stage, or has hg_stream only
	streamer  api.Function // nil if the guest keeps no state over an answer
	stager    api.Function // nil if the guest is a detector, or has hg_stream only
	configure api.Function
	frames    api.Global          // the private counter of frames
	globals   []api.MutableGlobal // the globals that the guest may change
	rego      *regoGuest          // of a compiled policy, which has none of the hooks
	extism    *extismGuest        // of an Extism plug-in, which has none of the hooks either
	http      *httpGuest          // of an http-wasm module, which has none of the hooks either

	call  callContext
	stack [4]uint64
	in    uint32 // the guest's input buffer
	room  uint32 // its size
	size  uint32 // of the memory, when last measured
	clock time.Duration
	old   bool // idle when the pool was last pruned

	parts  uint32 // of answers, shown to the guest since the instance was created or reset
	used   bool   // has served since it was created or reset
	served bool   // has served a client since then: the canary leaves no client data behind
	stale  bool   // has served another caller than the current one
	caller caller // the last caller

	matches []Match // scratch
	hits    []hit   // scratch
	talk    talk
}

// minInput is the smallest input buffer that the host requests, in bytes.
const minInput = 4 << 10

// newInstance creates an instance and configures it. Both ctx and allowed limit its time.
func (v *Version) newInstance(ctx context.Context, allowed time.Duration) (*instance, error) {
	i := &instance{v: v}
	i.call = callContext{closing: &v.closing, inst: i, starting: true}
	i.call.arm(ctx, newTimeAllowance(allowed))
	defer i.call.disarm()
	starts := []string{abi.ExportInitialize}
	if v.Manifest.Kind == abi.KindHTTP { // it may call the host while it starts, and be a program, whose main registers its handlers
		i.http, starts = newHTTPGuest(v.config), append(starts, "_start")
	}
	mod, err := v.runtime.InstantiateModule(&i.call, v.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions(starts...))
	i.call.starting = false
	if err != nil {
		return nil, newNotStartedError(i.wrapFault(err))
	}
	i.mod, i.mem = mod, mod.Memory()
	i.frames = mod.ExportedGlobal(meter.ExportDepth)
	i.findMutableGlobals()
	if v.isForeign() {
		v.live.Add(1)
		i.measureMemory()
		if err := i.openForeign(); err != nil {
			i.close()
			return nil, err
		}
		return i, nil
	}
	i.alloc = mod.ExportedFunction(abi.ExportAlloc)
	if v.has.stage {
		i.stager = mod.ExportedFunction(abi.ExportStage)
	}
	if v.has.stream {
		i.streamer = mod.ExportedFunction(abi.ExportStream)
	}
	if v.has.detect {
		i.detector = mod.ExportedFunction(abi.ExportDetect)
	}
	v.live.Add(1)
	i.measureMemory()
	if err := i.checkABIFeatures(); err != nil {
		i.close()
		return nil, newNotStartedError(err)
	}
	if v.has.configure {
		i.configure = mod.ExportedFunction(abi.ExportConfigure)
		if err := i.sendSettings(v.config); err != nil {
			i.close()
			return nil, newNotStartedError(err)
		}
	}
	return i, nil
}

// close closes the instance. Dropping it is not enough: the runtime keeps a list of instances.
func (i *instance) close() {
	_ = i.mod.Close(context.Background()) // only the runtime refers to it
	i.v.live.Add(-1)
	i.v.memory.Add(-int64(i.size))
	i.size = 0
}

// measureMemory stores and returns the size of the memory in bytes.
func (i *instance) measureMemory() uint32 {
	if n := i.mem.Size(); n != i.size {
		i.v.memory.Add(int64(n) - int64(i.size))
		i.size = n
	}
	return i.size
}

// isTooDeep reports whether the guest exceeded its call depth.
func (i *instance) isTooDeep() bool {
	return i.frames != nil && uint32(i.frames.Get()) > i.v.depth
}

// isNearlyFull reports whether the guest is close to its memory limit, so that lack of memory most likely caused the failure.
func (i *instance) isNearlyFull() bool {
	return i.mem != nil && uint64(i.mem.Size()) >= uint64(i.v.limits.Memory)/4*3
}

// checkABIFeatures checks the minor version that the guest was built for.
func (i *instance) checkABIFeatures() error {
	if err := i.mod.ExportedFunction(abi.ExportVersion).CallWithStack(&i.call, i.stack[:1]); err != nil {
		return i.wrapFault(err)
	}
	if unknown := uint32(i.stack[0]) &^ abi.Features; unknown != 0 {
		return i.v.newABIFault(
			"it uses features of ABI %d that this host does not know (bits %#x); update the gateway, or build the plugin for an older one",
			abi.Version,
			unknown,
		)
	}
	return nil
}

func (i *instance) sendSettings(config []byte) error {
	if len(config) == 0 {
		config = []byte("{}")
	}
	if err := i.write(string(config)); err != nil {
		return err
	}
	i.stack[0], i.stack[1] = uint64(i.in), uint64(len(config))
	if err := i.configure.CallWithStack(&i.call, i.stack[:2]); err != nil {
		return i.wrapFault(err)
	}
	if code := uint32(i.stack[0]); code != 0 {
		return &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it does not accept its settings", Err: errSettings}
	}
	return nil
}

var (
	errSettings   = errors.New("hg_configure refused; the guest's log line says why")
	errNoSettings = errors.New("the module has settings but takes none: it does not export hg_configure")
)

// IsSettings reports whether a module failed to load because of its settings, and not because of the module itself.
func IsSettings(err error) bool {
	return errors.Is(err, errSettings) || errors.Is(err, errNoSettings)
}
