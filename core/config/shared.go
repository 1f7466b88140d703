package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// own are the keys that each machine of a fleet sets for itself. The control plane hands out all others.
var own = []string{
	"role",
	"fleet",
	"admin",
	"console",
	"server",
	"log",
	"telemetry",
	"store",
	"state",
	"region",
	"capture",
	"plugins.dir",
	"plugins.cache_dir",
	"plugins.watch",
}

// maxBase limits what a control plane hands out: its file, with aliases followed and variables expanded.
const maxBase = 16 << 20

// MarshalShared returns the part of the configuration that a control plane hands to its nodes, as YAML with variables
// expanded. It contains secrets. Equal configurations yield equal texts.
func (c *Config) MarshalShared() ([]byte, error) {
	if c.root == nil {
		return []byte("{}\n"), nil
	}
	return yaml.Marshal(c.root.dropKeys("", own).convertToNode())
}

// dropKeys returns the value without the listed keys.
func (v *value) dropKeys(path string, keys []string) *value {
	if v.kind != mapping {
		return v
	}
	out := &value{kind: mapping, at: v.at}
	for _, k := range v.keys {
		p := strings.TrimPrefix(path+"."+k, ".")
		switch {
		case slices.Contains(keys, p):
		case slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, p+".") }):
			out.put(k, v.kids[k].dropKeys(p, keys))
		default:
			out.put(k, v.kids[k])
		}
	}
	return out
}

// convertToNode returns the value as YAML: text that would read as another type is quoted.
func (v *value) convertToNode() *yaml.Node {
	switch v.kind {
	case mapping:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, k := range v.keys {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k}, v.kids[k].convertToNode())
		}
		return n
	case list:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.items {
			n.Content = append(n.Content, item.convertToNode())
		}
		return n
	case null:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: v.chooseTag(), Value: v.text}
}

// reportForeign reports keys of a node's file that belong to the control plane.
func (r *report) reportForeign(root *value) {
	if root.kind != mapping {
		return
	}
	rest := root.dropKeys("", own)
	for _, k := range rest.keys {
		v := rest.kids[k]
		if strings.HasPrefix(k, "x-") || v.kind == mapping && len(v.keys) == 0 {
			continue
		}
		r.reportProblem(v.at, k, "comes from the control plane", "write it there, and leave here "+strings.Join(own, ", "))
	}
}

// overlayBase puts what the control plane handed out below all other layers.
func (s Source) overlayBase(l *layers, r *report) bool {
	root := (&parser{report: r, file: "the control plane's configuration", fragment: true, most: maxBase}).parse(s.Base)
	if root == nil {
		return false
	}
	if root.kind == null {
		return true
	}
	if err := l.overlayValue(nil, root); err != nil {
		r.reportProblem(place{file: "the control plane's configuration"}, "", "cannot be merged: "+err.Error(), "")
		return false
	}
	return true
}
