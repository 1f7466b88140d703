package core

import (
	"bytes"
	"unsafe"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
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
	return view(text), escapes
}

// decode gives the decoded text at a span, and the scratch buffer with the text
// appended, if it needed one. Text without escapes aliases doc. When scratch is
// full a new one takes its place: texts in the old one stay valid.
func decode(doc []byte, at splice.Span, depth uint8, scratch []byte) (string, []byte) {
	if need := at.Len(); cap(scratch)-len(scratch) < need {
		text, aliased := splice.Text(doc, at, depth, nil)
		if aliased {
			return view(text), scratch
		}
		return view(text), make([]byte, 0, max(minScratch, 2*cap(scratch), 2*need))
	}
	n := len(scratch)
	text, aliased := splice.Text(doc, at, depth, scratch) // decoding never lengthens, so scratch is not reallocated
	if aliased {
		return view(text), scratch
	}
	return view(text), scratch[:n+len(text)]
}

// view reads bytes as a string without a copy. The bytes must not change while
// the string is in use: bodies and scratch buffers are written once an exchange.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf reads a string as bytes without a copy; they must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
