package proxy

import (
	"slices"
	"strings"
)

// redactions are how many values of a type were taken out of an exchange.
type redactions struct {
	kind string
	n    int64
}

// redacted puts into the record of that, c.removed, which types of personal data were taken out of the exchange, and how
// many values of each. It answers false when none was.
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
	told := len(sums) // those that stages have not told of, such as policies' and modules', have left placeholders
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
		c.inner.Int(s.kind, s.n) // a type is letters, digits and underscores
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
