package dsl

import (
	"maps"
	"slices"
	"strings"
)

// Action is what a rule does when it fires.
type Action string

// Actions.
const (
	Deny            Action = "DENY"
	Allow           Action = "ALLOW"      // exempts from the rules it names, and from nothing else
	WarnAgent       Action = "WARN_AGENT" // the header X-Budget-Warning
	Flag            Action = "FLAG"       // recorded
	Redact          Action = "REDACT"
	Route           Action = "ROUTE"
	CapTokens       Action = "CAP_TOKENS"
	RequireRegion   Action = "REQUIRE_REGION" // deny unless it holds, as all that follow
	RequireScope    Action = "REQUIRE_SCOPE"
	RequireUser     Action = "REQUIRE_USER"
	RequireMetadata Action = "REQUIRE_METADATA"
	RequireSchema   Action = "REQUIRE_SCHEMA"
	RequireApproval Action = "REQUIRE_APPROVAL"
)

var actionNames = []string{
	string(Deny), string(Allow), string(WarnAgent), string(Flag), string(Redact), string(Route), string(CapTokens),
	string(RequireRegion), string(RequireScope), string(RequireUser), string(RequireMetadata), string(RequireSchema), string(RequireApproval),
}

// Requires reports whether the action denies unless a requirement is met.
func (a Action) Requires() bool { return strings.HasPrefix(string(a), "REQUIRE_") }

// Denies reports whether the action may refuse a request.
func (a Action) Denies() bool { return a == Deny || a.Requires() }

// listInputs returns the inputs of the action itself.
func (a Action) listInputs() Attrs {
	switch a {
	case Redact:
		return NewAttrSet(PIITypes)
	case RequireRegion:
		return NewAttrSet(Region)
	case RequireScope:
		return NewAttrSet(KeyScopes)
	case RequireUser:
		return NewAttrSet(User)
	case RequireMetadata:
		return NewAttrSet(Metadata)
	case RequireSchema:
		return NewAttrSet(AnswerSchema)
	}
	return 0
}

func (r *reader) readAction(e entry) Action {
	a := Action(r.readText(e))
	if _, ok := params[a]; ok || a == "" {
		return a
	}
	if a == "SET" {
		r.addInvalid(e.value, "action SET is not part of version 1 of the language")
		return ""
	}
	near := suggestWord(strings.ToUpper(string(a)), actionNames)
	if near != "" {
		r.addInvalid(e.value, "unknown action %q; did you mean %s?", a, near)
	} else {
		r.addInvalid(e.value, "unknown action %q; known are %s", a, strings.Join(actionNames, ", "))
	}
	return ""
}

// RedactTypes returns the types that a REDACT rule redacts: its params, or else the types in its conditions, or
// else all.
func (r *Rule) RedactTypes() []Glob {
	if len(r.Params.Types) > 0 {
		return r.Params.Types
	}
	found := map[string]bool{}
	for i := range r.Conditions {
		for _, t := range r.Conditions[i].Tests {
			if t.Attr == PIITypes || t.Attr == ResponsePII {
				for _, g := range t.Globs {
					found[g.Text] = true
				}
			}
		}
	}
	if len(found) == 0 {
		return []Glob{NewGlob("*")}
	}
	out := make([]Glob, 0, len(found))
	for _, s := range slices.Sorted(maps.Keys(found)) {
		out = append(out, NewGlob(s))
	}
	return out
}

// EvaluateRequirement reports whether the requirement of the action is met.
func (r *Rule) EvaluateRequirement(f *Facts) Truth {
	for _, a := range r.Action.listInputs().List() {
		if !f.Known.Has(a) {
			return Unknown
		}
	}
	switch r.Action {
	case RequireRegion:
		return convertTruth(f.Region != "" && matchesAny(r.Params.Regions, f.Region))
	case RequireScope:
		for _, s := range r.Params.Scopes {
			if !slices.Contains(f.Scopes, s) {
				return False
			}
		}
		return True
	case RequireUser:
		return convertTruth(f.User != "")
	case RequireMetadata:
		for i := range r.Params.Metadata {
			if r.Params.Metadata[i].eval(f) != True {
				return False
			}
		}
		return True
	case RequireSchema:
		return convertTruth(f.Schema)
	case RequireApproval:
		return convertTruth(f.isApproved(r))
	}
	return False
}
