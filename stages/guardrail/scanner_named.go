package guardrail

import (
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// AllKinds names every detector: of a stage's block, or all built-in detectors that need no settings.
const AllKinds = "all"

// NewNamedScanner returns a scanner of the detectors of a stage's block with one of the names or types; without a block, of
// the built-in detectors of those types with default settings. missing are the names without a detector. The scanner is nil
// if none is left.
func NewNamedScanner(s core.Settings, names []string) (sc *Scanner, missing []string, err error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, nil, err
		}
		if len(c.Detectors) == 0 {
			c.Detectors = listDefaultSet()
		}
	} else if c.Detectors, err = listBuiltInDetectors(names); err != nil {
		return nil, nil, err
	}
	fits := func(d *detectorSettings, name string) bool {
		return name == AllKinds || d.Type == name || d.Name == name && name != ""
	}
	for _, name := range names {
		if !slices.ContainsFunc(c.Detectors, func(d detectorSettings) bool { return fits(&d, name) }) {
			missing = append(missing, name)
		}
	}
	c.Detectors = slices.DeleteFunc(c.Detectors, func(d detectorSettings) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return fits(&d, name) })
	})
	if len(c.Detectors) == 0 {
		return nil, missing, nil
	}
	st, err := newStage(c)
	if err != nil {
		return nil, nil, err
	}
	return &Scanner{stage: st}, missing, nil
}

// NewNamedScannerOf returns a scanner of built-in detectors by their types, with default settings.
func NewNamedScannerOf(kinds ...string) (*Scanner, error) {
	sc, _, err := NewNamedScanner(nil, kinds)
	return sc, err
}

// listBuiltInDetectors returns the detectors of some types, each once, with default settings.
func listBuiltInDetectors(names []string) (out []detectorSettings, err error) {
	all := slices.Contains(names, AllKinds)
	kinds := ListKinds()
	for name := range aliases {
		if slices.Contains(names, name) {
			kinds = append(kinds, name)
		}
	}
	for _, name := range kinds {
		asked := slices.Contains(names, name)
		if !asked && !all {
			continue
		}
		d := detectorSettings{Type: name}
		if _, err := newStage(settings{Detectors: []detectorSettings{d}}); err == nil {
			out = append(out, d)
		} else if asked {
			return nil, fmt.Errorf("the detector %q needs settings: %w", name, err)
		}
	}
	return out, nil
}
