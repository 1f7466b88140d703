package batch

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// Guard judges the requests and results of batches with all links that judge content.
type Guard struct{ links }

// NewGuard returns the Guard of a chain. panicked is called with each panic of a link at the end of a line. Optional.
func NewGuard(c *chain.Chain, panicked func(chain.FinishPanic)) *Guard {
	return &Guard{newLinks(c, panicked)}
}

// links is a chain that sees the lines of batches.
type links struct {
	chain    *chain.Chain
	panicked func(chain.FinishPanic)
	pool     *sync.Pool // of exchanges, for results
}

func newLinks(c *chain.Chain, panicked func(chain.FinishPanic)) links {
	return links{c, panicked, &sync.Pool{New: func() any { return new(core.Exchange) }}}
}

// finish calls the Finishers of the links at the end of a line.
func (l *links) finish(ctx context.Context, x *core.Exchange) {
	for _, p := range l.chain.Finish(ctx, x) {
		if l.panicked != nil {
			l.panicked(p)
		}
	}
}

// CheckLine runs the request phase, then the target phase for the target that route finds: a link may have replaced the
// model.
func (g *Guard) CheckLine(ctx context.Context, x *core.Exchange, route func() *core.Error) *core.Error {
	defer g.finish(ctx, x)
	if e := newObjectionError(g.chain.RunRequest(ctx, x)); e != nil {
		return e
	}
	if e := route(); e != nil {
		return e
	}
	return newObjectionError(g.chain.RunTarget(ctx, x))
}

// newObjectionError returns the error of a decision, or nil if it lets the line pass.
func newObjectionError(d chain.Decision) *core.Error {
	switch {
	case d.Action == core.Pass:
		return nil
	case d.Err != nil:
		return d.Err
	}
	return &core.Error{
		Kind: core.ContentFiltered, Code: core.CodeContentFilter, Link: d.Link,
		Public: "the guard " + strconv.Quote(d.Link) + " does not let this request through",
	}
}

// result is a line of results.
type result struct {
	caller   *core.Principal
	provider string
	shape    string // dialect of the batch's requests
	model    string // as the client named it
	target   string // as the provider was sent it
	line     []byte
}

// CheckResult runs the response phase over the strings of a result. It returns the line with the links' edits, what they
// found, and the error of a link that objects.
func (g *Guard) CheckResult(ctx context.Context, r result) (line []byte, found []core.Finding, e *core.Error) {
	doc := bytes.TrimRight(r.line, "\r\n")
	if len(bytes.TrimSpace(doc)) == 0 {
		return r.line, nil, nil
	}
	x := g.pool.Get().(*core.Exchange)
	defer func() {
		g.finish(ctx, x)
		x.Reset()
		g.pool.Put(x)
	}()
	x.Principal, x.Dialect, x.Head.Model, x.BareModel = r.caller, r.shape, r.model, r.target
	x.Target = core.TargetRef{Provider: r.provider, Model: r.target}
	x.Response.Raw = doc
	if !scanResult(x) {
		return nil, nil, &core.Error{
			Kind: core.BadGateway, Code: core.CodeUpstreamInvalid,
			Public: "the result is not JSON, so the guards cannot judge it",
		}
	}
	g.chain.Admit(x) // its request was judged at upload
	if e = newObjectionError(g.chain.RunResponse(ctx, x)); e == nil {
		line = r.line
		if !bytes.Equal(doc, x.Response.Raw) {
			line = append(bytes.Clone(x.Response.Raw), r.line[len(doc):]...)
		}
	}
	return line, append(found, x.Findings...), e
}
