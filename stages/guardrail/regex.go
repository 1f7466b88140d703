package guardrail

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// patterns finds matches of regular expressions, in time linear in the text. They match the raw text, not the normalised
// view.
type patterns struct {
	all      []*regexp.Regexp
	anchored []bool
}

// maxMatches bounds the matches of one pattern in one text.
const maxMatches = 1000

func newRegex(d *detectorSettings, _ *engine) (detector, error) {
	ps := d.Patterns
	if d.Pattern != "" {
		ps = append([]string{d.Pattern}, ps...)
	}
	if len(ps) == 0 {
		return nil, fmt.Errorf("pattern is empty: write a regular expression in RE2's syntax")
	}
	p := new(patterns)
	for _, text := range ps {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", text, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("pattern %q matches the empty text, so it would be found everywhere", text)
		}
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", text, err)
		}
		p.all, p.anchored = append(p.all, re), append(p.anchored, isAnchored(tree))
	}
	return p, nil
}

func (p *patterns) detect(c *check, dst []finding) []finding {
	for i, re := range p.all {
		dst = p.find(c, dst, re, p.anchored[i])
	}
	return dst
}

// A long text is read in blocks, since a search cannot be stopped: a match of up to blockOverlap bytes is found
// wherever it is.
const (
	blockBytes   = 64 << 10
	blockOverlap = 4 << 10
)

// find appends the matches of one pattern.
func (p *patterns) find(c *check, dst []finding, re *regexp.Regexp, anchored bool) []finding {
	s, most := c.v.raw, len(dst)+maxMatches
	if len(s) <= blockBytes+blockOverlap || anchored {
		c.w.pace.spendSteps(len(s))
		for _, m := range re.FindAllStringIndex(s, maxMatches) {
			dst = append(dst, finding{start: m[0], end: m[1], score: 1})
		}
		return dst
	}
	until := 0 // end of the last match
	for from := 0; from < len(s) && len(dst) < most && c.w.pace.spendSteps(min(len(s)-from, blockBytes)); {
		to := min(len(s), from+blockBytes+blockOverlap)
		next := findWordStart(s, min(len(s), from+blockBytes))
		if to == len(s) {
			next = to
		}
		back := max(0, from-1) // so that \b sees the character before
		for _, m := range re.FindAllStringIndex(s[back:to], most-len(dst)) {
			if start := back + m[0]; start >= max(from, until) && (start < next || next == to) {
				until = back + m[1]
				dst = append(dst, finding{start: start, end: until, score: 1})
			}
		}
		from = next
	}
	return dst
}

// isAnchored reports whether a pattern tests for the beginning or end of the text.
func isAnchored(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText || slices.ContainsFunc(re.Sub, isAnchored)
}
