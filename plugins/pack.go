package plugins

import (
	"encoding/json"
	"fmt"

	"github.com/headgate-dev/headgate/wasm"
)

// Pack puts a manifest, given as YAML or JSON, into a module, in place of one that it may contain, and checks that the
// result can be loaded. It is for compilers that cannot write custom sections.
func Pack(module, manifest []byte) ([]byte, error) {
	m, err := ReadManifest(manifest)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	out, err := wasm.WithManifest(module, text)
	if err != nil {
		return nil, err // says what is wrong with the module
	}
	if _, err = wasm.Inspect(out, nil); err != nil {
		return nil, err // says what is wrong with the module
	}
	return out, nil
}
