package wasm

import (
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Contract says which parts of the static contract a module keeps. A part that could not be looked at, because an earlier one is broken,
// is errNotLooked.
type Contract struct {
	// Module is about validity and size, Manifest about the manifest alone, Exports about names, signatures and the ABI's version, Hooks
	// about whether manifest and exports agree, and Imports about functions that the host does not offer or the manifest does not declare.
	Module, Manifest, Exports, Hooks, Imports error
}

// errNotLooked marks a part that depends on a broken one.
var errNotLooked = errors.New("not looked at: an earlier part is broken")

// IsUnknown reports whether a part of a Contract could not be looked at.
func IsUnknown(err error) bool { return errors.Is(err, errNotLooked) }

// CheckContract checks a module without running it, and unlike Inspect goes on after the first error. beside is optional.
func CheckContract(source []byte, beside *Manifest) Contract {
	m, err := meter.Rewrite(source, meter.Limits{MemoryPages: MaxMemory / pageSize, OwnMemory: isRego(source, beside)})
	if err != nil {
		return Contract{Module: err, Manifest: errNotLooked, Exports: errNotLooked, Hooks: errNotLooked, Imports: errNotLooked}
	}
	manifest, err := readManifest(m, beside)
	if err != nil {
		_, exports := checkVersion(m.Exports)
		return Contract{Manifest: err, Exports: exports, Hooks: errNotLooked, Imports: errNotLooked}
	}
	var c Contract
	has, err := findHooks(m.Exports, manifest.Kind)
	if c.Exports = err; err != nil {
		c.Hooks = errNotLooked
	} else {
		c.Hooks = has.checkManifest(manifest)
	}
	var bad []error
	for _, e := range m.Imports {
		if e.Kind == meter.KindMemory { // the guest gets its own memory
			continue
		}
		if _, err := findImport(e, manifest); err != nil {
			bad = append(bad, err)
		}
	}
	c.Imports = errors.Join(bad...)
	return c
}

// checkVersion makes the checks of the exports that need no manifest.
func checkVersion(exports []meter.Extern) (others bool, err error) {
	if others, err = checkMajors(exports); err != nil {
		return others, err
	}
	for _, e := range exports {
		if e.Name == abi.ExportVersion {
			return others, nil
		}
	}
	return others, fmt.Errorf("the module does not export %s", abi.ExportVersion)
}
