package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// signature is the exact type that an export must have.
type signature struct{ params, results []meter.ValType }

var signatures = map[string]signature{
	abi.ExportVersion:    {results: []meter.ValType{meter.I32}},
	abi.ExportAlloc:      {params: []meter.ValType{meter.I32}, results: []meter.ValType{meter.I32}},
	abi.ExportConfigure:  {params: []meter.ValType{meter.I32, meter.I32}, results: []meter.ValType{meter.I32}},
	abi.ExportDetect:     {params: []meter.ValType{meter.I32, meter.I32, meter.I32}, results: []meter.ValType{meter.I64}},
	abi.ExportStage:      {params: []meter.ValType{meter.I32}, results: []meter.ValType{meter.I32}},
	abi.ExportStream:     {params: []meter.ValType{meter.I32, meter.I32, meter.I32, meter.I32}, results: []meter.ValType{meter.I64}},
	abi.ExportInitialize: {},
}

// hooks are the optional exports that a module has.
type hooks struct {
	configure bool // it takes settings
	detect    bool
	stream    bool // it looks at a streamed answer with state
}

// checkExports holds a module's exports against the contract and reports which
// of the optional ones it has.
func checkExports(exports []meter.Extern) (h hooks, err error) {
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
			if strings.HasPrefix(e.Name, "hg_abi_") {
				return h, fmt.Errorf("the module speaks another version of the ABI, %q; this host speaks version %d", printable(e.Name, 40), abi.Version)
			}
			if strings.HasPrefix(e.Name, abi.Prefix) {
				return h, fmt.Errorf("the export %q is not part of ABI %d", printable(e.Name, 40), abi.Version)
			}
			continue
		}
		if e.Kind != meter.KindFunc || !slices.Equal(e.Params, want.params) || !slices.Equal(e.Results, want.results) {
			return h, fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = true
	}
	if have[abi.ExportStage] {
		return h, fmt.Errorf("the module exports %s; this host runs detectors only, stages in modules are not built yet", abi.ExportStage)
	}
	h = hooks{configure: have[abi.ExportConfigure], detect: have[abi.ExportDetect], stream: have[abi.ExportStream]}
	for _, name := range []string{abi.ExportVersion, abi.ExportMemory, abi.ExportAlloc} {
		if !have[name] {
			return h, fmt.Errorf("the module does not export %s, which a detector must", name)
		}
	}
	if !h.detect && !h.stream {
		return h, fmt.Errorf("the module exports neither %s nor %s; a detector has one of them", abi.ExportDetect, abi.ExportStream)
	}
	return h, nil
}

// fit holds the manifest against the hooks.
func (h hooks) fit(m *Manifest) error {
	if !h.stream && m.MaxMatch > abi.MaxMatch {
		return fmt.Errorf("manifest: max_match is %d bytes; more than %d would hold a stream back too long for a detector without %s", m.MaxMatch, abi.MaxMatch, abi.ExportStream)
	}
	return nil
}

func (s signature) String() string {
	list := func(ts []meter.ValType) string {
		names := make([]string, len(ts))
		for i, t := range ts {
			names[i] = t.String()
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return list(s.params) + " -> " + list(s.results)
}
