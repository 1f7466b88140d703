package config

import (
	"fmt"
	"hash"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// kind is the type of a value in the file; the zero kind is a key without a value.
type kind uint8

const (
	null kind = iota
	scalar
	list
	mapping
)

// value is one node of the configuration, with aliases followed and variables expanded.
type value struct {
	kind   kind
	text   string // of a scalar
	quoted bool   // quoted or a block scalar, so always text
	from   string // name of the variable in text, if any
	keys   []string
	kids   map[string]*value // of a mapping
	items  []*value          // of a list
	at     place
}

// place is where a value was written. A mapping's entry is placed at its key.
type place struct {
	file      string
	line, col int
}

func (p place) newProblem(path, message, hint string) Problem {
	return Problem{File: p.file, Line: p.line, Column: p.col, Path: path, Message: message, Hint: hint}
}

func (v *value) findKid(key string) *value {
	if v == nil || v.kind != mapping {
		return nil
	}
	return v.kids[key]
}

// put sets one entry of a mapping and keeps the order of first occurrence.
func (v *value) put(key string, kid *value) {
	if v.kids == nil {
		v.kids = map[string]*value{}
	}
	if _, ok := v.kids[key]; !ok {
		v.keys = append(v.keys, key)
	}
	v.kids[key] = kid
}

// formatScalar returns the text of a scalar, and "" for everything else.
func (v *value) formatScalar() string {
	if v == nil || v.kind != scalar {
		return ""
	}
	return v.text
}

// nameKind names the kind in messages.
func (v *value) nameKind() string {
	switch v.kind {
	case null:
		return "nothing"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	default:
		return "a single value"
	}
}

// hash writes the value to a digest: kinds and lengths separate neighbours, and keys keep their order, so that a
// reordered file is a new one.
func (v *value) hash(w hash.Hash) {
	_, _ = fmt.Fprintf(w, "%d %t %d %d %s;", v.kind, v.quoted, len(v.keys)+len(v.items), len(v.text), v.text) // a hash never fails
	for _, k := range v.keys {
		_, _ = fmt.Fprintf(w, "%d %s:", len(k), k)
		v.kids[k].hash(w)
	}
	for _, item := range v.items {
		item.hash(w)
	}
}

// chooseTag returns the YAML tag of the value: a quoted scalar is text, and so is one with a variable inside quotes.
func (v *value) chooseTag() string {
	if v.quoted {
		return "!!str"
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: v.text}).ShortTag()
}

// plainKey matches keys that need no quotes in a path.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_*/-]+$`)

// joinPath appends a key to a path in messages.
func joinPath(path, key string) string {
	if !plainKey.MatchString(key) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// appendIndex appends an index to a path in messages.
func appendIndex(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
