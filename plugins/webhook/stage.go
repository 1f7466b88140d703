package webhook

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// Phases are those in which a link runs unless it says otherwise.
var Phases = core.PhaseSet(core.Request, core.Response)

// Stage is a receiver as a link of the chain.
type Stage struct {
	o       Options
	url     string
	client  *http.Client
	slots   *remote.Slots
	breaker *circuit.Streak // of canaries
	faults  circuit.Faults
	whole   windows // of requests
	answer  windows
	shadow  *shadow // nil: the link enforces
	panel   *panel  // nil: the stage is one receiver
	broken  error   // why it cannot be asked at all

	doubting sync.Mutex // held while a canary is run
}

var (
	_ core.StreamStage = (*Stage)(nil)
	_ core.Closer      = (*Stage)(nil)
)

// New returns a link. It makes no calls.
func New(o Options) (*Stage, error) {
	u, err := o.complete()
	if err != nil {
		return nil, err
	}
	c, err := client(&o)
	if err != nil {
		return nil, err
	}
	s := &Stage{
		o: o, url: u.String(), client: c, slots: remote.NewSlots(o.Calls), breaker: newBreaker(o.pause),
		whole: windows{requestWindow, o.Settings.Overlap}, answer: windows{o.Settings.Window, o.Settings.Overlap},
	}
	s.faults.Init(breakerFailures)
	if o.Shadow {
		s.shadow = newShadow(s, o.Note)
	}
	return s, nil
}

// String names the link: a stage holds a secret, and must not be printed whole.
func (s *Stage) String() string { return fmt.Sprintf("webhook %q", s.o.Link) }

// GoString does the same for the %#v verb.
func (s *Stage) GoString() string { return s.String() }

// Close closes connections and drops the unsent calls of a link in shadow mode.
func (s *Stage) Close(context.Context) error {
	if s.shadow != nil {
		s.shadow.close()
	}
	s.client.CloseIdleConnections()
	return nil
}

// Check asks the receiver about a whole request or answer, in as few calls as it
// fits into. They share one timeout.
func (s *Stage) Check(parent context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	ctx, cancel := context.WithTimeout(parent, s.o.Timeout)
	defer cancel()
	body, w := &x.Request, s.whole
	if p == core.Response {
		body, w = &x.Response, s.answer
	}
	texts := runs(body)
	parts := make([]part, 0, len(texts))
	for i := range texts {
		parts = s.cut(parts, body, &texts[i], w)
	}
	if s.silent() {
		s.watch(x, p, false, parts)
		return core.Verdict{Action: core.Pass}, nil
	}
	for len(parts) > 0 {
		n := batch(parts)
		v, err := s.judge(ctx, parent, x, p, false, parts[:n])
		if err != nil {
			return core.Verdict{}, err
		}
		if v.action == webhook.Block {
			return s.block(p, v, openFindings(body, texts)), nil
		}
		parts = parts[n:]
	}
	out := core.Verdict{Action: core.Pass}
	for i := range texts {
		t := &texts[i]
		done, _, err := t.settler.settle(len(t.run.Text))
		if err != nil {
			return core.Verdict{}, s.fault(core.FaultVerdict, err.Error())
		}
		for _, f := range done {
			out.Findings = append(out.Findings, place(body, t.run, f))
			if !f.redact {
				continue
			}
			out.Action = core.Rewrite
			e := f.edit(0, f.start, f.end)
			out.Edits = body.Edits(out.Edits, t.run, e.Start, e.End, e.With, e.Type)
		}
	}
	return out, nil
}

// judge makes one call about some parts, and hands what it finds to their texts.
func (s *Stage) judge(ctx, parent context.Context, x *core.Exchange, p core.Phase, stream bool, parts []part) (verdict, error) {
	pieces, texts := make([]piece, len(parts)), make([]string, len(parts))
	for i := range parts {
		pieces[i], texts[i] = parts[i].piece, parts[i].piece.text
	}
	if s.panel != nil {
		return s.panel.judge(ctx, parent, x, p, stream, parts, texts)
	}
	// The body is not kept for reuse: net/http may still read it when the reply is there.
	v, err := s.ask(ctx, parent, keyOf(x), s.body(x, p, stream, pieces), texts)
	if err != nil {
		return v, err
	}
	for i, spans := range v.spans {
		parts[i].text.settler.add(texts[i], parts[i].at, spans, v.action == webhook.Redact)
	}
	return v, nil
}

// silent reports that nothing waits for a verdict.
func (s *Stage) silent() bool { return s.shadow != nil || s.panel != nil && len(s.panel.ask) == 0 }

// watch sends copies of parts to receivers in shadow.
func (s *Stage) watch(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	for len(parts) > 0 {
		n := batch(parts)
		if s.panel != nil {
			s.panel.show(x, p, stream, parts[:n])
		} else {
			s.shadow.send(x, p, stream, parts[:n])
		}
		parts = parts[n:]
	}
}

// block refuses the exchange, with the findings as evidence.
func (s *Stage) block(p core.Phase, v verdict, found []core.Finding) core.Verdict {
	message, guard := v.message, v.by
	if guard == "" {
		guard = s.o.Link
	}
	if message == "" {
		what := "this request"
		if p == core.Response {
			what = "the answer"
		}
		message = fmt.Sprintf("the guard %q does not let %s pass", guard, what)
	}
	return core.Verdict{
		Action: core.Block, Findings: found,
		Err: &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: message},
	}
}
