package plugins

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
)

// besidePart is how far a part has come.
type besidePart struct {
	part       core.Part
	seen       int // bytes that were new in earlier windows
	live, next sum
	text       []byte // the candidate's window: context, then what it holds
	sent       int
	took, cost time.Duration
}

// sum is what one filter has made of a part, with places counted from its start.
type sum struct {
	blocked  bool
	edits    []core.Edit
	findings []core.Finding
}

// add takes the verdict on a window whose text begins at byte base of the part.
func (s *sum) add(v *core.Verdict, base int) {
	s.blocked = s.blocked || v.Action == core.Block
	for _, e := range v.Edits {
		e.Start, e.End = e.Start+base, e.End+base
		s.edits = append(s.edits, e)
	}
	s.findings = append(s.findings, v.Findings...)
}

// contextBytes is how much text that was cleared a filter sees again.
const contextBytes = 96

// clear moves on to the text from known on, behind some context. In the context
// stands what the edits have made of it, as the client would have got it.
func (p *besidePart) clear(known int, edits []core.Edit) {
	if known == p.sent && len(edits) == 0 { // a filter that waits for the end of a text has it grow, and must not have it copied each time
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
		if e.Type != "" { // any placeholder will do: it is only seen
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

// differs names the kind in which two parts came out differently. Where each
// thing was found is left out: a filter that only takes note cannot tell.
func (s *sum) differs(o *sum) string {
	switch {
	case s.blocked != o.blocked:
		return DiffersAction
	case s.blocked: // what else was found depends on how far each had looked
		return ""
	case !slices.Equal(s.edits, o.edits):
		return DiffersEdits
	case !slices.Equal(labels(s.findings), labels(o.findings)):
		return DiffersFindings
	}
	return ""
}

func labels(fs []core.Finding) []string {
	out := make([]string, len(fs))
	for i := range fs {
		out[i] = fs[i].Label
	}
	slices.Sort(out)
	return out
}
