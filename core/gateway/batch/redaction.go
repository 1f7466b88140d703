package batch

import (
	"bytes"
	"context"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Redaction redacts and restores with the gateway's chain, limited to the links that redact. Links limited to some
// models do not see results.
type Redaction struct{ links }

var (
	_ Redactor = (*Redaction)(nil)
	_ Restorer = (*Redaction)(nil)
)

// NewRedaction returns the Redaction of a chain. panicked receives the panics of links that finish a line. Optional.
func NewRedaction(c *chain.Chain, panicked func(chain.FinishPanic)) *Redaction {
	return &Redaction{newLinks(c, panicked)}
}

// Redact runs the request phase.
func (r *Redaction) Redact(ctx context.Context, x *core.Exchange) *core.Error {
	d := r.chain.RunRequest(ctx, x)
	r.finish(ctx, x)
	switch d.Action {
	case core.Block:
		return d.Err
	case core.Answer:
		return &core.Error{
			Kind: core.ContentFiltered, Code: core.CodeContentFilter, Link: d.Link,
			Public: "the guard " + strconv.Quote(d.Link) + " does not let this request through",
		}
	}
	return nil
}

// Restore runs the response phase over the strings of a result.
func (r *Redaction) Restore(ctx context.Context, p *core.Principal, line []byte) []byte {
	doc := bytes.TrimRight(line, "\r\n")
	x := r.pool.Get().(*core.Exchange)
	x.Principal, x.Dialect, x.Response.Raw = p, batchesName, doc
	scanResult(x) // without segments if it is not JSON: left unchanged
	if len(x.Response.Segments) > 0 && r.chain.RunRequest(ctx, x).Action == core.Pass && r.chain.RunResponse(ctx, x).Action == core.Pass &&
		!bytes.Equal(doc, x.Response.Raw) {
		line = append(bytes.Clone(x.Response.Raw), line[len(doc):]...)
	}
	r.finish(ctx, x)
	x.Reset()
	r.pool.Put(x)
	return line
}

// scanResult creates segments for the strings of a result. It reports false if that is not JSON, and creates none.
func scanResult(x *core.Exchange) bool {
	x.Scanner.Reset(x.Response.Raw)
	addResultSegments(x, "")
	if x.Scanner.End() {
		return true
	}
	x.Response.Segments = x.Response.Segments[:0]
	return false
}

// quiet are the names of result strings that are not text as long as they look like ids, enum values or base64.
var quiet = map[string]bool{
	"id": true, "request_id": true, "object": true, "model": true, "embedding": true, "data": true, "signature": true,
	"encrypted_content": true, "system_fingerprint": true, "status": true, "type": true,
}

// addResultSegments creates segments for the strings in a value.
func addResultSegments(x *core.Exchange, name string) {
	s := &x.Scanner
	switch s.Kind() {
	case splice.Object:
		s.Enter()
		for s.Next() {
			key := string(s.Key())
			if at, ok := s.KeySpan(); ok && isOdd(x.Response.Raw, at) {
				x.Response.Segments = append(x.Response.Segments, newResultSegment("", at))
			}
			addResultSegments(x, key)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			addResultSegments(x, name)
		}
	case splice.String:
		at, _ := s.String()
		if s.Err() != nil || at.Len() == 0 || quiet[name] && !isOdd(x.Response.Raw, at) {
			return
		}
		seg := newResultSegment(name, at)
		if name == "arguments" { // of a tool call: JSON text
			seg.Kind = core.KindToolArgs
			x.Response.AddJSON(seg)
			return
		}
		x.Response.Segments = append(x.Response.Segments, seg)
	default:
		s.Skip()
	}
}

func newResultSegment(name string, at splice.Span) core.Segment {
	return core.Segment{Role: core.RoleAssistant, Kind: core.KindText, Depth: 1, Message: -1, Part: -1, Field: truncateName(name), Span: at}
}

// isOdd reports whether the content of a string is none of what a provider writes in a place that is not text.
func isOdd(doc []byte, at splice.Span) (odd bool) {
	scan.VisitOddStrings(doc, splice.Span{Start: at.Start - 1, End: at.End + 1}, func(splice.Span) { odd = true })
	return odd
}
