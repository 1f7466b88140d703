package rego

import (
	"fmt"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Module is the module name from which policies import.
const Module = "env"

// The exports of OPA's ABI that a host uses.
const (
	Eval            = "opa_eval"
	Malloc          = "opa_malloc"
	Parse           = "opa_json_parse"
	Dump            = "opa_json_dump"
	HeapPointer     = "opa_heap_ptr_get"
	BuiltinTable    = "builtins"
	EntrypointTable = "entrypoints"
	VersionMajor    = "opa_wasm_abi_version"
	VersionMinor    = "opa_wasm_abi_minor_version"
)

var signatures = map[string]meter.Signature{
	Eval:            {Params: slices.Repeat([]meter.ValType{meter.I32}, 7), Results: []meter.ValType{meter.I32}},
	Malloc:          {Params: []meter.ValType{meter.I32}, Results: []meter.ValType{meter.I32}},
	Parse:           {Params: []meter.ValType{meter.I32, meter.I32}, Results: []meter.ValType{meter.I32}},
	Dump:            {Params: []meter.ValType{meter.I32}, Results: []meter.ValType{meter.I32}},
	HeapPointer:     {Results: []meter.ValType{meter.I32}},
	BuiltinTable:    {Results: []meter.ValType{meter.I32}},
	EntrypointTable: {Results: []meter.ValType{meter.I32}},
}

// CheckExports checks the exports of a compiled policy against OPA's ABI.
func CheckExports(exports []meter.Extern) error {
	have := map[string]bool{}
	for _, e := range exports {
		switch e.Name {
		case VersionMajor, VersionMinor:
			have[e.Name] = e.Kind == meter.KindGlobal
			continue
		case abi.ExportMemory:
			have[e.Name] = e.Kind == meter.KindMemory
			continue
		}
		want, known := signatures[e.Name]
		if !known {
			continue
		}
		if !want.Fits(e) {
			return fmt.Errorf("the export %s must be a function %s", e.Name, want)
		}
		have[e.Name] = true
	}
	for _, name := range append(slices.Sorted(maps.Keys(signatures)), VersionMajor, VersionMinor, abi.ExportMemory) {
		if !have[name] {
			return fmt.Errorf("the module does not export %s, which a policy compiled by OPA 0.35 or later (opa build -t wasm) does", name)
		}
	}
	return nil
}
