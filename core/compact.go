package core

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/scratch"
)

// Compact lets go of the memory that a large request needs no more when the links
// of the request phase have let it through: its decoded texts, which are decoded
// anew if a link asks later. It reports whether nothing refers to the body as it
// was received, because a rewrite has taken its place. While the provider answers,
// which takes seconds, an exchange then holds one copy of a long prompt and not four.
func (x *Exchange) Compact() bool {
	p := &x.Request
	if len(p.Raw) <= scratch.Small {
		return false
	}
	for i := range p.Segments {
		p.Segments[i].text, p.Segments[i].decoded = "", false
	}
	for i, b := range p.full {
		scratch.Give(b)
		p.full[i] = nil
	}
	p.scratch, p.full = scratch.Keep(p.scratch), p.full[:0]
	// These may lie in the body.
	x.Head.Model, x.Bare, x.patch.Model = strings.Clone(x.Head.Model), strings.Clone(x.Bare), strings.Clone(x.patch.Model)
	if p.used == 0 {
		return false
	}
	for i, b := range p.bufs[:p.used-1] {
		p.bufs[i] = scratch.Keep(b)
	}
	return true
}
