package config

import (
	"fmt"
	"reflect"
	"strings"
)

// origin is the place of a decoded value, and the variable in it, if any.
type origin struct {
	at   place
	from string
}

// decoder fills Go values from the tree and remembers the origin of each.
type decoder struct {
	*report
	origins map[string]origin
	secret  func(path, name string) bool // marks values by their key
}

// decodeValue decodes v, at path, into rv. A key without a value leaves rv unchanged, which is its default.
func (d *decoder) decodeValue(rv reflect.Value, v *value, path string, f field) {
	if d.origins != nil {
		d.origins[path] = origin{v.at, v.from}
	}
	t := rv.Type()
	if t == blockType {
		d.decodeBlock(rv, v, path)
		return
	}
	if v.kind == null {
		return
	}
	switch {
	case t.Kind() == reflect.Pointer:
		if rv.IsNil() {
			rv.Set(reflect.New(t.Elem()))
			d.setDefaults(rv.Elem())
		}
		d.decodeValue(rv.Elem(), v, path, f)
	case isLeaf(t):
		d.decodeScalar(rv, v, path, f)
	case t.Kind() == reflect.Struct:
		d.decodeStructure(rv, v, path)
	case t.Kind() == reflect.Map:
		d.decodeMapping(rv, v, path, f)
	case t.Kind() == reflect.Slice:
		d.decodeList(rv, v, path, f)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		if got := v.convertToPlain(); got != nil {
			rv.Set(reflect.ValueOf(got))
		}
	default:
		d.decodeScalar(rv, v, path, f)
	}
}

func (d *decoder) decodeStructure(rv reflect.Value, v *value, path string) {
	if v.kind != mapping {
		d.reportProblem(v.at, path, "is "+v.nameKind()+" where a mapping is wanted", d.formatKeysHint(rv.Type()))
		return
	}
	fields := listFields(rv.Type())
	byName := make(map[string]field, len(fields))
	for _, f := range fields {
		byName[f.name] = f
	}
	for _, k := range v.keys {
		kid, here := v.kids[k], joinPath(path, k)
		f, ok := byName[k]
		if !ok {
			if path == "" && strings.HasPrefix(k, "x-") {
				continue // holds anchors
			}
			if word, _, glued := strings.Cut(k, ":"); glued {
				// Without the space the value became part of the key, and it may be a secret.
				d.reportProblem(kid.at, joinPath(path, word), "no space after the colon", "write "+word+": …")
				continue
			}
			d.reportProblem(kid.at, here, "unknown key", formatSuggestion(k, listNames(fields)))
			continue
		}
		d.decodeValue(rv.FieldByIndex(f.index), kid, here, f)
	}
	for _, f := range fields {
		if f.tag.Get("required") == "true" && v.findKid(f.name).isAbsent() {
			d.reportProblem(v.at, joinPath(path, f.name), "is missing", fmt.Sprintf("write %s: %s", f.name, f.tag.Get("eg")))
		}
	}
}

// isAbsent reports whether a value was omitted.
func (v *value) isAbsent() bool { return v == nil || v.kind == null }

func (d *decoder) formatKeysHint(t reflect.Type) string {
	all := listNames(listFields(t))
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("write {%s: …}", all[0])
}

func (d *decoder) decodeMapping(rv reflect.Value, v *value, path string, f field) {
	t := rv.Type()
	if v.kind != mapping || t.Key().Kind() != reflect.String {
		d.reportProblem(v.at, path, "is "+v.nameKind()+" where a mapping is wanted", "write {name: …}")
		return
	}
	if rv.IsNil() {
		rv.Set(reflect.MakeMapWithSize(t, len(v.keys)))
	}
	for _, k := range v.keys {
		kid := reflect.New(t.Elem()).Elem()
		d.setDefaults(kid)
		d.decodeValue(kid, v.kids[k], joinPath(path, k), field{name: k, tag: f.tag})
		rv.SetMapIndex(reflect.ValueOf(k).Convert(t.Key()), kid)
	}
}

func (d *decoder) decodeList(rv reflect.Value, v *value, path string, f field) {
	if v.kind != list {
		d.reportProblem(v.at, path, "is "+v.nameKind()+" where a list is wanted", fmt.Sprintf("write %s: […]", f.name))
		return
	}
	out := reflect.MakeSlice(rv.Type(), len(v.items), len(v.items))
	for i, item := range v.items {
		here := appendIndex(path, i)
		if item.kind == null && item.from == "" && rv.Type().Elem() != reflect.TypeFor[any]() {
			d.reportProblem(item.at, here, "is an empty element", "remove it or write a value")
			continue
		}
		d.setDefaults(out.Index(i))
		d.decodeValue(out.Index(i), item, here, field{name: f.name, tag: f.tag})
	}
	rv.Set(out)
}

func (d *decoder) decodeBlock(rv reflect.Value, v *value, path string) {
	if v.kind != mapping && v.kind != null {
		d.reportProblem(v.at, path, "is "+v.nameKind()+" where a mapping is wanted", "write {name: …}")
		return
	}
	rv.Set(reflect.ValueOf(Block{v: v, path: path}))
}

// setDefaults sets the defaults of a type's tags, recursively.
func (d *decoder) setDefaults(rv reflect.Value) {
	if rv.Kind() != reflect.Struct || isLeaf(rv.Type()) {
		return
	}
	for _, f := range listFields(rv.Type()) {
		fv := rv.FieldByIndex(f.index)
		if text, ok := f.tag.Lookup("default"); ok {
			// An invalid default is a bug in the program. It is reported like one in the file, and so found by any test
			// that loads.
			if v := (setting{text: text}).readValue(d.report, address{typ: f.typ, show: f.name}); v != nil {
				(&decoder{report: d.report}).decodeValue(fv, v, f.name, f)
			}
			continue
		}
		d.setDefaults(fv)
	}
}
