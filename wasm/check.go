package wasm

import (
	"context"
	"errors"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// errPanicked marks an instance whose call panicked.
var errPanicked = errors.New("the call ended in a panic")

// Check judges every text of the phase's body. If an instance that has served before fails, its leftover state may be the cause: Check
// then tries the text again on a fresh instance.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	c := checks.Get().(*check)
	*c = check{s: s, x: x, body: body, phase: p, who: findCaller(x)}
	v, err := c.checkBody(ctx)
	if err != nil && c.stale && mayBeStale(err) {
		*c = check{s: s, x: x, body: body, phase: p, who: c.who, fresh: true}
		v, err = c.checkBody(ctx)
	}
	*c = check{} // nothing of the exchange stays alive
	checks.Put(c)
	return v, err
}

// checks keeps ended runs for reuse: a run points into itself, so without it each call would allocate 640 bytes.
var checks = sync.Pool{New: func() any { return new(check) }}

// checkBody judges every text of the body.
func (c *check) checkBody(ctx context.Context) (core.Verdict, error) {
	s, body := c.s, c.body
	c.v.Action = core.Pass
	defer c.releaseOnPanic()
	if !c.fresh { // a failed instance may have reported a text as clean by mistake
		s.memory.LoadPrefix(&c.prefix, c.x, body, c.phase)
	}
	for k := 0; ; {
		if k = c.prefix.Skip(k); k >= len(body.Segments) {
			break
		}
		src := classifySource(body.Segments[k].Role, body.Segments[k].Kind)
		if !s.sources.has(src) {
			k = findRunEnd(body.Segments, k)
			continue
		}
		m, clean := c.findRun(k)
		if clean && !c.fresh {
			k += m.N
			continue
		}
		run := body.FindRun(k)
		k += run.N
		if run.Text == "" {
			continue
		}
		if err := c.acquireInstance(ctx, len(run.Text)); err != nil {
			return c.v, err
		}
		c.run = run
		before := len(c.v.Findings)
		if _, err := c.judgeText(run.Text, abi.WithSource(0, src), false, 0, true); err != nil {
			c.release(err)
			return core.Verdict{Findings: c.v.Findings}, err
		}
		if c.v.Action == core.Block {
			break
		}
		if len(c.v.Findings) > before {
			c.prefix.MarkRun(run.First)
		} else if m.N > 0 {
			c.clean = append(c.clean, m)
		}
	}
	c.release(nil)
	for i := range c.clean { // only now: if the instance fails, its results for the earlier texts do not count either
		s.memory.Store(&c.clean[i], nil)
	}
	if c.v.Action != core.Block {
		c.prefix.Store()
	}
	return c.v, nil
}

// findRunEnd returns the index of the segment after the run that begins at k.
func findRunEnd(segments []core.Segment, k int) int {
	k++
	for k < len(segments) && segments[k].Joined {
		k++
	}
	return k
}

// check is one run of Check, on a body or on a window.
type check struct {
	s      *Stage
	x      *core.Exchange
	body   *core.Payload // nil for a window
	phase  core.Phase
	who    caller
	fresh  bool // requires an instance that has not served a call
	stale  bool // the instance had served before
	run    core.Run
	inst   *instance
	v      core.Verdict
	clean  []recall.Run // the texts in which nothing was found
	prefix recall.Prefix
}

// acquireInstance takes an instance for the first text. Without a configured limit each text adds its own allowance.
func (c *check) acquireInstance(ctx context.Context, n int) (err error) {
	if c.inst == nil {
		if c.inst, err = c.s.v.acquireFit(ctx, c.s.budget.computeAllowance(n), c.who, c.fresh); err == nil {
			c.stale = c.inst.stale
		}
		return err
	}
	if c.s.budget.scalesWithText() {
		c.inst.call.arm(ctx, c.s.budget.computeAllowance(n))
	}
	return nil
}

// release returns the instance to its pool.
func (c *check) release(err error) {
	if i := c.inst; i != nil {
		c.inst = nil
		c.s.v.release(i, err)
	}
}

// releaseOnPanic returns the instance to its pool even if the call panics.
func (c *check) releaseOnPanic() {
	if c.inst != nil {
		c.release(errPanicked)
	}
}

// someHits is the initial capacity for hits in a body: if one text has some, others have too.
const someHits = 6

// recordHits turns the hits of a piece into findings and edits. It reports whether the rest of the text must be checked.
func (c *check) recordHits(hits []hit, base int) bool {
	c.s.v.findings.Add(uint64(len(hits)))
	if c.body != nil && c.v.Findings == nil && len(hits) > 0 {
		c.v.Findings = make([]core.Finding, 0, max(someHits, len(hits)))
	}
	blocked := -1
	for k := range hits {
		h := &hits[k]
		start, end := base+h.start, base+h.end
		c.v.Findings = append(c.v.Findings, c.buildFinding(h, start, end))
		switch h.action {
		case redact:
			if c.body != nil && c.v.Edits == nil {
				c.v.Edits = make([]core.Edit, 0, cap(c.v.Findings))
			}
			c.v.Edits = c.buildEdits(start, end, c.s.types[h.label])
		case block:
			if blocked < 0 {
				blocked = h.label
			}
		}
	}
	switch {
	case blocked >= 0:
		c.v.Action, c.v.Edits, c.v.Err = core.Block, nil, c.s.newRefusal(blocked, c.phase, c.findToolResult())
	case len(c.v.Edits) > 0:
		c.v.Action = core.Rewrite
	}
	return blocked < 0
}

// findToolResult returns the place of the tool result that the text of this call is, or "".
func (c *check) findToolResult() string {
	if c.body == nil || c.phase != core.Request {
		return ""
	}
	if s := &c.body.Segments[c.run.First]; classifySource(s.Role, s.Kind) == abi.SourceToolResult {
		return s.Path()
	}
	return ""
}

// buildEdits adds the edits that remove a hit.
func (c *check) buildEdits(start, end int, typ string) []core.Edit {
	if c.body == nil {
		return append(c.v.Edits, core.Edit{Start: start, End: end, Type: typ})
	}
	return c.body.AppendEdits(c.v.Edits, c.run, start, end, "", typ)
}

// buildFinding returns a hit as a finding in the segment in which it begins.
func (c *check) buildFinding(h *hit, start, end int) core.Finding {
	f := core.Finding{Label: c.s.v.Manifest.Labels[h.label], Segment: c.run.First, Start: start, End: end, Score: h.score}
	if c.body == nil {
		f.Segment = -1
		return f
	}
	for f.Segment+1 < c.run.First+c.run.N {
		n := len(c.body.ReadText(f.Segment))
		if f.Start < n {
			f.End = min(f.End, n)
			break
		}
		f.Start, f.End, f.Segment = f.Start-n, f.End-n, f.Segment+1
	}
	return f
}
