package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Block is a mapping that this package keeps undecoded, for the stage or module it belongs to. The zero Block is empty.
type Block struct {
	v    *value
	path string
}

// IsZero reports whether the block was omitted or is empty.
func (b Block) IsZero() bool { return b.v == nil || len(b.v.keys) == 0 }

// Pos returns the place of the block as file:line:column, or "" if it was omitted.
func (b Block) Pos() string {
	if b.v == nil {
		return ""
	}
	if b.v.at.line == 0 {
		return b.v.at.file
	}
	return fmt.Sprintf("%s:%d:%d", b.v.at.file, b.v.at.line, b.v.at.col)
}

// Decode decodes the block into the struct that into points at, by its yaml tags and those of this package (default,
// required, min, max, eg, secret). It is strict: an unknown key or a wrong type is a *Problems with the place of each.
// Omitted keys keep the value in into, or get the default of their tag.
func (b Block) Decode(into any) error {
	rv := reflect.ValueOf(into)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return errors.New("decode block: the target is not a pointer")
	}
	d := &decoder{report: &report{}, secret: func(path, name string) bool { return isSecretName(path) || isSecretName(name) }}
	if rv = rv.Elem(); rv.IsZero() {
		d.setDefaults(rv)
	}
	v := b.v
	if v.isAbsent() {
		v = &value{kind: mapping}
	}
	if v.at.file == "" {
		v.at.file = "configuration"
	}
	d.decodeValue(rv, v, b.path, field{})
	return d.joinErrors()
}

// JSON returns the block as a JSON object with its keys in the order written, or {} if it is empty. Numbers keep their
// spelling where JSON allows it.
func (b Block) JSON() ([]byte, error) {
	if b.v.isAbsent() {
		return []byte("{}"), nil
	}
	var out bytes.Buffer
	r := &report{}
	b.v.appendJSON(&out, r, b.path)
	if err := r.joinErrors(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (v *value) appendJSON(out *bytes.Buffer, r *report, path string) {
	switch v.kind {
	case null:
		out.WriteString("null")
	case list:
		out.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.appendJSON(out, r, appendIndex(path, i))
		}
		out.WriteByte(']')
	case mapping:
		out.WriteByte('{')
		for i, k := range v.keys {
			if i > 0 {
				out.WriteByte(',')
			}
			writeJSON(out, k)
			out.WriteByte(':')
			v.kids[k].appendJSON(out, r, joinPath(path, k))
		}
		out.WriteByte('}')
	case scalar:
		got := v.convertToPlain()
		if f, ok := got.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			r.reportProblem(v.at, path, "is not a number that JSON has", "write a finite number")
			return
		}
		writeJSON(out, got)
	}
}

// writeJSON leaves <, > and & unescaped, since guests are not browsers.
func writeJSON(out *bytes.Buffer, x any) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	// Only text, numbers, switches and nil get here; encoding them cannot fail.
	if err := enc.Encode(x); err == nil {
		out.Truncate(out.Len() - 1) // Encode ends with a newline
	}
}

// convertToPlain returns a value as plain Go: map[string]any, []any, string, bool, json.Number or float64, nil. A number in
// YAML's own spelling (0x1f, .inf) is resolved as YAML does.
func (v *value) convertToPlain() any {
	switch v.kind {
	case list:
		out := make([]any, len(v.items))
		for i, item := range v.items {
			out[i] = item.convertToPlain()
		}
		return out
	case mapping:
		out := make(map[string]any, len(v.keys))
		for k, kid := range v.kids {
			out[k] = kid.convertToPlain()
		}
		return out
	case scalar:
		return v.resolve()
	}
	return nil
}

func (v *value) resolve() any {
	switch v.chooseTag() {
	case "!!bool":
		return strings.EqualFold(v.text, "true")
	case "!!null":
		return nil
	case "!!int", "!!float":
		if n := json.Number(v.text); json.Valid([]byte(v.text)) {
			return n
		}
		var f any
		if err := (&yaml.Node{Kind: yaml.ScalarNode, Value: v.text}).Decode(&f); err != nil {
			return v.text
		}
		return f
	}
	return v.text
}
