package policy

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// readContent stores what detectors have found in the request.
func (w *work) readContent(x *core.Exchange) {
	if w.plan.needs&dsl.Contents != 0 {
		w.f.PII, w.f.Detectors = appendLabels(w.f.PII[:0], x.Findings, core.Request, true), appendLabels(w.f.Detectors[:0], x.Findings,
			core.Request, false)
	}
	w.f.Known |= dsl.Contents
}

// appendLabels collects the labels of one phase, either of personal data or of detectors.
func appendLabels(dst []dsl.Label, findings []core.Finding, p core.Phase, pii bool) []dsl.Label {
	for i := range findings {
		f := &findings[i]
		if f.Phase != p || f.Shadow {
			continue
		}
		if pii && f.IsPII() || !pii && f.IsDetector() {
			dst = dsl.AddLabel(dst, f.Label, f.Score)
		}
	}
	return dst
}

// schemaLabels are the labels of stages for an answer that does not match its schema.
var schemaLabels = map[string]bool{"json_schema": true, "schema_invalid": true, "output_schema": true}

// readAnswer stores what is known about a whole answer.
func (w *work) readAnswer(x *core.Exchange) {
	w.noteFindings(x)
	w.f.OutTokens = countAnswerTokens(x)
	w.f.Known |= dsl.NewAttrSet(dsl.ResponseTokens)
	if w.plan.needs.Has(dsl.FinishReason) {
		w.f.Finish = scan.ReadFinish(&w.scan, x.Response.Raw)
		w.f.Known |= dsl.NewAttrSet(dsl.FinishReason)
	}
}

// noteFindings stores what detectors have found in the answer so far.
func (w *work) noteFindings(x *core.Exchange) { w.noteFindingsFrom(x, 0) }

// noteFindingsFrom adds the detectors' findings in the answer from index n on; the first n are already stored. With n = 0
// it starts over.
func (w *work) noteFindingsFrom(x *core.Exchange, n int) {
	if n == 0 {
		w.f.Response, w.f.BadSchema = w.f.Response[:0], false
	}
	fresh := x.Findings[n:]
	w.f.Response = appendLabels(w.f.Response, fresh, core.Response, true)
	w.f.SchemaKnown = true
	for i := range fresh {
		if f := &fresh[i]; f.Phase == core.Response && !f.Shadow && schemaLabels[f.Label] {
			w.f.BadSchema = true
		}
	}
	w.f.Known |= dsl.NewAttrSet(dsl.ResponsePII, dsl.SchemaInvalid)
}

// hasScanned reports whether all detectors have judged the request.
func (s *Stage) hasScanned(x *core.Exchange) bool {
	if x.Outcome.Kind == core.Served {
		return true
	}
	for i := range x.Visits {
		if v := &x.Visits[i]; v.Phase == core.Target || v.Phase == core.Request && slices.Contains(s.behind, v.Link) {
			return true
		}
	}
	return false
}

// complete stores at the end what only policies in shadow mode need, and what other links have evaluated: the first
// link hands over the facts of all of them.
func (w *work) complete(x *core.Exchange) {
	if w.f.Known&dsl.Contents != dsl.Contents && w.stage.hasScanned(x) {
		w.readContent(x)
	}
	if w.plan.needs&dsl.Answers == 0 || x.Outcome.Kind != core.Served {
		return
	}
	if w.f.Known.Has(dsl.FinishReason) || x.Head.Stream {
		if x.Usage.Reported {
			w.f.OutTokens = x.Usage.Output
			w.f.Known |= dsl.NewAttrSet(dsl.ResponseTokens)
		}
		if x.Finish != "" {
			w.f.Finish = x.Finish
			w.f.Known |= dsl.NewAttrSet(dsl.FinishReason)
		}
		w.noteFindings(x)
		return
	}
	w.readAnswer(x)
}
