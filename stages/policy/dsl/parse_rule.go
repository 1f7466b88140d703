package dsl

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

var ruleKeys = []string{
	"id",
	"description",
	"phase",
	"priority",
	"match",
	"conditions",
	"unless",
	"when",
	"action",
	"params",
	"deny_message",
	"on_error",
}

var ruleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// readRule reads a rule.
func (r *reader) readRule(p *Policy, n *yaml.Node) *Rule {
	rule := &Rule{Line: n.Line}
	list := r.readMapping(n, "a rule")
	for _, e := range list { // first, because problems name the rule by its id
		if e.key == "id" {
			rule.ID = r.readText(e)
			r.rule = rule.ID
			if rule.ID != "" && !ruleID.MatchString(rule.ID) {
				r.addInvalid(e.value, "the id contains characters other than letters, digits, dot, dash and underscore, or more than 128")
			}
		}
	}
	rule.Label = p.Name + "/" + rule.ID
	var action, params *yaml.Node
	for _, e := range list {
		switch e.key {
		case "id":
		case "description":
			r.readText(e)
		case "phase":
			rule.Phase = map[string]Phase{"request": OnRequest, "response": OnResponse}[r.readWord(e, "request", "response")]
		case "priority":
			rule.Priority = int(r.readInteger(e, -1e9, 1e9))
		case "match":
			rule.Any = r.readWord(e, "all", "any") == "any"
		case "conditions":
			rule.Conditions = r.readConditions(e)
		case "unless":
			rule.Unless = r.readConditions(e)
		case "when":
			rule.When = r.readText(e)
			r.compileWhen(rule, e)
		case "action":
			rule.Action = r.readAction(e)
			action = e.value
		case "params":
			params = e.value
		case "deny_message":
			rule.DenyMessage = r.readMessage(e)
		case "on_error":
			rule.SkipOnError = r.readWord(e, "deny", "skip") == "skip"
		default:
			r.addUnknown(e, CodeInvalid, "key of a rule", ruleKeys)
		}
	}
	switch {
	case rule.ID == "":
		r.addInvalid(n, "the rule has no id; write id: …")
	case action == nil:
		r.addInvalid(n, "the rule has no action; write action: DENY")
	}
	if rule.Action != "" {
		rule.Params = r.readParams(rule.Action, params, action)
	}
	r.complete(rule)
	r.checkOrder(rule, n)
	return rule
}

// readConditions reads the mapping of named conditions.
func (r *reader) readConditions(e entry) []Condition {
	if e.value.ShortTag() == "!!null" {
		return nil
	}
	var out []Condition
	for _, kid := range r.readMapping(e.value, e.key) {
		read, ok := named[kid.key]
		if !ok {
			r.addUnknown(kid, CodeUnknownCondition, "condition", conditionNames)
			continue
		}
		out = append(out, Condition{Name: kid.key, Tests: read(r, kid)})
	}
	shareTests(out)
	return out
}

// shareTests adds to conditions on personal data what the other conditions say: the confidence that findings need, and
// for their count the types that are counted.
func shareTests(list []Condition) {
	var least float32
	var types []Glob
	for _, c := range list {
		for _, t := range c.Tests {
			switch t.Attr {
			case PIIConfidence:
				least = t.MinScore
			case PIITypes:
				types = t.Globs
			}
		}
	}
	for i := range list {
		for j := range list[i].Tests {
			t := &list[i].Tests[j]
			switch t.Attr {
			case PIICount, PIIConfidence:
				t.Globs, t.MinScore = types, least
			case PIITypes:
				t.MinScore = least
			}
		}
	}
}

// complete collects what the rule needs.
func (r *reader) complete(rule *Rule) {
	for _, list := range [][]Condition{rule.Conditions, rule.Unless} {
		for _, c := range list {
			for _, t := range c.Tests {
				rule.needs |= NewAttrSet(t.Attr)
				if t.Attr == KeyExpiry {
					rule.needs |= NewAttrSet(Clock)
				}
			}
		}
	}
	if rule.cel != nil {
		rule.needs |= rule.cel.needs
	}
}

// checkOrder checks the rule against the order in which a request is handled.
func (r *reader) checkOrder(rule *Rule, n *yaml.Node) {
	bad := func(format string, args ...any) { r.addProblem(n, CodeStageConflict, format, args...) }
	if early := rule.needs & Answers; rule.Phase == OnRequest && early != 0 {
		bad("%s is known when there is an answer, but the rule runs on the request; write phase: response", early.Names()[0])
		return
	}
	switch {
	case rule.Action == Route && rule.IsAboutResponse():
		bad("ROUTE comes too late: the rule runs on the answer, when the request was sent already")
	case rule.Action == CapTokens && rule.IsAboutResponse():
		bad("CAP_TOKENS comes too late: the rule runs on the answer, when the request was sent already")
	case rule.Action.Requires() && rule.IsAboutResponse():
		bad("%s is about the request, but the rule runs on the answer; write phase: request, or DENY", rule.Action)
	}
}
