package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"time"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// RunCases runs tests of a set: objects with an id, a complete context, and the expected result. It returns an error if
// a case is malformed.
func RunCases(s *Set, cases []any, now time.Time) ([]policydoc.Case, error) {
	out := make([]policydoc.Case, 0, len(cases))
	for i, raw := range cases {
		c, ok := raw.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("case %d is not an object; write {id, context, expected}", i+1)
		}
		result, err := runCase(s, c, i, now)
		if err != nil {
			return nil, err
		}
		out = append(out, result)
	}
	return out, nil
}

var caseKeys = []string{"id", "name", "context", "expected", "expect"}

func runCase(s *Set, c map[string]any, i int, now time.Time) (policydoc.Case, error) {
	out := policydoc.Case{ID: fmt.Sprintf("case %d", i+1)}
	for _, key := range []string{"name", "id"} {
		if id, ok := c[key].(string); ok {
			out.ID = id
		}
	}
	for key := range c {
		if !slices.Contains(caseKeys, key) {
			return out, fmt.Errorf("%s has the key %q; known are id, name, context and expected", out.ID, key)
		}
	}
	context, ok := c["context"].(map[string]any)
	if !ok && c["context"] != nil {
		return out, fmt.Errorf("%s: context is not an object", out.ID)
	}
	expected, ok := c["expected"].(map[string]any)
	if !ok {
		if expected, ok = c["expect"].(map[string]any); !ok {
			return out, fmt.Errorf("%s expects nothing; write expected: {decision: DENIED}", out.ID)
		}
	}
	f, err := ParseContext(context, true, now)
	if err != nil {
		return out, fmt.Errorf("%s: %w", out.ID, err)
	}
	had := Summarize(Decide(s, f))
	for _, key := range sortKeys(expected) {
		got, known := had[key]
		if !known {
			return out, fmt.Errorf("%s expects %q, which no result has; known are %v", out.ID, key, sortKeys(had))
		}
		if !equals(expected[key], got) {
			out.Faults = append(out.Faults, fmt.Sprintf("%s: expected %v, got %v", key, expected[key], got))
		}
	}
	out.Passed = len(out.Faults) == 0
	return out, nil
}

// Summarize returns a result in the words of tests.
func Summarize(r *Result) map[string]any {
	ids := func(list []Said) []any {
		out := []any{}
		for _, s := range list {
			out = append(out, s.RuleID)
		}
		return out
	}
	texts := func(list []string) []any {
		out := []any{}
		for _, s := range list {
			out = append(out, s)
		}
		return out
	}
	m := map[string]any{
		"decision": r.Status, "status": r.Status, "rules": texts(r.Matched), "rule_id": r.RuleID, "reason": r.Reason,
		"warn_agent": ids(r.Effects.Warnings), "flag": ids(r.Effects.Flags), "flags": ids(r.Effects.Flags), "redact": texts(r.Effects.Redact),
		"cap": float64(r.Effects.Cap), "cap_tokens": float64(r.Effects.Cap), "max_tokens": float64(r.Effects.Cap),
		"route": nil, "route_rule": "",
	}
	if x := r.Effects.Route; x != nil {
		route := map[string]any{}
		for k, v := range map[string]string{"model": x.Model, "provider": x.Provider, "region": x.Region} {
			if v != "" {
				route[k] = v
			}
		}
		if x.KeepIfUnavailable {
			route["keep_if_unavailable"] = true
		}
		m["route"], m["route_rule"] = route, x.RuleID
	}
	return m
}

// equals compares the expected with the actual result. Numbers of YAML may be integers, and a route may be named by its
// model only.
func equals(want, got any) bool {
	if n, ok := want.(int); ok {
		want = float64(n)
	}
	if route, ok := got.(map[string]any); ok {
		if s, ok := want.(string); ok {
			return route["model"] == s || route["model"] == nil && (route["provider"] == s || route["region"] == s)
		}
		if m, ok := want.(map[string]any); ok {
			for k, v := range m {
				if !reflect.DeepEqual(route[k], v) {
					return false
				}
			}
			return true
		}
	}
	if want == nil {
		return got == nil || got == "" || reflect.DeepEqual(got, []any{}) || got == float64(0)
	}
	return reflect.DeepEqual(want, got)
}

func sortKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
