package pii

import (
	"fmt"
	"maps"
	"slices"
)

// actions hold the action for the values of each type.
type actions struct {
	usual string
	types map[string]string // types with another than the default action
}

// makeActions reads the settings. It masks types that must not be stored (CARD_CVV,
// CARD_TRACK, PASSWORD, PRIVATE_KEY) where it redacts others,
// unless the settings name them.
func makeActions(c *settings) (actions, error) {
	a := actions{usual: c.Action, types: map[string]string{}}
	if a.usual == "" {
		a.usual = actionRedact
	}
	if err := checkAction(a.usual); err != nil {
		return a, err
	}
	if a.usual == actionRedact {
		for i := range builtin {
			if builtin[i].masked {
				a.types[builtin[i].name] = actionMask
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Actions)) {
		own := slices.ContainsFunc(c.Custom, func(o Custom) bool { return o.Name == name })
		if !own && findRow(name) < 0 {
			return a, fmt.Errorf("actions: %q is neither a built-in nor a custom type", name)
		}
		if err := checkAction(c.Actions[name]); err != nil {
			return a, fmt.Errorf("actions of %s: %w", name, err)
		}
		a.types[name] = c.Actions[name]
	}
	return a, nil
}

func checkAction(action string) error {
	switch action {
	case actionRedact, actionMask, actionBlock, actionFlag:
		return nil
	}
	return fmt.Errorf("action %q: write %s, %s, %s or %s", action, actionRedact, actionMask, actionBlock, actionFlag)
}

// chooseAction returns the action for a value of a type.
func (a *actions) chooseAction(name string) string {
	if own, ok := a.types[name]; ok {
		return own
	}
	return a.usual
}

// formatMask permanently replaces a value. It has no braces: nothing
// can be restored from it, and no detector finds anything in it.
func formatMask(name string) string { return "[" + name + "]" }

// recordBlocked records that a value of a type must not pass.
func (w *work) recordBlocked(name string) {
	if w.blocked == "" {
		w.blocked = name
	}
}
