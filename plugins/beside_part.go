package plugins

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
)

// besidePart is the progress of the comparison within one part of an answer.
type besidePart struct {
	part       core.Part
	seen       int // bytes that were new in earlier windows
	live, next sum
	text       []byte // the candidate's window: context, then the text that it holds back
	sent       int
	took, cost time.Duration
}

// sum is the result of one filter for a part, with offsets from the start of the part.
type sum struct {
	blocked  bool
	edits    []core.Edit
	findings []core.Finding
}

// add adds the verdict on a window whose text begins at byte base of the part.
func (s *sum) add(v *core.Verdict, base int) {
	s.blocked = s.blocked || v.Action == core.Block
	for _, e := range v.Edits {
		e.Start, e.End = e.Start+base, e.End+base
		s.edits = append(s.edits, e)
	}
	s.findings = append(s.findings, v.Findings...)
}

// contextBytes is how much text that was already released a filter sees again.
const contextBytes = 96

// advanceWindow moves the window on to the text from offset known, after some context. The context is the text as the
// client received it, with all edits applied.
func (p *besidePart) advanceWindow(known int, edits []core.Edit) {
	if known == p.sent && len(edits) == 0 { // a filter that waits for the end of a text makes it grow; do not copy it for each piece
		return
	}
	held := slices.Clone(p.text[known:])
	context := slices.Clone(p.text[:p.sent])
	at := p.sent
	for _, e := range edits {
		if e.Start < at || e.End > known {
			continue
		}
		context = append(context, p.text[at:e.Start]...)
		if e.Type != "" { // any placeholder will do: the candidate only reads it
			context = append(context, "{{PII_"+e.Type+"_0000000000000000}}"...)
		} else {
			context = append(context, e.With...)
		}
		at = e.End
	}
	context = append(context, p.text[at:known]...)
	from := max(0, len(context)-contextBytes)
	for from < len(context) && !utf8.RuneStart(context[from]) {
		from++
	}
	p.text = append(p.text[:0], context[from:]...)
	p.sent = len(p.text)
	p.text = append(p.text, held...)
}

// describeDifference returns the kind of difference between the results of two parts, or "". Positions are not compared, because a
// filter that only flags does not report them.
func (s *sum) describeDifference(o *sum) string {
	switch {
	case s.blocked != o.blocked:
		return DiffersAction
	case s.blocked: // what else was found depends on how far each filter had read
		return ""
	case !slices.Equal(s.edits, o.edits):
		return DiffersEdits
	case !slices.Equal(listLabels(s.findings), listLabels(o.findings)):
		return DiffersFindings
	}
	return ""
}

func listLabels(fs []core.Finding) []string {
	out := make([]string, len(fs))
	for i := range fs {
		out[i] = fs[i].Label
	}
	slices.Sort(out)
	return out
}
