package proxy

import (
	"slices"
	"strings"
)

// redactions is the number of redacted values of one type.
type redactions struct {
	kind string
	n    int64
}

// redacted fills c.removed with the types and numbers of redacted values. It returns false if nothing was redacted.
func (c *call) redacted() bool {
	x := &c.x
	var few [8]redactions
	sums := few[:0]
	add := func(kind string) {
		for i := range sums {
			if sums[i].kind == kind {
				sums[i].n++
				return
			}
		}
		sums = append(sums, redactions{kind, 1})
	}
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Redacted && !f.Shadow {
			add(f.Label)
		}
	}
	told := len(sums) // stages that report nothing, such as policies and modules, have left placeholders
	for _, m := range x.Minted.All() {
		if !slices.ContainsFunc(sums[:told], func(r redactions) bool { return r.kind == m.Type }) {
			add(m.Type)
		}
	}
	if len(sums) == 0 {
		return false
	}
	slices.SortFunc(sums, func(a, b redactions) int { return strings.Compare(a.kind, b.kind) })
	total := int64(0)
	c.inner.Reset()
	for _, s := range sums {
		c.inner.Int(s.kind, s.n) // a type consists of letters, digits and underscores
		total += s.n
	}
	p := &c.removed
	p.Reset()
	p.Str("request_id", x.ID)
	if x.Principal != nil {
		p.Str("api_key_id", x.Principal.KeyID)
	}
	p.Raw("types", c.inner.Bytes())
	p.Int("total", total)
	return true
}
