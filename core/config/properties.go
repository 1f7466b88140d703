package config

import (
	"fmt"
	"strings"
)

// Property is a key under the name in the product's specification. It can be written in the file, nested or dotted, as
// a variable (HEADGATE_LLM_GATEWAY_…) and with --set.
type Property struct {
	// Name is the specification's name, with dots.
	Name string
	// Key is the native key, or "" while the feature is not built.
	Key string
}

// properties is the table of these names.
var properties = []Property{
	{"headgate.llm-gateway.guardrail.default-max-response-tokens", "guardrail.default_max_response_tokens"},
	{"headgate.llm-gateway.providers.azure-openai.responses-api-version", "providers.azure-openai.responses_api_version"},
	{"headgate.llm-gateway.cache.in-memory.enabled", "cache.enabled"},
	{"headgate.flightdeck.security.rbac.enabled", "admin.auth.rbac.enabled"},
	{"headgate.flightdeck.security.oidc.issuer-uri", "admin.auth.oidc.issuer"},
	{"gateway.internal.secret", "fleet.secret"},
}

// ListProperties lists the specification's names that this build knows.
func ListProperties() []Property { return append([]Property(nil), properties...) }

// relaxName drops case and the separators in which the spellings of one name differ.
func relaxName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}

// listVariables returns the property's name as a variable. All start with HEADGATE_, even those outside of headgate.….
func (p Property) listVariables() []string {
	name := formatEnvName(p.Name)
	if strings.HasPrefix(name, "HEADGATE_") {
		return []string{name}
	}
	return []string{name, "HEADGATE_" + name}
}

func isProperty(key string) bool {
	root, _, _ := strings.Cut(key, ".")
	return root == "headgate" || root == "gateway"
}

// findProperty finds a property by its dotted name.
func findProperty(name string) (Property, bool) {
	for _, p := range properties {
		if relaxName(p.Name) == relaxName(name) {
			return p, true
		}
	}
	return Property{}, false
}

// findPropertyOfVariable finds a property by the name of a variable, with or without underscores for dashes.
func findPropertyOfVariable(name string) (Property, bool) {
	for _, p := range properties {
		for _, v := range p.listVariables() {
			if v == name || strings.HasPrefix(name, "HEADGATE_") && relaxName(v) == relaxName(name) {
				return p, true
			}
		}
	}
	return Property{}, false
}

const notBuilt = "known property, but not built yet"

// refuseProperty reports an unknown name below headgate. or gateway.
func (r *report) refuseProperty(at place, name string) {
	all := make([]string, len(properties))
	for i, p := range properties {
		all[i] = p.Name
	}
	r.reportProblem(at, name, "unknown property", formatSuggestion(name, all))
}

// expandProperties moves the properties of a file, nested or dotted, to their
// native keys.
func (r *report) expandProperties(root *value) {
	kept := &value{kind: mapping, at: root.at}
	var found []*value
	var called []string
	for _, k := range root.keys {
		if !isProperty(k) {
			kept.put(k, root.kids[k])
			continue
		}
		visitLeaves(k, root.kids[k], func(name string, v *value) {
			found, called = append(found, v), append(called, name)
		})
	}
	for i, v := range found {
		r.expandProperty(kept, called[i], v)
	}
	*root = *kept
}

func (r *report) expandProperty(root *value, name string, v *value) {
	p, ok := findProperty(name)
	switch {
	case !ok:
		r.refuseProperty(v.at, name)
		return
	case p.Key == "":
		r.reportProblem(v.at, name, notBuilt, "remove it")
		return
	case v.kind == null:
		return
	}
	into, path := root, strings.Split(p.Key, ".")
	for _, key := range path[:len(path)-1] {
		next := into.findKid(key)
		if next.isAbsent() {
			next = &value{kind: mapping, at: v.at}
			into.put(key, next)
		}
		if next.kind != mapping {
			return // the decoder reports the value there
		}
		into = next
	}
	last := path[len(path)-1]
	if first := into.findKid(last); !first.isAbsent() {
		r.reportProblem(v.at, name, fmt.Sprintf("is another name for %s, which is written in line %d", p.Key, first.at.line), "keep one of them")
		return
	}
	into.put(last, v)
}

// visitLeaves visits every value below a property's root that is not a mapping, with its dotted name.
func visitLeaves(name string, v *value, visit func(string, *value)) {
	if v.kind != mapping {
		visit(name, v)
		return
	}
	for _, k := range v.keys {
		visitLeaves(name+"."+k, v.kids[k], visit)
	}
}
