package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/extism"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
	"github.com/headgate-dev/headgate/wasm/meter"
	"github.com/headgate-dev/headgate/wasm/rego"
)

// signatures are the required types of the exports.
var signatures = map[string]meter.Signature{
	abi.ExportVersion:    {Results: []meter.ValType{meter.I32}},
	abi.ExportAlloc:      {Params: []meter.ValType{meter.I32}, Results: []meter.ValType{meter.I32}},
	abi.ExportConfigure:  {Params: []meter.ValType{meter.I32, meter.I32}, Results: []meter.ValType{meter.I32}},
	abi.ExportDetect:     {Params: []meter.ValType{meter.I32, meter.I32, meter.I32}, Results: []meter.ValType{meter.I64}},
	abi.ExportStage:      {Params: []meter.ValType{meter.I32}, Results: []meter.ValType{meter.I32}},
	abi.ExportStream:     {Params: []meter.ValType{meter.I32, meter.I32, meter.I32, meter.I32}, Results: []meter.ValType{meter.I64}},
	abi.ExportInitialize: {},
}

// hooks are the optional exports of a module that the host calls.
type hooks struct {
	configure bool // accepts settings
	judges    bool // a stage; otherwise a detector
	stage     bool
	detect    bool
	stream    bool // keeps state while it reads a streamed answer
}

// detectsByStream reports whether a detector receives whole texts through hg_stream as well.
func (h hooks) detectsByStream() bool { return h.stream && !h.detect && !h.judges }

// findHooks checks that a module has the exports that its kind requires.
func findHooks(exports []meter.Extern, kind string) (hooks, error) {
	switch kind {
	case abi.KindRego:
		return hooks{configure: true, judges: true}, rego.CheckExports(exports)
	case abi.KindExtism:
		return hooks{configure: true, detect: true}, extism.CheckExports(exports)
	case abi.KindHTTP:
		return hooks{configure: true, judges: true}, httpwasm.CheckExports(exports)
	}
	return checkExports(exports, kind)
}

// checkExports checks a module's exports against the contract and returns the
// optional ones that it has. Hooks of another kind are allowed but not called:
// the libraries for some languages export all of them.
func checkExports(exports []meter.Extern, kind string) (h hooks, err error) {
	others, err := checkMajors(exports)
	if err != nil {
		return h, err
	}
	have := map[string]bool{}
	for _, e := range exports {
		if e.Name == abi.ExportMemory {
			if e.Kind != meter.KindMemory {
				return h, errors.New(`the export "memory" is not a memory`)
			}
			have[e.Name] = true
			continue
		}
		want, known := signatures[e.Name]
		if !known {
			if strings.HasPrefix(e.Name, abi.Prefix) && !others {
				return h, fmt.Errorf("the export %q is not part of ABI %d", stripControls(e.Name, 40), abi.Version)
			}
			continue
		}
		if !want.Fits(e) {
			return h, fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = true
	}
	for _, name := range []string{abi.ExportVersion, abi.ExportMemory, abi.ExportAlloc} {
		if !have[name] {
			return h, fmt.Errorf("the module does not export %s, which a %s must", name, kind)
		}
	}
	h.configure = have[abi.ExportConfigure]
	if kind == abi.KindStage {
		h.judges = true
		if h.stage, h.stream = have[abi.ExportStage], have[abi.ExportStream]; !h.stage && !h.stream {
			return h, fmt.Errorf("the module exports neither %s nor %s; a stage has one of them", abi.ExportStage, abi.ExportStream)
		}
		return h, nil
	}
	if h.detect, h.stream = have[abi.ExportDetect], have[abi.ExportStream]; !h.detect && !h.stream {
		return h, fmt.Errorf("the module exports neither %s nor %s; a detector has one of them", abi.ExportDetect, abi.ExportStream)
	}
	return h, nil
}

// checkManifest returns an error if the manifest and the hooks do not agree.
func (h hooks) checkManifest(m *Manifest) error {
	if h.detect && !h.stream && m.MaxMatch > abi.MaxMatch {
		return fmt.Errorf(
			"manifest: max_match is %d bytes; more than %d would hold a stream back too long for a detector without %s",
			m.MaxMatch,
			abi.MaxMatch,
			abi.ExportStream,
		)
	}
	if !h.judges || !h.stream {
		return nil
	}
	switch answers := m.packPhases()&(1<<abi.PhaseResponse) != 0; {
	case answers && m.Streams == StreamsPass:
		return fmt.Errorf("manifest: streams: pass and %s contradict each other; remove one of them", abi.ExportStream)
	case !h.stage && (!answers || m.packPhases() != 1<<abi.PhaseResponse):
		return fmt.Errorf(
			"the module does not export %s, so its manifest must say phases: [response]; %s is for answers alone",
			abi.ExportStage,
			abi.ExportStream,
		)
	}
	return nil
}

// checkMajors reports whether a module supports other major versions of the ABI than this host's. It fails if the module
// does not support this host's.
func checkMajors(exports []meter.Extern) (others bool, err error) {
	var speaks []string
	for _, e := range exports {
		if major, ok := strings.CutPrefix(e.Name, abi.VersionPrefix); ok {
			if e.Name == abi.ExportVersion {
				return len(speaks) > 0 || slices.ContainsFunc(exports, func(o meter.Extern) bool {
					return o.Name != e.Name && strings.HasPrefix(o.Name, abi.VersionPrefix)
				}), nil
			}
			speaks = append(speaks, stripControls(major, 20))
		}
	}
	if len(speaks) > 0 {
		return false, fmt.Errorf(
			"the module speaks ABI %s; this host speaks ABI %d: build the plugin for it, or update the gateway",
			strings.Join(speaks, " and "),
			abi.Version,
		)
	}
	return false, nil
}
