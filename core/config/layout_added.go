package config

import (
	"maps"
	"slices"
	"strconv"
)

// AddedLink is a link that a layout adds: a compiled-in stage with its settings.
type AddedLink struct {
	Name   string         `json:"name"`
	Stage  string         `json:"stage"`
	Config map[string]any `json:"config,omitempty"`
}

// addLinks appends the added links to the chain of an undecoded configuration. A name that the file has wins: a file that
// is changed later must not stop the gateway from starting.
func (l *Layout) addLinks(root *value) {
	if len(l.Added) == 0 {
		return
	}
	chain := root.findKid("chain")
	if chain == nil || chain.kind == null {
		chain = &value{kind: list, at: root.at}
		root.put("chain", chain)
	}
	if chain.kind != list {
		return // the checks report it
	}
	for i := range l.Added {
		a := &l.Added[i]
		if slices.ContainsFunc(chain.items, func(v *value) bool { return describeValue(v) == a.Name }) {
			continue
		}
		link := &value{kind: mapping, at: chain.at}
		link.put("stage", convertPlain(a.Stage, chain.at))
		link.put("name", convertPlain(a.Name, chain.at))
		if len(a.Config) > 0 {
			link.put("config", convertPlain(a.Config, chain.at))
		}
		chain.items = append(chain.items, link)
	}
}

// convertPlain returns decoded JSON as an undecoded value. Text stays as it is: a variable in it is not expanded, since whoever
// may arrange the chain may not read the environment.
func convertPlain(from any, at place) *value {
	v := &value{kind: scalar, at: at}
	switch x := from.(type) {
	case nil:
		v.kind = null
	case string:
		v.text, v.quoted = x, true
	case bool:
		v.text = strconv.FormatBool(x)
	case float64:
		v.text = strconv.FormatFloat(x, 'f', -1, 64)
	case []any:
		v.kind = list
		for _, item := range x {
			v.items = append(v.items, convertPlain(item, at))
		}
	case map[string]any:
		v.kind = mapping
		for _, key := range slices.Sorted(maps.Keys(x)) {
			v.put(key, convertPlain(x[key], at))
		}
	}
	return v
}
