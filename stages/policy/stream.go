package policy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Stream opens a filter for a streamed answer, or returns nil without rules on answers.
func (s *Stage) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	w, ok := kept.(*work)
	if !ok { // the link was not asked about the request
		w = new(work)
		w.begin(s, s.plans.Load().findPlan(findCaller(x).Tenant))
		if err := w.fillFacts(ctx, x); err != nil {
			return nil, err
		}
	}
	w.noteModelNames(x)
	if !s.first || len(w.plan.points[atResponse]) == 0 {
		return nil, nil
	}
	w.f.Known &^= dsl.Answers // the facts may be those of an earlier answer
	f := &filter{w: w, x: x}
	for _, i := range w.plan.points[atResponse] {
		r := w.plan.set.Rules[i].Rule
		switch {
		case !w.d.MayFire(&w.f, i):
		case r.Action == dsl.Redact:
			f.redacts = append(f.redacts, i)
		case r.Action.Denies() && r.Needs().Has(dsl.FinishReason):
			f.waits = true
		}
	}
	if len(f.redacts) > 0 {
		return &redactor{f}, nil
	}
	return f, nil
}

// filter evaluates the rules on answers while an answer arrives. A rule that denies ends the stream.
type filter struct {
	w     *work
	x     *core.Exchange
	bytes int64
	found int // findings seen so far
	noted int // findings that the facts have; one that is added does not cost a look at all others
	// redacts are the REDACT rules that fire or may fire. What depends on the rest of the answer is only known when the
	// text has been sent, so these rules redact from the beginning.
	redacts []int
	waits   bool // a rule could deny the answer at its end
}

var (
	_ core.Withholder = (*filter)(nil)
	_ core.Ender      = (*filter)(nil)
)

// Withholds reports whether the stream must wait for its end, because it may be denied for its finish reason, or for a
// value that was found too late to be redacted.
func (f *filter) Withholds() bool { return f.waits }

// End evaluates the rules once more, now that the finish reason is known.
func (f *filter) End(context.Context) (core.Verdict, error) {
	w := f.w
	if f.x.Finish == "" && f.x.Outcome.Kind == core.UpstreamErr { // the call failed, so there is no answer
		return core.Verdict{Action: core.Pass}, nil
	}
	w.f.Finish = f.x.Finish
	w.f.Known |= dsl.NewAttrSet(dsl.FinishReason)
	w.findings = w.findings[:0]
	if f.ask() {
		return core.Verdict{Action: core.Block, Err: newDenial(w.d.FindReason(w.d.Denier)), Findings: w.findings}, nil
	}
	return core.Verdict{Action: core.Pass, Findings: w.findings}, nil
}

// redactor is a filter that may redact.
type redactor struct{ *filter }

var _ core.FindingsReader = redactor{}

// Inform tells the chain that the filter needs the findings of other links. If one of them may find too late what
// must be redacted, nothing is sent before the whole answer was checked.
func (r redactor) Inform(late bool) { r.waits = r.waits || late }

// Check evaluates the rules if more is known than before, and applies those that redact.
func (f *filter) Check(_ context.Context, v core.Window) (core.Verdict, int, error) {
	f.bytes += int64(len(v.Text) - v.New)
	w := f.w
	w.findings, w.edits = w.findings[:0], w.edits[:0]
	if w.plan.needs.Has(dsl.ResponseTokens) || f.found != len(f.x.Findings) || v.Last {
		f.found = len(f.x.Findings)
		if f.ask() {
			return core.Verdict{Action: core.Block, Err: newDenial(w.d.FindReason(w.d.Denier)), Findings: w.findings}, 0, nil
		}
	}
	hold, late := f.redact(&v)
	switch {
	case late != "":
		return core.Verdict{
			Action:   core.Block,
			Err:      newDenial("a policy takes " + late + " out of answers, and one was found when its text had been sent"),
			Findings: w.findings,
		}, 0, nil
	case len(w.edits) > 0:
		return core.Verdict{Action: core.Rewrite, Edits: w.edits, Findings: w.findings}, hold, nil
	}
	return core.Verdict{Action: core.Pass, Findings: w.findings}, hold, nil
}

// ask evaluates the rules for the answer so far, and reports whether one denies it.
func (f *filter) ask() bool {
	w := f.w
	if f.noted > len(f.x.Findings) {
		f.noted = 0
	}
	w.noteFindingsFrom(f.x, f.noted)
	f.noted = len(f.x.Findings)
	// Anthropic's streams start with the count at that time, mostly 1, and send the true count after the text.
	w.f.OutTokens = max(f.bytes/bytesPerToken, f.x.Usage.Output)
	w.f.Known |= dsl.NewAttrSet(dsl.ResponseTokens)
	w.ask = append(w.ask[:0], w.plan.points[atResponse]...)
	w.evaluate()
	for _, i := range w.d.Matched {
		w.reportRule(i)
	}
	return w.d.Denier >= 0
}

// reportRule records, once, a rule that took effect.
func (w *work) reportRule(i int) {
	if !w.reported[i] {
		w.reported[i] = true
		w.note(w.plan.set.Rules[i].Label)
	}
}

// redact returns the edits of the text that can be released, and how much must wait for the end of a value. late is the
// type of a value that can no longer be redacted.
func (f *filter) redact(v *core.Window) (hold int, late string) {
	if len(v.Found) == 0 {
		return 0, ""
	}
	clear := len(v.Text)
	known := clear // what follows may be the beginning of a placeholder, which is left alone
	if !v.Last {
		known -= placeholder.FindPartial(v.Text)
	}
	for i := len(v.Found) - 1; i >= 0; i-- { // what overlaps waits too
		if g := &v.Found[i]; g.Start < clear && g.End > min(clear, known) && !v.Last && f.findRedactingRule(g) >= 0 {
			clear = g.Start
		}
	}
	end := v.Sent
	for i := range v.Found {
		g := &v.Found[i]
		rule := f.findRedactingRule(g)
		if rule < 0 {
			continue
		}
		if g.Start == g.End {
			return 0, g.Label
		}
		if g.Start >= clear || g.Start < end || placeholder.Touches(v.Text, g.Start, g.End) {
			continue
		}
		end = g.End
		f.w.reportRule(rule)
		f.w.edits = append(f.w.edits, core.Edit{Start: g.Start, End: g.End, Type: g.Label})
	}
	return len(v.Text) - clear, ""
}

// findRedactingRule returns the rule that redacts a finding, or -1.
func (f *filter) findRedactingRule(g *core.Finding) int {
	for _, i := range f.redacts {
		if f.w.types = append(f.w.types[:0], f.w.plan.set.Rules[i].RedactTypes()...); f.w.isWanted(g) {
			return i
		}
	}
	return -1
}

// Close does nothing.
func (*filter) Close(context.Context) error { return nil }
