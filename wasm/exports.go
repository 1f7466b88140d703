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

// hooks are what a module of each kind must export, besides what all do.
var hooks = map[string]string{abi.KindDetector: abi.ExportDetect, abi.KindStage: abi.ExportStage}

// checkExports holds a module's exports against the contract and reports
// whether it takes settings. A hook of another kind may be there, and is not called:
// the libraries for some languages export all of them.
func checkExports(exports []meter.Extern, kind string) (configurable bool, err error) {
	others, err := majors(exports)
	if err != nil {
		return false, err
	}
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
			if strings.HasPrefix(e.Name, abi.Prefix) && !others {
				return false, fmt.Errorf("the export %q is not part of ABI %d", printable(e.Name, 40), abi.Version)
			}
			continue
		}
		if e.Kind != meter.KindFunc || !slices.Equal(e.Params, want.params) || !slices.Equal(e.Results, want.results) {
			return false, fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = true
	}
	if have[abi.ExportStream] {
		return false, fmt.Errorf("the module exports %s, which this host does not call yet", abi.ExportStream)
	}
	for _, name := range []string{abi.ExportVersion, abi.ExportMemory, abi.ExportAlloc, hooks[kind]} {
		if !have[name] {
			return false, fmt.Errorf("the module does not export %s, which a %s must", name, kind)
		}
	}
	return have[abi.ExportConfigure], nil
}

// majors looks at the major versions that a module speaks, and reports whether there
// are others than this host's. That it does not speak this host's at all is an error.
func majors(exports []meter.Extern) (others bool, err error) {
	var speaks []string
	for _, e := range exports {
		if major, ok := strings.CutPrefix(e.Name, abi.VersionPrefix); ok {
			if e.Name == abi.ExportVersion {
				return len(speaks) > 0 || slices.ContainsFunc(exports, func(o meter.Extern) bool {
					return o.Name != e.Name && strings.HasPrefix(o.Name, abi.VersionPrefix)
				}), nil
			}
			speaks = append(speaks, printable(major, 20))
		}
	}
	if len(speaks) > 0 {
		return false, fmt.Errorf("the module speaks ABI %s; this host speaks ABI %d: build the plugin for it, or update the gateway", strings.Join(speaks, " and "), abi.Version)
	}
	return false, nil
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
