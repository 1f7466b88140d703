package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Inspection describes a module without running it.
type Inspection struct {
	Digest   string // SHA-256, hex
	Manifest Manifest
	// Packed is true if the module contains its manifest.
	Packed bool
	// Exports and Imports are those of the module, in order, as "name (i32) -> i32" and "module.name (i32) -> ()".
	Exports, Imports []string
	// Memory is the initial memory of an instance, in bytes.
	Memory int64
}

// describeExtern returns an import or export as readable text.
func describeExtern(e meter.Extern) string {
	name := stripControls(e.Name, 80)
	if e.Module != "" {
		name = stripControls(e.Module, 80) + "." + name
	}
	if e.Kind != meter.KindFunc {
		return name
	}
	return name + " " + meter.Signature{Params: e.Params, Results: e.Results}.String()
}

// Inspect checks a module as Load does, up to compilation. beside is the manifest in a separate file; optional. Digest is set even if
// there is an error.
func Inspect(source []byte, beside *Manifest) (Inspection, error) {
	sum := sha256.Sum256(source)
	out := Inspection{Digest: hex.EncodeToString(sum[:])}
	m, err := meter.Rewrite(source, meter.Limits{MemoryPages: MaxMemory / pageSize, OwnMemory: isRego(source, beside)})
	if err != nil {
		return out, fmt.Errorf("check the module: %w", err)
	}
	_, out.Packed = m.Custom[abi.ManifestSection]
	out.Memory = int64(m.MemoryMin) * pageSize
	for _, e := range m.Exports {
		out.Exports = append(out.Exports, describeExtern(e))
	}
	for _, e := range m.Imports {
		out.Imports = append(out.Imports, describeExtern(e))
	}
	manifest, err := readManifest(m, beside)
	if err != nil {
		return out, err
	}
	out.Manifest = *manifest
	has, err := findHooks(m.Exports, manifest.Kind)
	if err != nil {
		return out, err
	}
	if err = has.checkManifest(manifest); err != nil {
		return out, err
	}
	for _, e := range m.Imports {
		if e.Kind == meter.KindMemory { // the guest gets its own memory
			continue
		}
		if _, err = findImport(e, manifest); err != nil {
			return out, err
		}
	}
	return out, nil
}
