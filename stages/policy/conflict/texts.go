package conflict

import (
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// texts is a set of texts: those that match one of the patterns, or those that match none.
type texts struct {
	globs  []dsl.Glob
	within bool
}

func newExactText(s string) texts { return texts{[]dsl.Glob{dsl.NewGlob(s)}, true} }

func (t texts) complement() texts { return texts{t.globs, !t.within} }

func (t texts) has(s string) bool {
	for i := range t.globs {
		if t.globs[i].Matches(s) {
			return t.within
		}
	}
	return !t.within
}

// Limits of the search for a common text. Beyond them, sets count as overlapping, and as not covered.
const (
	maxPattern = 8 << 10 // bytes of all patterns
	maxStates  = 20_000
)

// found is the result of a search.
type found uint8

const (
	none found = iota
	some
	unsure
)

// findCommon finds a text in all sets.
func findCommon(sets []texts) (string, found) {
	for _, s := range sets { // where a set lists its texts, they are tried
		if !s.within || slices.ContainsFunc(s.globs, func(g dsl.Glob) bool { return !g.IsExact() }) {
			continue
		}
		for _, g := range s.globs {
			if !slices.ContainsFunc(sets, func(o texts) bool { return !o.has(g.Text) }) {
				return g.Text, some
			}
		}
		return "", none
	}
	if areApart(sets) || hasEmptiedSet(sets) {
		return "", none
	}
	if text, ok := guessCommonText(sets); ok {
		return text, some
	}
	return searchSets(sets)
}

// fillings are the replacements that are tried for wildcards.
var fillings = [...]*strings.Replacer{
	strings.NewReplacer("*", "", "?", "x"), strings.NewReplacer("*", "x", "?", "x"), strings.NewReplacer("*", "~0", "?", "x"),
}

// guessCommonText tries texts that match a pattern: most overlapping sets share one of them.
func guessCommonText(sets []texts) (string, bool) {
	for _, s := range sets {
		if !s.within {
			continue
		}
		for _, g := range s.globs {
			for _, fill := range fillings {
				text := fill.Replace(g.Text)
				if !slices.ContainsFunc(sets, func(o texts) bool { return !o.has(text) }) {
					return text, true
				}
			}
		}
	}
	return "", false
}

// areApart reports whether any two patterns of two sets begin or end differently.
func areApart(sets []texts) bool {
	for i, a := range sets {
		for _, b := range sets[i+1:] {
			if a.within && b.within && !slices.ContainsFunc(a.globs, func(g dsl.Glob) bool {
				return slices.ContainsFunc(b.globs, func(h dsl.Glob) bool { return canMeet(g.Text, h.Text) })
			}) {
				return true
			}
		}
	}
	return false
}

// hasEmptiedSet reports whether each pattern of a set is removed by another one.
func hasEmptiedSet(sets []texts) bool {
	for _, a := range sets {
		for _, b := range sets {
			if a.within && !b.within && !slices.ContainsFunc(a.globs, func(g dsl.Glob) bool { return !slices.Contains(b.globs, g) }) {
				return true
			}
		}
	}
	return false
}

// canMeet reports whether one text can have the literal beginnings and ends of both patterns.
func canMeet(a, b string) bool {
	p, q := readLiteral(a), readLiteral(b)
	if !strings.HasPrefix(p, q) && !strings.HasPrefix(q, p) {
		return false
	}
	p, q = a[strings.LastIndexAny(a, "*?")+1:], b[strings.LastIndexAny(b, "*?")+1:]
	return strings.HasSuffix(p, q) || strings.HasSuffix(q, p)
}

// readLiteral returns the text before the first wildcard.
func readLiteral(pattern string) string {
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		return pattern[:i]
	}
	return pattern
}
