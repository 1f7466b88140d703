package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// reader reads nodes and collects problems.
type reader struct {
	file     string
	policy   string
	rule     string
	problems *Problems
}

func (r *reader) addProblem(n *yaml.Node, code, format string, args ...any) {
	line, column := 0, 0
	if n != nil {
		line, column = n.Line, n.Column
	}
	*r.problems = append(*r.problems, Problem{
		File: r.file, Line: line, Column: column, Code: code, Policy: r.policy, Rule: r.rule, Message: fmt.Sprintf(format, args...),
	})
}

func (r *reader) addInvalid(n *yaml.Node, format string, args ...any) {
	r.addProblem(n, CodeInvalid, format, args...)
}

// entry is one key of a mapping.
type entry struct {
	key   string
	at    *yaml.Node // of the key
	value *yaml.Node
}

// readMapping reads the entries of a mapping. what names it in messages.
func (r *reader) readMapping(n *yaml.Node, what string) []entry {
	if n.Kind != yaml.MappingNode {
		r.addInvalid(n, "%s must be a mapping; write {key: value}", what)
		return nil
	}
	out := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge":
			r.addInvalid(k, "%s has a key that is not plain text; write key: value", what)
			continue
		case v.Kind == yaml.AliasNode || v.Anchor != "":
			r.addInvalid(v, "%s.%s: anchors and aliases are not read in policies; write the value out", what, k.Value)
			continue
		case slices.ContainsFunc(out, func(e entry) bool { return e.key == k.Value }):
			r.addInvalid(k, "%s names %q twice; keep one of them", what, k.Value)
			continue
		}
		out = append(out, entry{k.Value, k, v})
	}
	return out
}

// addUnknown reports a key that is not one of known.
func (r *reader) addUnknown(e entry, code, what string, known []string) {
	hint := ""
	if near := suggestWord(e.key, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	} else {
		hint = "; known are " + strings.Join(known, ", ")
	}
	r.addProblem(e.at, code, "unknown %s %q%s", what, e.key, hint)
}

func (r *reader) readText(e entry) string {
	if e.value.Kind != yaml.ScalarNode || e.value.ShortTag() == "!!null" {
		r.addInvalid(e.value, "%s must be text; write %s: …", e.key, e.key)
		return ""
	}
	return e.value.Value
}

// readWord reads one of a few words.
func (r *reader) readWord(e entry, words ...string) string {
	s := r.readText(e)
	if s != "" && !slices.Contains(words, s) {
		r.addInvalid(e.value, "%s: %q is not one of %s", e.key, s, strings.Join(words, ", "))
		return ""
	}
	return s
}

func (r *reader) readBoolean(e entry) bool {
	var b bool
	if e.value.Kind != yaml.ScalarNode || e.value.ShortTag() != "!!bool" || e.value.Decode(&b) != nil {
		r.addInvalid(e.value, "%s must be true or false", e.key)
	}
	return b
}

func (r *reader) readNumber(e entry, lo, hi float64) float64 {
	var f float64
	tag := e.value.ShortTag()
	if e.value.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || e.value.Decode(&f) != nil || math.IsNaN(f) ||
		math.IsInf(f, 0) {
		r.addInvalid(e.value, "%s must be a number", e.key)
		return lo
	}
	if f < lo || f > hi {
		r.addInvalid(e.value, "%s: %v lies outside of %v to %v", e.key, f, lo, hi)
		return lo
	}
	return f
}

func (r *reader) readInteger(e entry, lo, hi int64) int64 {
	f := r.readNumber(e, float64(lo), float64(hi))
	if f != math.Trunc(f) {
		r.addInvalid(e.value, "%s must be a whole number", e.key)
	}
	return int64(f)
}

// maxList is the longest list of patterns in one condition.
const maxList = 1000

// readTexts reads a list of texts, or one text.
func (r *reader) readTexts(e entry) []string {
	items := []*yaml.Node{e.value}
	if e.value.Kind == yaml.SequenceNode {
		items = e.value.Content
	}
	if len(items) == 0 {
		r.addInvalid(e.value, "%s is an empty list; write at least one entry, or leave it out", e.key)
	}
	if len(items) > maxList {
		r.addInvalid(e.value, "%s has more than %d entries", e.key, maxList)
		return nil
	}
	out := make([]string, 0, len(items))
	for _, n := range items {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			r.addInvalid(n, "%s must be a list of texts; write %s: [a, b]", e.key, e.key)
			return nil
		}
		if len(n.Value) > 256 || !utf8.ValidString(n.Value) {
			r.addInvalid(n, "%s has an entry that is longer than 256 bytes or not text", e.key)
			continue
		}
		out = append(out, n.Value)
	}
	return out
}

func (r *reader) readGlobs(e entry) []Glob {
	list := r.readTexts(e)
	out := make([]Glob, len(list))
	for i, s := range list {
		out[i] = NewGlob(s)
	}
	return out
}

// readClock reads a time of the day in minutes.
func (r *reader) readClock(e entry) int {
	s := r.readText(e)
	hour, minute, ok := strings.Cut(s, ":")
	h, errH := strconv.ParseUint(hour, 10, 8)
	m, errM := strconv.ParseUint(minute, 10, 8)
	if !ok || errH != nil || errM != nil || len(minute) != 2 || h > 24 || m > 59 || h == 24 && m > 0 {
		r.addInvalid(e.value, "%s: %q is not a time of the day; write it as \"08:00\"", e.key, s)
		return 0
	}
	return int(h*60 + m)
}
