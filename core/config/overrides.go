package config

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/env/v2"
)

// prefix starts the variables that set keys.
const prefix = "HEADGATE_"

// notKeys are variables of this product that set no key.
var notKeys = []string{
	"HEADGATE_ENCRYPTION_MASTER_PASSWORD",
	"HEADGATE_ACTUATOR_API_KEY",
	"HEADGATE_DEV_KEY",
	"HEADGATE_PLUGIN_PASSWORD",
	"HEADGATE_REGISTRY_PASSWORD",
	"HEADGATE_REGISTRY_USER",
	"HEADGATE_ADMIN_TOKEN",
}

// serviceLinks are the variables that Kubernetes adds for a service of this name.
var serviceLinks = regexp.MustCompile(`^HEADGATE_(SERVICE_(HOST|PORT(_.*)?)|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.*)?)?)$`)

// setting is one value of a variable or a flag, before its key is looked up.
type setting struct {
	name string // as spelled
	text string
	at   place
}

// overlay applies the settings of one layer. Lists and mappings go first, since they change the names by which single
// values can be addressed. It returns the keys that were set, and the settings that match no key.
func (l *layers) overlay(r *report, settings []setting, find func(*value, string) (address, bool)) (set []string, unknown []setting) {
	var single []setting
	type found struct {
		address
		setting
	}
	var whole []found
	for _, s := range settings {
		if a, ok := find(l.buildValue(), s.name); ok && isWhole(a.typ) {
			whole = append(whole, found{a, s})
		} else {
			single = append(single, s)
		}
	}
	slices.SortStableFunc(whole, func(a, b found) int { return cmp.Compare(len(a.path), len(b.path)) })
	for _, f := range whole {
		l.set(r, f.address, f.setting)
		set = append(set, f.show)
	}
	for _, s := range single {
		a, ok := find(l.buildValue(), s.name)
		if !ok {
			unknown = append(unknown, s)
			continue
		}
		l.set(r, a, s)
		set = append(set, a.show)
	}
	return set, unknown
}

func (l *layers) set(r *report, a address, s setting) {
	v := s.readValue(r, a)
	if v == nil {
		return
	}
	if err := l.overlayAt(a.path, v); err != nil {
		r.reportProblem(s.at, a.show, "cannot be set: "+err.Error(), "")
	}
}

// isWhole reports whether a type is written as YAML: a list, a mapping or, within an opaque block, anything.
func isWhole(t reflect.Type) bool {
	switch t = followPointers(t); t.Kind() {
	case reflect.Struct:
		return t == blockType || !isLeaf(t)
	case reflect.Slice, reflect.Map:
		return true
	}
	return false
}

// readValue parses a setting's text for its type. Text is taken literally, so that a secret may contain : and #; quotes
// around it are removed.
func (s setting) readValue(r *report, a address) *value {
	t := followPointers(a.typ)
	text := s.text
	if t.Kind() == reflect.String && !strings.HasPrefix(text, `"`) && !strings.HasPrefix(text, "'") {
		return &value{kind: scalar, text: text, quoted: true, at: s.at}
	}
	if !isWhole(t) && t.Kind() != reflect.Interface && t.Kind() != reflect.String {
		return &value{kind: scalar, text: strings.TrimSpace(text), at: s.at}
	}
	p := &parser{report: &report{}, file: s.at.file, fragment: true}
	v := p.parse([]byte(text))
	if t.Kind() == reflect.String && (v == nil || v.kind != scalar || len(p.problems) > 0) {
		return &value{kind: scalar, text: text, quoted: true, at: s.at}
	}
	for _, problem := range p.problems {
		problem.Path = a.show
		r.problems = append(r.problems, problem)
	}
	if len(p.problems) > 0 {
		return nil
	}
	return v
}

// applyEnvironment applies the HEADGATE_ variables. An unknown variable is a warning, since the next release may know it.
func (l *layers) applyEnvironment(r *report, src Source, used map[string]bool) []string {
	// The provider filters the variables; the key of each depends on the tree below, so koanf gets them one by one.
	read, err := env.Provider("", env.Opt{
		EnvironFunc: func() []string { return src.Environ },
		TransformFunc: func(name, text string) (string, any) {
			if _, isProperty := findPropertyOfVariable(name); !isProperty && !strings.HasPrefix(name, prefix) {
				return "", nil
			}
			return name, text
		},
	}).Read()
	if err != nil {
		r.reportProblem(place{file: "environment"}, "", "cannot be read: "+err.Error(), "")
		return nil
	}
	var settings []setting
	for _, name := range slices.Sorted(maps.Keys(read)) {
		text, _ := read[name].(string)
		switch known := slices.Contains(notKeys, name) || slices.Contains(src.Known.Variables, name); {
		case known, used[name], serviceLinks.MatchString(name):
		default:
			settings = append(settings, setting{name, text, place{file: name}})
		}
	}
	res := resolver{upper, src.Known.Providers}
	set, unknown := l.overlay(r, settings, func(root *value, name string) (address, bool) {
		if p, ok := findPropertyOfVariable(name); ok {
			return resolver{spelling: dotted}.find(root, p.Key)
		}
		return res.find(root, strings.TrimPrefix(name, prefix))
	})
	for _, s := range unknown {
		if p, ok := findPropertyOfVariable(s.name); ok {
			r.reportProblem(s.at, p.Name, notBuilt, "unset it")
			continue
		}
		r.warn(s.at, "", "sets no known key and is not read", l.suggestVariable(s.name))
	}
	return set
}

// applyFlags applies --set key=value over file and environment, in the order given.
func (l *layers) applyFlags(r *report, src Source) []string {
	var settings []setting
	for _, text := range src.Set {
		name, text, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			r.reportProblem(place{file: "--set"}, "", "is not key=value", "write --set server.listen=127.0.0.1:8080")
			continue
		}
		settings = append(settings, setting{name, text, place{file: "--set"}})
	}
	res := resolver{dotted, src.Known.Providers}
	set, unknown := l.overlay(r, settings, func(root *value, name string) (address, bool) {
		if isProperty(name) {
			p, _ := findProperty(name)
			name = p.Key
		}
		return res.find(root, brackets.Replace(name))
	})
	for _, s := range unknown {
		if p, ok := findProperty(s.name); ok && p.Key == "" {
			r.reportProblem(s.at, s.name, notBuilt, "remove it")
		} else if isProperty(s.name) {
			r.refuseProperty(s.at, s.name)
		} else {
			r.reportProblem(s.at, s.name, "unknown key", l.suggestKey(s.name))
		}
	}
	return set
}
