package payload

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// segments holds the lists of large bodies. Growing one by appending was 6 % of an agent's turn of 520 segments.
var segments scratch.Shelf[Segment]

// manySegments is the size of a body, in bytes, from which on more segments are expected than a payload keeps room for.
const manySegments = 32 << 10

// ReserveSegments takes a pooled slice of segments if the body is large. Call it before a scan.
func (p *Payload) ReserveSegments() {
	if len(p.Raw) >= manySegments {
		p.Segments = segments.Take(p.Segments)
	}
}

// Reset empties the payload and keeps its buffers.
func (p *Payload) Reset() {
	for i, b := range p.bufs {
		p.bufs[i] = scratch.Reset(b)
	}
	for i, b := range p.full {
		scratch.Release(b)
		p.full[i] = nil
	}
	p.Status, p.Header, p.Peer, p.Path, p.Raw, p.used = 0, nil, "", "", nil, 0
	p.Segments, p.Marks, p.Tied = segments.Reuse(p.Segments), scratch.Reuse(p.Marks), scratch.Reuse(p.Tied)
	p.scratch, p.full = scratch.Reset(p.scratch), p.full[:0]
	p.edits.reset()
	p.Lists.reset()
	p.dropsLoose, p.cutsMade, p.Offsets, p.origin = false, false, nil, nil
	p.ForgetDocuments()
	p.stretches.reset()
	p.hasher, p.summing = nil, scratch.Reset(p.summing)
	p.cuts, p.escapes = scratch.ReuseAll(p.cuts), scratch.Reuse(p.escapes)
	p.leaves, p.bare = scratch.ReuseAll(p.leaves), scratch.Reuse(p.bare)
}

// Release empties the payload. It keeps the header, and what was changed of the documents. The texts are gone, so nothing
// may look for them.
func (p *Payload) Release() {
	h, kept := p.Header, p.documents
	p.documents = documents{}
	p.Reset()
	p.Header, p.documents = h, kept
}

// growBuffer gives an empty buffer of n bytes for the next rewrite of the body.
func (p *Payload) growBuffer(n int) []byte {
	if p.used == len(p.bufs) {
		p.bufs = append(p.bufs, nil)
	}
	p.bufs[p.used] = scratch.Grow(p.bufs[p.used], n)
	return p.bufs[p.used]
}

// setBody makes the filled buffer the body.
func (p *Payload) setBody(b []byte) {
	p.bufs[p.used] = b
	p.used++
	p.Raw = b
}

// minScratch is the size of the first buffer for decoded text.
const minScratch = 4 << 10

// growRoom gives the scratch buffer with room for n more bytes. One that is full
// makes place for another: texts in it stay valid.
func (p *Payload) growRoom(n int) []byte {
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
		p.growRoom(at.Len()) // decoding never lengthens
	}
	text, aliased, escapes := splice.ReadTextAlong(p.Raw, at, depth, p.scratch, p.escapes)
	if !aliased {
		p.scratch = p.scratch[:len(p.scratch)+len(text)]
	}
	if escapes != nil {
		p.escapes, escapes = escapes, escapes[len(p.escapes):]
	}
	return zerocopy.String(text), escapes
}

// Compact releases the memory that a large body no longer needs once the links of its phase
// have passed: its decoded texts, which are decoded again if a link asks later, and all
// rewrites but the last. It reports whether nothing refers to the body as it was received,
// because a rewrite has replaced it.
func (p *Payload) Compact() (replaced bool) {
	for i := range p.Segments {
		p.Segments[i].text, p.Segments[i].decoded = "", false
	}
	for i, b := range p.full {
		scratch.Release(b)
		p.full[i] = nil
	}
	p.scratch, p.full = scratch.Reset(p.scratch), p.full[:0]
	if p.used == 0 {
		return false
	}
	for i, b := range p.bufs[:p.used-1] {
		p.bufs[i] = scratch.Reset(b)
	}
	return true
}
