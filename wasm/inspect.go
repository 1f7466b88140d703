package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Inspection is what can be said of a module without running it.
type Inspection struct {
	Digest   string // SHA-256, hex
	Manifest Manifest
	// Packed says that the manifest is in the module, and not beside it.
	Packed bool
}

// Inspect checks a module as Load does, up to the point where its code would be
// compiled. beside is the manifest beside it; nil: there is none. The digest is
// set also when there is an error.
func Inspect(source []byte, beside *Manifest) (Inspection, error) {
	sum := sha256.Sum256(source)
	out := Inspection{Digest: hex.EncodeToString(sum[:])}
	m, err := meter.Rewrite(source, meter.Limits{MemoryPages: MaxMemory / pageSize})
	if err != nil {
		return out, fmt.Errorf("check the module: %w", err)
	}
	_, out.Packed = m.Custom[abi.ManifestSection]
	manifest, err := manifestOf(m, beside)
	if err != nil {
		return out, err
	}
	out.Manifest = *manifest
	if _, err = checkExports(m.Exports, manifest.Kind); err != nil {
		return out, err
	}
	for _, e := range m.Imports {
		if _, err = imported(e, manifest); err != nil {
			return out, err
		}
	}
	return out, nil
}
