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

// checkExports holds a module's exports against the contract and reports
// whether it takes settings.
func checkExports(exports []meter.Extern) (configurable bool, err error) {
	have := map[string]bool{}
	for _, e := range exports {
		if e.Name == abi.ExportMemory {
			if e.Kind != meter.KindMemory {
				return false, errors.New(`the export "memory" is not a memory`)
			}
			have[e.Name] = true
			continue
		}
		want, known := signatures[e.Name]
		if !known {
			if strings.HasPrefix(e.Name, "hg_abi_") {
				return false, fmt.Errorf("the module speaks another version of the ABI, %q; this host speaks version %d", printable(e.Name, 40), abi.Version)
			}
			if strings.HasPrefix(e.Name, abi.Prefix) {
				return false, fmt.Errorf("the export %q is not part of ABI %d", printable(e.Name, 40), abi.Version)
			}
			continue
		}
		if e.Kind != meter.KindFunc || !slices.Equal(e.Params, want.params) || !slices.Equal(e.Results, want.results) {
			return false, fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = true
	}
	for _, hook := range []string{abi.ExportStage, abi.ExportStream} {
		if have[hook] {
			return false, fmt.Errorf("the module exports %s; this host runs detectors only, stages in modules are not built yet", hook)
		}
	}
	for _, name := range []string{abi.ExportVersion, abi.ExportMemory, abi.ExportAlloc, abi.ExportDetect} {
		if !have[name] {
			return false, fmt.Errorf("the module does not export %s, which a detector must", name)
		}
	}
	return have[abi.ExportConfigure], nil
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
