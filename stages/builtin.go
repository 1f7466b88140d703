// Package stages lists the stages that are compiled in. Each has a folder of
// its own.
package stages

import (
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
)

// Phases gives the phases in which a compiled-in stage runs unless its link
// says otherwise.
func Phases(name string) core.Phases { return builtin[name].phases }

var builtin = map[string]struct {
	factory core.Factory
	phases  core.Phases
}{
	guardrail.Name: {guardrail.New, guardrail.Phases},
	pii.Name:       {pii.New, pii.Phases},
}

// Builtin gives a registry with all compiled-in stages.
func Builtin() (*core.Registry, error) {
	r := new(core.Registry)
	for name, b := range builtin {
		if err := r.Register(name, b.factory); err != nil {
			return nil, fmt.Errorf("built-in stages: %w", err)
		}
	}
	return r, nil
}
