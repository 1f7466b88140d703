// Package stages lists the stages that are compiled in. Each has a folder of
// its own.
package stages

import (
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/cache"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/ratelimit"
	"github.com/headgate-dev/headgate/stages/schema"
)

// Phases gives the phases in which a compiled-in stage runs unless its link
// says otherwise.
func Phases(name string) core.Phases { return builtin[name].phases }

// Redacts reports whether a compiled-in stage takes text out, and so sees the lines of
// batch files too; the others decide about single requests.
func Redacts(name string) bool { return redacts[name] }

var redacts = map[string]bool{pii.Name: true}

var builtin = map[string]struct {
	factory core.Factory
	phases  core.Phases
}{
	budget.Name:    {budget.New, budget.Phases},
	cache.Name:     {cache.New, cache.Phases},
	pii.Name:       {pii.New, pii.Phases},
	ratelimit.Name: {ratelimit.New, ratelimit.Phases},
	schema.Name:    {schema.New, schema.Phases},
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
