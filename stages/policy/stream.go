package policy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Stream opens a filter for a streamed answer. Without rules on answers it
// passes unseen.
func (s *Stage) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	w, ok := kept.(*work)
	if !ok { // the link was not asked about the request
		w = new(work)
		w.begin(s, s.plans.Load().of(caller(x).Tenant))
		w.facts(ctx, x)
	}
	if !s.first || len(w.plan.points[atResponse]) == 0 {
		return nil, nil
	}
	return &filter{w: w, x: x}, nil
}

// filter asks the rules on answers while one arrives. It holds nothing back: a
// rule that denies ends the stream. The finish reason is not known here, and
// what was sent cannot be redacted any more; that is the PII stage's.
type filter struct {
	w     *work
	x     *core.Exchange
	bytes int64
	found int // findings seen so far
}

// Check asks the rules when more is known than before.
func (f *filter) Check(_ context.Context, v core.Window) (core.Verdict, int, error) {
	f.bytes += int64(len(v.Text) - v.New)
	w := f.w
	// Anthropic's streams begin with a count of what was written by then, 1 mostly, and
	// tell the true one behind the text.
	tokens := max(f.bytes/bytesPerToken, f.x.Usage.Output)
	if !w.plan.needs.Has(dsl.ResponseTokens) && f.found == len(f.x.Findings) && !v.Last {
		return core.Verdict{Action: core.Pass}, 0, nil
	}
	f.found = len(f.x.Findings)
	w.found(f.x)
	w.f.OutTokens = tokens
	w.f.Known |= dsl.AttrSet(dsl.ResponseTokens)
	w.ask = append(w.ask[:0], w.plan.points[atResponse]...)
	w.evaluate()
	if len(w.d.Matched) == 0 {
		return core.Verdict{Action: core.Pass}, 0, nil
	}
	w.findings = w.findings[:0]
	for _, i := range w.d.Matched {
		if !w.told[i] {
			w.told[i] = true
			w.note(w.plan.set.Rules[i].Label)
		}
	}
	if w.d.Denier >= 0 {
		return core.Verdict{Action: core.Block, Err: denial(w.d.Reason(w.d.Denier)), Findings: w.findings}, 0, nil
	}
	return core.Verdict{Action: core.Pass, Findings: w.findings}, 0, nil
}

// Close has nothing to release.
func (*filter) Close(context.Context) error { return nil }
