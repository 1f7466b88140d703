package core

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Settings is a stage's own block of the configuration. Decode is strict: a key
// that into does not know is an error that names the file and the line.
type Settings interface {
	Decode(into any) error
}

// Deps is what the gateway gives to a stage.
type Deps struct {
	Name   string // of the link
	Tokens Tokens
	State  State // nil: nothing is remembered
	Now    func() time.Time

	// Chain are the kinds of the chain's links in order: a stage's name, or "wasm"
	// and "plugins"; "" for another link of this one's kind that cannot be relied on: it
	// is in shadow, or there are exchanges or phases in which this one alone is asked.
	// Links are their names, and Place is this link's own.
	Chain []string
	Links []string
	Place int

	// What a stage may look at. nil: it is not known.
	Policies PolicySource
	Routes   Planner
	Prices   Prices
	Windows  Windows
	Budgets  Budgets

	// Approvals are what a second person has consented to; nil: nothing is.
	Approvals Approvals

	// Spending are the budgets in force, which may change while the stage lives; nil: there are none.
	Spending *Spending
	// DefaultCap bounds an answer, in tokens, when the client sets no limit; 0: nothing
	// does.
	DefaultCap int64
	// Schemas are the output schemas that are records; nil: there are none.
	Schemas SchemaSource
	// Guards asks the guardrail plugins that are records; nil: there are none.
	Guards Stage
	// Notify hands on a notice. It does not wait, and may be nil: nobody listens.
	Notify func(ctx context.Context, n Notice)

	// For foreign code. Answer makes replies of texts; nil: it cannot answer. Shadow is
	// true when the link's verdicts change nothing.
	Grant  Grant
	Answer Answerer
	Shadow bool
}

// Factory makes a stage for one link.
type Factory func(s Settings, d Deps) (Stage, error)

// Registry holds factories by name. It is a value, so that a test can have its
// own.
type Registry struct {
	factories map[string]Factory
}

// Register adds a factory; a second one of the same name is an error.
func (r *Registry) Register(name string, f Factory) error {
	if _, ok := r.factories[name]; ok {
		return fmt.Errorf("a stage named %q is registered already", name)
	}
	if r.factories == nil {
		r.factories = make(map[string]Factory)
	}
	r.factories[name] = f
	return nil
}

// New makes a stage.
func (r *Registry) New(name string, s Settings, d Deps) (Stage, error) {
	f, ok := r.factories[name]
	if !ok {
		return nil, fmt.Errorf("there is no stage %q; known are %q", name, r.Names())
	}
	return f(s, d)
}

// Names lists the stages, sorted.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.factories))
	for n := range r.factories {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
