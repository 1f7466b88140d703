package guardrail

import (
	"fmt"
	"regexp"
)

// patterns finds places that regular expressions fit. Their time is linear in the
// text. They read the text as it is, not the normalised view.
type patterns struct{ all []*regexp.Regexp }

// maxMatches bounds what one pattern finds in one text.
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
			return nil, fmt.Errorf("pattern %q fits the empty text, so it is found everywhere", text)
		}
		p.all = append(p.all, re)
	}
	return p, nil
}

func (p *patterns) look(c *check, dst []finding) []finding {
	for _, re := range p.all {
		for _, m := range re.FindAllStringIndex(c.v.raw, maxMatches) {
			dst = append(dst, finding{start: m[0], end: m[1], score: 1})
		}
	}
	return dst
}
