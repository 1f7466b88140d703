package dsl

import (
	"fmt"
	"strings"
)

// TraceRules returns how each rule of a set came to its result.
func TraceRules(s *Set, f *Facts) []Step {
	var out []Step
	step := func(rule, condition, input string, t Truth, err error) {
		x := Step{Rule: rule, Condition: condition, Input: input, Result: t == True, Unknown: t == Unknown && err == nil}
		if err != nil {
			x.Error = err.Error()
		}
		out = append(out, x)
	}
	for i := range s.Rules {
		r := s.Rules[i].Rule
		for j := range r.Conditions {
			step(r.Label, r.Conditions[j].Name, r.Conditions[j].formatInput(f), r.Conditions[j].eval(f), nil)
		}
		for j := range r.Unless {
			step(r.Label, "unless "+r.Unless[j].Name, r.Unless[j].formatInput(f), r.Unless[j].eval(f), nil)
		}
		if r.cel != nil {
			t, err := r.cel.eval(f)
			step(r.Label, "when", "", t, err)
		}
		t, err := r.Eval(f)
		step(r.Label, "", "", t, err)
	}
	return out
}

// formatInput returns the value that a condition compared, as text.
func (c *Condition) formatInput(f *Facts) string {
	var parts []string
	for i := range c.Tests {
		t := &c.Tests[i]
		if !f.Known.Has(t.Attr) {
			continue
		}
		v := strings.TrimSpace(t.formatInput(f))
		if t.Key != "" {
			v = t.Key + ": " + v
		}
		if len(parts) == 0 || parts[len(parts)-1] != v {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, ", ")
}

func (t *Test) formatInput(f *Facts) string {
	if t.Attr >= attrs || inputs[t.Attr].show == nil {
		return ""
	}
	return inputs[t.Attr].show(t, f)
}

func formatValue(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func joinNames(list []Label) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return strings.Join(names, " ")
}

func removeRepeats(list []string) (out []string) {
	seen := map[string]bool{"": true}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
