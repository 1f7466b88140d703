package remote

import (
	"context"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
)

// Phases are the default phases of a link.
var Phases = core.NewPhaseSet(core.Request, core.Response)

// Stage is a guard as a link of the chain.
type Stage struct {
	o        Options
	asker    Asker
	slots    *Slots
	breaker  *circuit.Streak // counts canaries
	faults   circuit.Faults
	whole    windows // of requests
	answer   windows
	shadow   *shadow // nil if the link enforces
	panel    *panel  // nil if the stage is one guard
	verdicts verdicts
	broken   error // why the guard cannot be called; nil if it can

	doubting sync.Mutex // held while a canary is run
}

var (
	_ core.StreamStage = (*Stage)(nil)
	_ core.Closer      = (*Stage)(nil)
)

// New returns a stage for a link. It makes no calls, and owns the asker.
func New(o Options, a Asker) *Stage {
	o.fill()
	s := &Stage{
		o: o, asker: a, slots: NewSlots(o.Calls), breaker: newBreaker(o.Pause),
		whole: windows{o.RequestWindow, o.Overlap}, answer: windows{o.Window, o.Overlap},
	}
	s.faults.Init(BreakerFailures)
	if o.Shadow {
		s.shadow = newShadow(s, o.Note)
	}
	return s
}

// NewBroken returns a stage whose guard cannot be called. Each Check fails with the reason, which clients may read.
func NewBroken(o Options, why error) *Stage {
	o.fill()
	return &Stage{o: o, broken: why}
}

// Link returns the name in the chain.
func (s *Stage) Link() string { return s.o.Link }

// IsServing reports whether the guard is in service, which means that its breaker is closed.
func (s *Stage) IsServing() bool { return s.breaker.IsClosed() }

// String returns the kind and name of the link. An asker contains a secret and must not be printed.
func (s *Stage) String() string { return fmt.Sprintf("%s %q", s.o.Guard, s.o.Link) }

// GoString does the same for the %#v verb.
func (s *Stage) GoString() string { return s.String() }

// Close closes connections and drops the unsent calls of a link in shadow mode.
func (s *Stage) Close(context.Context) error {
	if s.shadow != nil {
		s.shadow.close()
	}
	if s.asker != nil {
		s.asker.Close()
	}
	return nil
}

// Check sends a whole request or answer to the receiver, in as few calls as possible. They share one timeout.
func (s *Stage) Check(parent context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	ctx, cancel := context.WithTimeout(parent, s.o.Timeout)
	defer cancel()
	body, w := &x.Request, s.whole
	if p == core.Response {
		body, w = &x.Response, s.answer
	}
	texts := s.listTexts(x, body, p)
	parts := make([]part, 0, len(texts))
	for i := range texts {
		if !texts[i].known {
			parts = s.appendWindows(parts, body, &texts[i], w)
		}
	}
	parts = s.keepDoubtful(ctx, parts)
	if s.isSilent() {
		s.sendShadow(x, p, false, parts)
		return core.Verdict{Action: core.Pass}, nil
	}
	for len(parts) > 0 {
		n := s.countBatch(parts)
		v, err := s.judge(ctx, parent, x, p, false, parts[:n])
		if err != nil {
			return core.Verdict{}, err
		}
		if v.Action == Block {
			return s.block(p, v, s.listBlocking(body, texts)), nil
		}
		parts = parts[n:]
	}
	out := core.Verdict{Action: core.Pass}
	for i := range texts {
		t := &texts[i]
		done, _, err := t.settler.settle(len(t.run.Text))
		if err != nil {
			return core.Verdict{}, s.newFault(core.FaultVerdict, err.Error())
		}
		t.storeFindings(done)
		for _, f := range done {
			out.Findings = append(out.Findings, locateFinding(body, t.run, f))
			if !f.redact {
				continue
			}
			out.Action = core.Rewrite
			e := f.buildEdit(0, f.Start, f.End)
			out.Edits = body.AppendEdits(out.Edits, t.run, e.Start, e.End, e.With, e.Type)
		}
	}
	return out, nil
}

// judge makes one call about some parts, and assigns the findings to their texts.
func (s *Stage) judge(ctx, parent context.Context, x *core.Exchange, p core.Phase, stream bool, parts []part) (Verdict, error) {
	if s.panel != nil {
		return s.panel.judge(ctx, parent, x, p, stream, parts)
	}
	v, err := s.ask(ctx, parent, formatKey(x), s.buildQuestion(x, p, stream, listPieces(parts)))
	if err != nil {
		return v, err
	}
	for i, spans := range v.Spans {
		parts[i].text.settler.add(parts[i].Text, parts[i].at, spans, v.Action == Redact)
	}
	return v, nil
}

// isSilent reports whether no verdict is needed.
func (s *Stage) isSilent() bool { return s.shadow != nil || s.panel != nil && len(s.panel.ask) == 0 }

// sendShadow sends copies of parts to receivers in shadow mode.
func (s *Stage) sendShadow(x *core.Exchange, p core.Phase, stream bool, parts []part) {
	for len(parts) > 0 {
		n := s.countBatch(parts)
		if s.panel != nil {
			s.panel.sendShadow(x, p, stream, parts[:n])
		} else {
			s.shadow.send(x, p, stream, parts[:n])
		}
		parts = parts[n:]
	}
}

// block refuses the exchange, with the findings as evidence.
func (s *Stage) block(p core.Phase, v Verdict, found []core.Finding) core.Verdict {
	message, guard := v.Message, v.By
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
