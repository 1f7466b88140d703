package dsl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	_ "time/tzdata" // time windows work on machines without a time zone database

	"go.yaml.in/yaml/v3"
)

// Parse parses a text that contains one policy. name is the policy's name if the text has none. file is used in
// messages and may be empty. The error is Problems, with all faults.
func Parse(text []byte, name, file string) (*Policy, error) {
	list, err := ParseAll(text, name, file)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, Problems{{
			File: file, Code: CodeInvalid, Message: fmt.Sprintf("the text contains %d policies, but must contain one", len(list)),
		}}
	}
	return list[0], nil
}

// ParseAll parses a text of one or more policies: YAML documents, or one with a list under policies.
func ParseAll(text []byte, name, file string) ([]*Policy, error) {
	var problems Problems
	r := &reader{file: file, problems: &problems}
	if len(text) > MaxSource {
		r.addProblem(nil, CodeSyntax, "the policy is larger than %d KiB; split it", MaxSource>>10)
		return nil, problems
	}
	var list []*Policy
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.addSyntaxProblem(err)
			return nil, problems
		}
		root := doc.Content[0]
		if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
			continue
		}
		list = append(list, r.readDocument(root, name)...)
	}
	if len(list) == 0 && len(problems) == 0 {
		r.addProblem(nil, CodeSyntax, "no policy; write version: 1, name: … and rules: […]")
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// addSyntaxProblem reports an error of the YAML parser, whose line is in its text.
func (r *reader) addSyntaxProblem(err error) {
	text, n := strings.TrimPrefix(err.Error(), "yaml: "), &yaml.Node{}
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		n.Line, _ = strconv.Atoi(text[m[2]:m[3]]) // the pattern takes digits only
		text = text[:m[0]] + text[m[1]:]
	}
	r.addProblem(n, CodeSyntax, "this is not valid YAML: %s", text)
}

// readDocument reads one document: a policy, or a list of them.
func (r *reader) readDocument(n *yaml.Node, name string) []*Policy {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "policies" {
		n = n.Content[1]
		if n.Kind != yaml.SequenceNode {
			r.addInvalid(n, "policies must be a list")
			return nil
		}
	}
	if n.Kind != yaml.SequenceNode {
		return []*Policy{r.parse(n, name)}
	}
	var list []*Policy
	for _, item := range n.Content {
		list = append(list, r.parse(item, name))
	}
	return list
}

var policyKeys = []string{"version", "name", "description", "id", "scope", "tenant", "replaces", "rules"}

func (r *reader) parse(n *yaml.Node, name string) *Policy {
	p := &Policy{Name: name}
	r.policy, r.rule = name, ""
	var rules *yaml.Node
	for _, e := range r.readMapping(n, "a policy") {
		switch e.key {
		case "version":
			if v := r.readInteger(e, 0, 1e6); v != 1 {
				r.addInvalid(e.value, "unknown version %d of the language; write version: 1", v)
			}
		case "name":
			p.Name = r.readText(e)
			r.policy = p.Name
		case "description":
			p.Description = r.readText(e)
		case "id":
			p.ID = r.readText(e)
		case "scope":
			p.Scoped = true
			scope := r.readText(e)
			tenant, ok := strings.CutPrefix(scope, scopeTenant)
			if scope != scopePlatform && (!ok || tenant == "") {
				r.addInvalid(e.value, "scope: %q is neither platform nor tenant:<id>", scope)
			}
			if ok {
				p.Tenant = tenant
			}
		case "tenant":
			p.Scoped, p.Tenant = true, r.readText(e)
		case "replaces":
			p.Replaces = r.readText(e)
		case "rules":
			rules = e.value
		default:
			r.addUnknown(e, CodeInvalid, "key of a policy", policyKeys)
		}
	}
	if p.ID == "" {
		p.ID = p.Name
	}
	switch {
	case rules == nil:
		r.addInvalid(n, "the policy has no rules; write rules: [{id: …, conditions: {…}, action: DENY}]")
	case rules.Kind != yaml.SequenceNode:
		r.addInvalid(rules, "rules must be a list; write - id: …")
	case len(rules.Content) > MaxRules:
		r.addInvalid(rules, "the policy has more than %d rules; split it", MaxRules)
	default:
		r.readRules(p, rules.Content)
	}
	return p
}

func (r *reader) readRules(p *Policy, nodes []*yaml.Node) {
	seen := map[string]int{}
	for _, n := range nodes {
		r.rule = ""
		rule := r.readRule(p, n)
		if first, twice := seen[rule.ID]; twice && rule.ID != "" {
			r.addProblem(n, CodeDuplicateRuleID, "the id is used already, in line %d; every rule of a policy needs its own", first)
		}
		seen[rule.ID] = n.Line
		p.Rules = append(p.Rules, rule)
	}
	r.rule = ""
}
