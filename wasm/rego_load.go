package wasm

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// isRego reports whether a module is a compiled policy, which imports its memory. What
// cannot be read is told by those who read it for good.
func isRego(o LoadOptions) bool {
	kind := ""
	if o.Manifest != nil {
		kind = o.Manifest.Kind
	}
	_ = sections(o.Source, func(id byte, name string, start, end int) {
		if id == 0 && name == abi.ManifestSection {
			kind = ""
			if m, err := ParseManifest(contentOf(o.Source[start:end])); err == nil {
				kind = m.Kind
			}
		}
	})
	return kind == abi.KindRego
}

// openForeign makes an instance ready that does not speak this host's ABI.
func (i *instance) openForeign() error {
	if i.v.Manifest.Kind == abi.KindRego {
		return i.openRego(i.v.config, i.v.entrypoint)
	}
	return i.openExtism(i.v.config)
}

func (m *Manifest) checkRego() error {
	if m.MaxMatch != 0 || m.Token || len(m.Samples) > 0 {
		return errors.New("manifest: max_match, token and samples are for detectors, and this is a policy")
	}
	return nil
}

// regoCanary evaluates inputs that a policy may get. What it decides does not matter,
// that it decides does.
func (i *instance) regoCanary(ctx context.Context) error {
	for _, input := range []string{`{}`, `{"phase":"request","model":"m","tenant":"t","text":[{"role":"user","kind":"text","text":"hello"}]}`} {
		i.call.arm(ctx, loadTime)
		result, err := i.evaluate([]byte(input))
		if err != nil {
			return err
		}
		if _, err = i.v.readDecision(result); err != nil {
			return err
		}
	}
	return nil
}
