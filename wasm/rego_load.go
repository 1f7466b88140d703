package wasm

import (
	"github.com/headgate-dev/headgate/wasm/abi"
)

// isRego reports whether a module is a compiled policy, which imports its memory. It returns false for a malformed module, which is
// reported when it is loaded.
func isRego(source []byte, beside *Manifest) bool {
	kind := ""
	if beside != nil {
		kind = beside.Kind
	}
	_ = visitSections(source, func(id byte, name string, start, end int) {
		if id == 0 && name == abi.ManifestSection {
			kind = ""
			if m, err := ParseManifest(cutContent(source[start:end])); err == nil {
				kind = m.Kind
			}
		}
	})
	return kind == abi.KindRego
}

// openForeign prepares an instance that does not use this host's ABI.
func (i *instance) openForeign() error {
	switch i.v.Manifest.Kind {
	case abi.KindRego:
		return i.openRego(i.v.config, i.v.Manifest.Entrypoint)
	case abi.KindHTTP:
		i.openHTTP()
		return nil
	}
	return i.openExtism(i.v.config)
}

// isForeign reports whether the module does not use this host's ABI.
func (v *Version) isForeign() bool {
	k := v.Manifest.Kind
	return k == abi.KindRego || k == abi.KindExtism || k == abi.KindHTTP
}
