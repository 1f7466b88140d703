package cases

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/llm"
)

// way is how answers are shown to the stage: nil means whole; otherwise it returns the positions at which to split a
// stream's events, given their number.
type way func(total int) []int

var errNotAccepted = errors.New("the gateway does not accept it")

// run runs a case's steps in order, starting with an empty state. took is the time that the chain used.
func (b *bench) run(ctx context.Context, c *Case, w way) (out []outcome, took time.Duration, err error) {
	b.reset()
	for _, s := range c.steps {
		b.clock.past.Add(int64(s.given.After))
		o, d, err := b.runStep(ctx, s, w)
		if err != nil {
			return out, took, err
		}
		out, took = append(out, o), took+d
	}
	return out, took, nil
}

func (b *bench) runStep(ctx context.Context, s *step, w way) (o outcome, took time.Duration, err error) {
	x := s.buildExchange()
	links, err := b.buildChain(s)
	if err != nil {
		return o, 0, err
	}
	if s.input.request != nil {
		if e := s.input.shape.Scan(x); e != nil {
			return o, 0, fmt.Errorf("%w: %w", errNotAccepted, e)
		}
	}
	b.says.findings, b.says.edits = nil, nil
	b.offers.given = &s.given
	b.state.fails.Store(s.given.StateFails)
	defer func() {
		if u := s.given.Usage; s.givenAt.Has("usage") { // instead of the usage in the answer
			x.Usage = llm.Usage{Reported: true, Input: u.Input, Output: u.Output, Cached: u.Cached}
		}
		if s.given.Phase == "response" || x.Outcome.Kind == core.Served {
			x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: http.StatusOK, Usage: x.Usage})
		}
		links.Finish(ctx, x)
	}()
	x.Outcome = core.Outcome{Kind: core.Served, Status: http.StatusOK, Complete: true}
	d, from := chain.Decision{Action: core.Pass}, 0
	start := time.Now()
	switch phase := s.given.Phase.phase(); {
	case phase == core.Request:
		s.addFindings(x)
		d = links.RunRequest(ctx, x)
		took = time.Since(start)
	case phase == core.Target:
		if from, err = b.runBefore(ctx, links, x); err != nil {
			return o, 0, err
		}
		s.addFindings(x)
		start = time.Now()
		d = links.RunTarget(ctx, x)
		took = time.Since(start)
	default:
		if from, err = b.runBefore(ctx, links, x); err != nil {
			return o, 0, err
		}
		s.addFindings(x)
		if s.streamed && (w != nil || s.input.only) {
			if w == nil {
				w = func(int) []int { return nil }
			}
			return b.runStream(ctx, s, links, x, from, w)
		}
		if !s.input.plain {
			if err := s.input.shape.ScanResponse(x); err != nil {
				return o, 0, fmt.Errorf("%w: %w", errNotAccepted, err)
			}
		}
		start = time.Now()
		d = links.RunResponse(ctx, x)
		took = time.Since(start)
	}
	setOutcome(x, &d)
	o.readPhase(b, x, d, from)
	body := &x.Request
	if s.given.Phase == "response" {
		body = &x.Response
	}
	o.setBody(b, body)
	switch {
	case !s.streamed:
	case s.input.plain:
		o.parts.add(core.Part{Kind: core.KindText}, o.texts[0])
	default:
		o.parts = splitChatParts(o.raw)
	}
	return o, took, nil
}

// runBefore runs the links on the request, so that the link under test sees it, and discards the findings. from is the number
// of visits so far.
func (b *bench) runBefore(ctx context.Context, links *chain.Chain, x *core.Exchange) (from int, err error) {
	if d := links.RunRequest(ctx, x); d.Action != core.Pass {
		setOutcome(x, &d)
		return 0, fmt.Errorf("the request did not pass, so the phase that is tested is not reached: %s%s", d.Action, formatCause(readCode(d.Err)))
	}
	x.Findings, x.Header = nil, nil
	b.says.findings, b.says.edits = nil, nil
	return len(x.Visits), nil
}

func readCode(e *core.Error) string {
	if e == nil {
		return ""
	}
	return e.Code
}

// setOutcome stores the outcome in the exchange, for stages that implement Finisher.
func setOutcome(x *core.Exchange, d *chain.Decision) {
	switch {
	case d.Fault:
		x.Outcome.Kind = core.Faulted
	case d.Action == core.Block || d.Action == core.Retry:
		x.Outcome.Kind = core.Blocked
	case d.Action == core.Answer:
		x.Outcome.Kind = core.Answered
	default:
		return
	}
	x.Outcome.By, x.Outcome.Err = d.Link, d.Err
	if d.Err != nil {
		x.Outcome.Status = d.Err.HTTPStatus()
	}
}
