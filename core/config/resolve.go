package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// address is a key of the configuration, found by its spelling in a flag or variable.
type address struct {
	path []string     // as koanf holds it
	show string       // as messages show it
	typ  reflect.Type // what is decoded there
}

// spelling is one way to write an address: dotted (server.max_body, for --set) or as the rest of a variable's name
// (SERVER_MAX_BODY).
type spelling struct {
	separator string
	write     func(name string) string
	open      bool // new map keys may be written
}

var (
	dotted = spelling{separator: ".", write: func(name string) string { return name }, open: true}
	upper  = spelling{separator: "_", write: formatEnvName}
)

// formatEnvName returns a name as part of a variable's name.
func formatEnvName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// brackets converts routes[0].x and providers["a.b"].x to their dotted form.
var brackets = strings.NewReplacer(`["`, ".", `"]`, "", "['", ".", "']", "", "[", ".", "]", "")

// candidate is one step from a point in the tree.
type candidate struct {
	name    string // as it may be spelled
	key     string // as koanf holds it
	show    string // path of the point it leads to
	typ     reflect.Type
	current *value
}

// resolver finds addresses in the merged tree.
type resolver struct {
	spelling
	providers []string // known provider types: variables may use them before the file does
}

// find returns the address that rest spells, from the root.
func (r resolver) find(root *value, rest string) (address, bool) {
	return r.resolveRest(reflect.TypeFor[Config](), root, rest, address{})
}

// resolveRest tries the longest name first, because names contain separators: max_body, or a link called my.detector.
func (r resolver) resolveRest(t reflect.Type, v *value, rest string, so address) (address, bool) {
	if rest == "" {
		so.typ = t
		return so, len(so.path) > 0
	}
	if len(so.path) > maxDepth {
		return address{}, false
	}
	options := r.listCandidates(t, v, so.show)
	slices.SortStableFunc(options, func(a, b candidate) int { return len(b.name) - len(a.name) })
	for _, c := range options {
		after, ok := strings.CutPrefix(rest, r.write(c.name))
		if !ok || c.name == "" {
			continue
		}
		if after != "" {
			if after, ok = strings.CutPrefix(after, r.separator); !ok || after == "" {
				continue
			}
		}
		next := address{path: append(so.path[:len(so.path):len(so.path)], c.key), show: c.show}
		if found, ok := r.resolveRest(c.typ, c.current, after, next); ok {
			return found, true
		}
	}
	if t = followPointers(t); r.open && (t.Kind() == reflect.Map || t.Kind() == reflect.Interface) {
		name, after, _ := strings.Cut(rest, r.separator)
		if name == "" || v != nil && v.kind == list {
			return address{}, false
		}
		next := address{path: append(so.path[:len(so.path):len(so.path)], name), show: joinPath(so.show, name)}
		return r.resolveRest(findElement(t), nil, after, next)
	}
	return address{}, false
}

// listCandidates lists the possible steps from a point.
func (r resolver) listCandidates(t reflect.Type, v *value, path string) []candidate {
	var out []candidate
	t = followPointers(t)
	switch {
	case t.Kind() == reflect.Struct && !isLeaf(t):
		for _, f := range listFields(t) {
			typ := f.typ
			if typ == blockType {
				typ = reflect.TypeFor[any]()
			}
			out = append(out, candidate{f.name, f.name, joinPath(path, f.name), typ, v.findKid(f.name)})
		}
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Interface && v != nil && v.kind == list:
		if v == nil {
			return nil
		}
		for i, item := range v.items {
			key, here := strconv.Itoa(i), appendIndex(path, i)
			out = append(out, candidate{key, key, here, findElement(t), item})
			if name := formatElementName(findElement(t), item); name != "" {
				out = append(out, candidate{name, key, here, findElement(t), item})
			}
		}
	case t.Kind() == reflect.Map || t.Kind() == reflect.Interface:
		seen := map[string]bool{}
		if v != nil {
			for _, k := range v.keys {
				seen[k] = true
				out = append(out, candidate{k, k, joinPath(path, k), findElement(t), v.kids[k]})
			}
		}
		if t.Kind() == reflect.Map && t.Elem() == reflect.TypeFor[Provider]() {
			for _, k := range r.providers {
				if !seen[k] {
					out = append(out, candidate{k, k, joinPath(path, k), findElement(t), nil})
				}
			}
		}
	}
	return out
}

func followPointers(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// findElement returns the element type of a list or map; within an opaque block it is anything.
func findElement(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		return t.Elem()
	}
	return reflect.TypeFor[any]()
}

// formatElementName returns the name of a list's element: a link's name, a tenant's or policy's id, a key's name.
func formatElementName(t reflect.Type, v *value) string {
	switch t {
	case reflect.TypeFor[Link]():
		return describeValue(v)
	case reflect.TypeFor[Tenant]():
		return v.findKid("id").formatScalar()
	case reflect.TypeFor[Policy]():
		return v.findKid("id").formatScalar()
	case reflect.TypeFor[Key]():
		return v.findKid("name").formatScalar()
	}
	return ""
}
