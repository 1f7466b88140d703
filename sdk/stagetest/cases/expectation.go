package cases

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/config"
)

// checkExpectation checks that the expectation of a step is possible with any stage.
func (r *reader) checkExpectation(s *step) {
	e, at := &s.expect, s.expectAt
	if len(at.Keys()) == 0 {
		r.add(at.NewProblem("no expectation", "write expect: {verdict: pass}"))
		return
	}
	refusal := e.Verdict == "block" || e.Verdict == "retry" || e.Verdict == "" || e.Fault != "" && e.Verdict == "block"
	for _, key := range []string{"code", "status", "message"} {
		if at.Has(key) && !refusal {
			r.add(at.NewProblem(
				fmt.Sprintf("is for refusals, and the verdict %s is not one", e.Verdict), "write verdict: block, or leave it out", key))
		}
	}
	r.checkVerdict(s)
	if s.input.only {
		for _, key := range []string{"spans", "edits"} {
			if at.Has(key) {
				r.add(at.NewProblem("a stream does not report offsets", "write labels: and text:", key))
			}
		}
	}
	for _, twice := range [][2]string{{"text", "texts"}, {"body", "raw"}, {"spans", "labels"}} {
		if at.Has(twice[0]) && at.Has(twice[1]) {
			r.add(at.NewProblem("cannot be combined with "+twice[0], "keep one of the two", twice[1]))
		}
	}
	if at.Has("body") && s.input.plain {
		r.add(at.NewProblem("a plain text has no body", "write text:, or give the stage a body", "body"))
	}
	r.checkPlaces(s)
}

// checkVerdict checks that the expected verdict exists in the step's phase, and that settings of one verdict
// are not combined with another verdict.
func (r *reader) checkVerdict(s *step) {
	e, at, phase := &s.expect, s.expectAt, s.given.Phase
	switch {
	case e.Verdict == "answer" && phase != "request":
		r.add(at.NewProblem("only a request can be answered by a stage", "write phase: request, or another verdict", "verdict"))
	case e.Verdict == "retry" && phase != "response":
		r.add(at.NewProblem("the model can be asked again only after an answer", "write phase: response, or another verdict", "verdict"))
	case e.Fault != "" && e.Verdict != "" && e.Verdict != "block" && e.Verdict != "pass":
		r.add(at.NewProblem("a stage that fails gives no verdict", "leave it out, or write block or pass, as on_fault has it", "verdict"))
	}
	for key, of := range map[string]verdictWord{"reply": "answer", "retry": "retry", "edits": "rewrite"} {
		if at.Has(key) && e.Verdict != "" && e.Verdict != of && !(key == "edits" && len(e.Edits) == 0) {
			r.add(at.NewProblem(fmt.Sprintf("is allowed only with verdict: %s", of), "leave it out, or change the verdict", key))
		}
	}
}

// checkPlaces checks offsets against the given texts.
func (r *reader) checkPlaces(s *step) {
	texts := s.listTexts()
	if s.input.only {
		return
	}
	for i := range s.spans {
		p, at := &s.spans[i], s.expect.Spans[i]
		if (p.Start == nil) != (p.End == nil) {
			r.add(at.NewProblem("write both start and end, or neither", "write both, or neither"))
			continue
		}
		if p.Start == nil {
			continue
		}
		text, ok := r.checkPosition(at, texts, p.Segment, *p.Start, *p.End)
		if ok && p.Text != nil && *p.Text != text[*p.Start:*p.End] {
			r.add(at.NewProblem(fmt.Sprintf("the text from %d to %d is %q", *p.Start, *p.End, text[*p.Start:*p.End]), describePlace(text, *p.Text), "text"))
		}
		if p.Score != nil && (*p.Score < 0 || *p.Score > 1) {
			r.add(at.NewProblem("a score must be between 0 and 1", "write score: 0.5", "score"))
		}
	}
	for i := range s.edits {
		p, at := &s.edits[i], s.expect.Edits[i]
		if p.With != nil && p.Type != "" {
			r.add(at.NewProblem("cannot be combined with with", "keep one: a placeholder has a type, other text is written", "type"))
		}
		r.checkPosition(at, texts, p.Segment, *p.Start, *p.End)
	}
	if n := len(texts); s.expectAt.Has("texts") && len(s.expect.Texts) != n {
		r.add(
			s.expectAt.NewProblem(fmt.Sprintf("has %d texts, but the body has %d", len(s.expect.Texts), n), "write one for each text of the body",
				"texts"),
		)
	}
}

// checkPosition checks a position in the texts.
func (r *reader) checkPosition(at config.Block, texts []string, segment, start, end int) (text string, ok bool) {
	if segment >= len(texts) {
		r.add(at.NewProblem(fmt.Sprintf("no text %d: the body has %d", segment, len(texts)), "count texts from 0", "segment"))
		return "", false
	}
	text = texts[segment]
	switch {
	case start < 0:
		r.add(at.NewProblem("an offset must not be negative", "count from 0", "start"))
	case start > end:
		r.add(at.NewProblem(fmt.Sprintf("ends at %d, before it begins", end), "write an end that is not below the start", "end"))
	case end > len(text):
		r.add(at.NewProblem(
			fmt.Sprintf("lies beyond the end of the text, which has %d bytes", len(text)), fmt.Sprintf("write at most %d", len(text)),
			"end"))
	case !isBoundary(text, start):
		r.add(at.NewProblem("lies inside a character", "count bytes of UTF-8: "+quoteBoundaries(text, start), "start"))
	case !isBoundary(text, end):
		r.add(at.NewProblem("lies inside a character", "count bytes of UTF-8: "+quoteBoundaries(text, end), "end"))
	default:
		return text, true
	}
	return text, false
}

func isBoundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// quoteBoundaries names the character boundaries around a position.
func quoteBoundaries(text string, at int) string {
	lo, hi := at, at
	for lo > 0 && !isBoundary(text, lo) {
		lo--
	}
	for hi < len(text) && !isBoundary(text, hi) {
		hi++
	}
	return fmt.Sprintf("write %d or %d", lo, hi)
}

// describePlace describes where a text occurs in another.
func describePlace(text, what string) string {
	if k := strings.Index(text, what); k >= 0 && what != "" {
		return fmt.Sprintf("%q is at %d to %d", what, k, k+len(what))
	}
	return "write a text that occurs there"
}

// listTexts returns the texts that the step shows to the stage.
func (s *step) listTexts() (out []string) {
	x := s.buildExchange()
	body := &x.Request
	if s.given.Phase == "response" {
		body = &x.Response
	}
	if !s.input.plain { // both were accepted when the step was read
		if s.input.request != nil {
			_ = s.input.shape.Scan(x)
		}
		if s.input.answer != nil {
			_ = s.input.shape.ScanResponse(x)
		}
	}
	for i := range body.Segments {
		out = append(out, strings.Clone(body.ReadText(i)))
	}
	return out
}

// checkStage reports mistakes of a case that only its stage reveals: labels that the stage does not have, and a phase in
// which it does not run.
func (c *Case) checkStage(m *Made) error {
	r := &reader{}
	for _, s := range c.steps {
		if p := s.given.Phase.phase(); !m.Link.Phases.Has(p) {
			r.add(
				s.givenAt.NewProblem(fmt.Sprintf("the link does not run in the phase %s", p), "write another phase, or phases: with the link", "phase"),
			)
		}
		if m.Labels == nil {
			continue
		}
		for i := range s.spans {
			r.checkLabel(s.expect.Spans[i], s.spans[i].Label, m.Labels, "label")
		}
		for _, l := range s.expect.Labels {
			r.checkLabel(s.expectAt, l, m.Labels, "labels")
		}
	}
	return r.joinErrors()
}

func (r *reader) checkLabel(at config.Block, label string, known []string, key string) {
	if !slices.Contains(known, label) {
		r.add(
			at.NewProblem(
				fmt.Sprintf("the stage cannot find %q: its manifest does not list it", label),
				"write one of "+strings.Join(known, ", "),
				key,
			),
		)
	}
}

// addLabels adds the labels that a case expects to a set.
func (c *Case) addLabels(set map[string]bool) {
	for _, s := range c.steps {
		for i := range s.spans {
			set[s.spans[i].Label] = true
		}
		for _, l := range s.expect.Labels {
			set[l] = true
		}
	}
}
