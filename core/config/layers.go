package config

import (
	"strconv"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// delimiter separates keys inside koanf. It is a control character, not a dot, because names of models, providers and
// headers contain dots.
const delimiter = "\x1f"

// layers is the merged configuration. koanf holds the tree and merges layers. In the tree a list is a map with the keys
// 0, 1, 2, and a leaf is an index into leaves, since koanf copies values and would lose their places.
type layers struct {
	k      *koanf.Koanf
	leaves []*value
	nodes  map[string]*value // lists and mappings, by their koanf key
	merged *value            // built on demand, dropped when overlaid
}

func newLayers() *layers {
	return &layers{k: koanf.New(delimiter), nodes: map[string]*value{}}
}

// overlayAt overlays v at path. A mapping is merged key by key; a list or a single value replaces what was there, and so does
// a mapping over anything else.
func (l *layers) overlayAt(path []string, v *value) error {
	key := strings.Join(path, delimiter)
	if old, ok := l.nodes[key]; ok && (v.kind != mapping || old.kind != mapping) {
		l.k.Delete(key)
		l.forget(key)
	}
	tree := l.buildTree(path, v)
	for i := len(path) - 1; i >= 0; i-- {
		tree = map[string]any{path[i]: tree}
		if parent := strings.Join(path[:i], delimiter); l.nodes[parent] == nil || l.nodes[parent].kind != list {
			l.note(parent, &value{kind: mapping, at: v.at, keys: path[i : i+1]})
		}
	}
	root, ok := tree.(map[string]any)
	if !ok { // an empty root
		root = map[string]any{}
	}
	l.merged = nil
	return l.k.Load(confmap.Provider(root, ""), nil)
}

// overlayValue overlays a file: mappings are merged key by key at any depth, everything else is replaced.
func (l *layers) overlayValue(path []string, v *value) error {
	old := l.nodes[strings.Join(path, delimiter)]
	if v.kind != mapping || len(v.keys) == 0 || old == nil || old.kind != mapping {
		return l.overlayAt(path, v)
	}
	for _, key := range v.keys {
		if err := l.overlayValue(append(path[:len(path):len(path)], key), v.kids[key]); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the cached forms of a list or mapping and of everything in it.
func (l *layers) forget(key string) {
	for k := range l.nodes {
		if k == key || key == "" || strings.HasPrefix(k, key+delimiter) {
			delete(l.nodes, k)
		}
	}
}

// buildTree returns v as koanf holds it. An empty list or mapping is a leaf.
func (l *layers) buildTree(path []string, v *value) any {
	key := strings.Join(path, delimiter)
	out := map[string]any{}
	if v.kind != scalar {
		l.note(key, v)
	}
	switch {
	case v.kind == mapping && len(v.keys) > 0:
		for _, k := range v.keys {
			out[k] = l.buildTree(append(path[:len(path):len(path)], k), v.kids[k])
		}
		return out
	case v.kind == list && len(v.items) > 0:
		for i, item := range v.items {
			k := strconv.Itoa(i)
			out[k] = l.buildTree(append(path[:len(path):len(path)], k), item)
		}
		return out
	}
	l.leaves = append(l.leaves, v)
	return len(l.leaves) - 1
}

// note records place and order of a mapping, a list or a key without a value. An overlay keeps the place and appends
// its new keys.
func (l *layers) note(key string, v *value) {
	known, ok := l.nodes[key]
	switch {
	case !ok:
		known = &value{kind: v.kind, at: v.at}
		l.nodes[key] = known
	case known.kind != v.kind:
		known = &value{kind: v.kind, at: known.at}
		l.nodes[key] = known
	}
	for _, k := range v.keys {
		known.put(k, nil)
	}
}

// buildValue returns the merged tree.
func (l *layers) buildValue() *value {
	if l.merged == nil {
		l.merged = l.build(nil, l.k.Raw())
	}
	return l.merged
}

func (l *layers) build(path []string, raw any) *value {
	if i, ok := raw.(int); ok {
		return l.leaves[i]
	}
	tree, _ := raw.(map[string]any)
	known := l.nodes[strings.Join(path, delimiter)]
	if known == nil {
		known = &value{kind: mapping}
	}
	v := &value{kind: known.kind, at: known.at}
	if v.kind == list {
		for i := range len(tree) {
			k := strconv.Itoa(i)
			v.items = append(v.items, l.build(append(path[:len(path):len(path)], k), tree[k]))
		}
		return v
	}
	v.kind = mapping
	for _, k := range known.keys {
		if kid, ok := tree[k]; ok {
			v.put(k, l.build(append(path[:len(path):len(path)], k), kid))
		}
	}
	return v
}
