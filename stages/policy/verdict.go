package policy

import (
	"cmp"
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Headers of WARN_AGENT.
const (
	warnHeader        = "X-Budget-Warning"
	warnMessageHeader = "X-Budget-Warning-Message"
)

// Labels for actions that a rule requested and that could not be carried out.
const (
	labelNoRoute = "route_unavailable"
	labelTooLate = "route_too_late"
)

// buildVerdict returns the stage's verdict for the results of the rules.
func (w *work) buildVerdict(ctx context.Context, x *core.Exchange, p core.Phase) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	if w.unread {
		v.Action, v.Err = core.Block, newArgumentsError()
		return v, nil
	}
	if p == core.Target && w.region != "" && x.Target.Region != w.region && !w.keep {
		v.Action, v.Err = core.Block, newDenial("a policy sends this request to the region "+w.region+", where no target serves the model")
		return v, nil
	}
	w.findings, w.header, w.edits, w.types = w.findings[:0], w.header[:0], w.edits[:0], w.types[:0]
	w.noteApprovals()
	v.Findings = w.findings
	if !w.asked || len(w.d.Matched) == 0 {
		return v, nil
	}
	for _, i := range w.d.Matched {
		r := w.plan.set.Rules[i].Rule
		if r.Action == dsl.Redact {
			w.types = append(w.types, r.RedactTypes()...)
		}
		if w.reported[i] {
			continue
		}
		w.reported[i] = true
		w.note(r.Label)
		if r.Action == dsl.WarnAgent && !w.warned {
			w.warned = true
			w.header = append(w.header, core.Field{Name: warnHeader, Value: "true"})
			if r.Params.Message != "" {
				w.header = append(w.header, core.Field{Name: warnMessageHeader, Value: formatHeaderValue(r.Params.Message)})
			}
		}
	}
	v.Header = w.header
	if w.d.Denier >= 0 {
		v.Action, v.Err, v.Findings = core.Block, newDenial(w.d.FindReason(w.d.Denier)), w.findings
		v.Err.Err = w.d.Error(w.d.Denier)
		if r := w.plan.set.Rules[w.d.Denier].Rule; r.Action == dsl.RequireApproval && w.stage.deps.Approvals != nil && !w.stage.deps.Shadow {
			if w.f.Tool.Name != "" {
				v.Err = w.requestApproval(ctx, r, v.Err)
			} else {
				w.stage.deps.Approvals.RequestConsent(w.f.Tenant, w.f.KeyLineage, r.Label, w.f.Asked[0])
			}
		}
		return v, nil
	}
	if w.d.Route >= 0 && !w.applyRoute(x, p, &v.Patch) {
		w.note(labelNoRoute)
	}
	v.Patch.MaxTokens = w.d.Cap
	if len(w.types) > 0 {
		w.redact(x, p)
	}
	if len(w.edits) > 0 || v.Patch != (core.Patch{}) {
		v.Action, v.Edits = core.Rewrite, w.edits
	}
	v.Findings = w.findings
	return v, nil
}

func (w *work) note(label string) {
	w.findings = append(w.findings, core.Finding{Label: label, Kind: core.FoundPolicy})
}

// formatHeaderValue converts a message to a header value: bytes other than printable ASCII become blanks.
func formatHeaderValue(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = ' '
		}
	}
	return string(b)
}

// applyRoute applies the ROUTE rule. It returns false if that is impossible.
func (w *work) applyRoute(x *core.Exchange, p core.Phase, patch *core.Patch) bool {
	r := w.plan.set.Rules[w.d.Route].Params
	if p != core.Request { // a model that was routed is not routed again
		if findPoint(w.plan.set.Rules[w.d.Route].Rule) == atContent { // the link precedes a detector that the rule waits for
			w.note(labelTooLate)
		}
		return true
	}
	routes := w.stage.deps.Routes
	model := cmp.Or(r.Model, x.Model())
	if r.Provider != "" {
		bare := model
		if routes != nil {
			bare = routes.StripPrefix(model)
		}
		model = r.Provider + "/" + bare
	}
	if r.KeepIfUnavailable && routes != nil {
		served := routes.Plan(model)
		if len(served) == 0 || r.Region != "" && !slices.ContainsFunc(served, func(t core.TargetRef) bool { return t.Region == r.Region }) {
			return false
		}
	}
	w.region, w.keep = r.Region, false
	if model != x.Model() || r.Model != "" || r.Provider != "" {
		patch.Model = model // also the client's own choice: now the rule has made it
	}
	return true
}

// span is a finding in a run of text.
type span struct {
	first, start, end int
	label             string
}

// redact redacts the values of the wanted types if they are still in the text: an earlier link may have redacted
// them.
func (w *work) redact(x *core.Exchange, p core.Phase) {
	body, phase := &x.Request, core.Request
	if p == core.Response {
		body, phase = &x.Response, core.Response
	}
	w.spans = w.spans[:0]
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Phase != phase || f.Shadow || f.Segment < 0 || f.Segment >= len(body.Segments) || f.Start >= f.End || !w.isWanted(f) {
			continue
		}
		w.spans = append(w.spans, span{f.Segment, f.Start, f.End, f.Label})
	}
	slices.SortStableFunc(w.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var run core.Run
	at, end := -1, 0
	for _, s := range w.spans {
		if s.first != at {
			run, at, end = body.FindRun(s.first), s.first, 0
		}
		if s.start < end || s.end > len(run.Text) || placeholder.Touches(run.Text, s.start, s.end) {
			continue
		}
		end = s.end
		w.edits = body.AppendEdits(w.edits, run, s.start, s.end, "", s.label)
	}
}

// isWanted reports whether a finding has a type to redact: matching personal data, or any label that is named in full.
func (w *work) isWanted(f *core.Finding) bool {
	if f.Kind == core.FoundPolicy || !placeholder.IsValidType(f.Label) {
		return false
	}
	for i := range w.types {
		if g := &w.types[i]; g.Matches(f.Label) && (f.IsPII() || g.IsExact()) {
			return true
		}
	}
	return false
}
