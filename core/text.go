package core

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// minScratch is the size of the first buffer for decoded text.
const minScratch = 4 << 10

// room gives the scratch buffer with room for n more bytes. One that is full
// makes place for another: texts in it stay valid.
func (p *Payload) room(n int) []byte {
	if cap(p.scratch)-len(p.scratch) < n {
		if len(p.scratch) > 0 {
			p.full = append(p.full, p.scratch)
			p.scratch = nil
		}
		// Room for all texts of the body, and once more for what the links make of them.
		p.scratch = scratch.Grow(p.scratch, max(minScratch, n, 2*len(p.Raw)+len(p.Raw)/4))
	}
	return p.scratch
}

// decode gives the decoded text at a span of the body, and where its escapes begin;
// nil: that is not known.
func (p *Payload) decode(at splice.Span, depth uint8) (string, []uint32) {
	if depth > 0 && bytes.IndexByte(p.Raw[at.Start:at.End], '\\') >= 0 {
		p.room(at.Len()) // decoding never lengthens
	}
	text, aliased, escapes := splice.TextAlong(p.Raw, at, depth, p.scratch, p.escapes)
	if !aliased {
		p.scratch = p.scratch[:len(p.scratch)+len(text)]
	}
	if escapes != nil {
		p.escapes, escapes = escapes, escapes[len(p.escapes):]
	}
	return zerocopy.String(text), escapes
}
