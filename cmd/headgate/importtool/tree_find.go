package importtool

import (
	"iter"
	"strconv"
	"strings"
	"time"
)

// get returns the value of a key, or nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != mapping {
		return nil
	}
	for _, c := range n.items {
		if c.key == key {
			return c
		}
	}
	return nil
}

// findPath returns the value at a dotted path of keys, or nil.
func (n *node) findPath(path string) *node {
	for key := range strings.SplitSeq(path, ".") {
		n = n.get(key)
	}
	return n
}

// find returns the values at a path. In the path, [] matches every entry of a list and * every key of a mapping.
func (n *node) find(path string) []*node {
	found := []*node{n}
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ".[]"), ".") {
		var next []*node
		for _, x := range found {
			switch {
			case part == "[]" && x.kind == list, part == "*" && x.kind == mapping:
				next = append(next, x.items...)
			default:
				if c := x.get(part); c != nil {
					next = append(next, c)
				}
			}
		}
		found = next
	}
	return found
}

// visitLeaves yields the scalars and empty containers below a value, itself included.
func (n *node) visitLeaves() iter.Seq[*node] {
	return func(yield func(*node) bool) { n.visit(yield) }
}

func (n *node) visit(yield func(*node) bool) bool {
	if n == nil {
		return true
	}
	if len(n.items) == 0 {
		return yield(n)
	}
	for _, c := range n.items {
		if !c.visit(yield) {
			return false
		}
	}
	return true
}

// isEmpty reports a value that says nothing: absent, null or "".
func (n *node) isEmpty() bool {
	return n == nil || n.kind == scalar && (n.typ == "null" || n.text == "")
}

// readString returns the text of a scalar, or "".
func (n *node) readString() string {
	if n == nil || n.kind != scalar || n.typ == "null" {
		return ""
	}
	return n.text
}

// isTrue reads a boolean as Python's YAML reader does.
func (n *node) isTrue() bool {
	switch strings.ToLower(n.readString()) {
	case "true", "yes", "on":
		return true
	}
	return false
}

func (n *node) readNumber() (float64, bool) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.readString(), "_", ""), 64)
	return f, err == nil && f >= 0 && f < 1e15
}

// parseDuration reads a number of units as a duration of at least least and at most most.
func (n *node) parseDuration(unit, least, most time.Duration) (time.Duration, bool) {
	f, ok := n.readNumber()
	if !ok || f > float64(most)/float64(unit) {
		return 0, false
	}
	d := time.Duration(f * float64(unit)).Round(time.Millisecond)
	return d, d >= least
}
