package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// releaseRequest releases a long request once the client gets this answer, because no other call will send it. While
// the answer arrives, an exchange then holds its buffers for events and no copy of the prompt.
func (s *streamedAnswer) releaseRequest(ctx context.Context) {
	c := s.c
	if s.released || !c.attempts.accepted {
		return
	}
	s.released = true
	// What translates answers, captures exchanges or estimates the prices of pictures and sound may look at it later.
	if len(c.x.Request.Raw) <= scratch.Small || c.answer.tr != nil || c.kept != nil || c.x.Head.Task.IsBounded() {
		return
	}
	if d, ok := c.d.(interface{ ReadAnswerContext(x *core.Exchange) }); ok {
		d.ReadAnswerContext(&c.x)
	}
	c.bill.keepRequest()
	if !c.chain.ReleaseRequest(ctx, &c.x) {
		c.bill.asked.reset()
		return
	}
	c.attempts.req.Body = nil
	c.body, c.attempts.sent = scratch.Reset(c.body), scratch.Reset(c.attempts.sent)
}

// maxAsked is about how many bytes of a request's texts are kept to estimate their tokens.
const maxAsked = 16 << 10

// keepRequest keeps a sample of a request's texts, the beginning of each, unless the provider has counted the request.
func (b *bill) keepRequest() {
	p := &b.call.x.Request
	if b.asked.reset(); b.call.x.Usage.Known() {
		return
	}
	total := 1
	for i := range p.Segments {
		total += p.Segments[i].Span.Len()
	}
	for i := range p.Segments {
		s := &p.Segments[i]
		at, n := s.Span, s.Span.Len()
		if total > maxAsked {
			at.End = at.Start + n*maxAsked/total
		}
		at = removeEscape(p.Raw, at)
		before := b.asked.size
		b.asked.addAt(p.Raw, at, s.Depth)
		if k := at.Len(); k > 0 {
			b.asked.size += (b.asked.size - before) * (n - k) / k
		} else {
			b.asked.size += n
		}
		b.asked.add("\n")
	}
}

// maxEscape is the length of an escaped character within a string, in bytes.
const maxEscape = 6

// removeEscape shortens the beginning of a string's text, which may end within an escape.
func removeEscape(doc []byte, at splice.Span) splice.Span {
	for i := max(at.Start, at.End-maxEscape); i < at.End; i++ {
		if doc[i] != '\\' {
			continue
		}
		for at.End = i; at.End > at.Start && doc[at.End-1] == '\\'; {
			at.End--
		}
	}
	return at
}
