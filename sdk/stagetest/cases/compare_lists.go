package cases

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// compareSpans compares findings one by one: the fields that the case gives must match.
func (s *step) compareSpans(o *outcome) string {
	texts := s.listTexts()
	var want, got []string
	for i := range s.spans {
		w := &s.spans[i]
		line := ""
		if i < len(o.findings) {
			if f := &o.findings[i]; w.holds(f, texts) {
				line = formatFinding(f, texts)
			}
		}
		if line == "" {
			line = w.formatLine()
		}
		want = append(want, line)
	}
	for i := range o.findings {
		got = append(got, formatFinding(&o.findings[i], texts))
	}
	if slices.Equal(want, got) {
		return ""
	}
	return listDiff(want, got)
}

func (w *spanKeys) holds(f *core.Finding, texts []string) bool {
	return w.Label == f.Label && (w.Start == nil || *w.Start == f.Start && *w.End == f.End && w.Segment == f.Segment) &&
		(w.Score == nil || float64(f.Score)+1e-6 >= *w.Score) && (w.Kind == "" || w.Kind == classifyFinding(f)) &&
		(w.Text == nil || *w.Text == formatSpan(f, texts))
}

func (w *spanKeys) formatLine() string {
	out := w.Label
	if w.Start != nil {
		out += fmt.Sprintf(" %d..%d", *w.Start, *w.End)
		if w.Segment != 0 {
			out += fmt.Sprintf(" of text %d", w.Segment)
		}
	}
	if w.Text != nil {
		out += fmt.Sprintf(" %q", *w.Text)
	}
	if w.Score != nil {
		out += fmt.Sprintf(", score at least %g", *w.Score)
	}
	if w.Kind != "" {
		out += ", kind " + string(w.Kind)
	}
	return out
}

func formatSpan(f *core.Finding, texts []string) string {
	if f.Segment < 0 || f.Segment >= len(texts) || f.Start < 0 || f.Start > f.End || f.End > len(texts[f.Segment]) {
		return ""
	}
	return texts[f.Segment][f.Start:f.End]
}

func formatFinding(f *core.Finding, texts []string) string {
	out := fmt.Sprintf("%s %d..%d", f.Label, f.Start, f.End)
	if f.Segment > 0 {
		out += fmt.Sprintf(" of text %d", f.Segment)
	}
	return out + fmt.Sprintf(" %q, score %.2f, kind %s", formatSpan(f, texts), f.Score, classifyFinding(f))
}

func (s *step) compareEdits(o *outcome) string {
	edits := slices.Clone(o.edits)
	slices.SortStableFunc(edits, func(a, b core.Edit) int {
		if a.Segment != b.Segment {
			return a.Segment - b.Segment
		}
		return a.Start - b.Start
	})
	line := func(e *core.Edit) string {
		out := fmt.Sprintf("%d..%d", e.Start, e.End)
		if e.Segment > 0 {
			out += fmt.Sprintf(" of text %d", e.Segment)
		}
		if e.Type != "" {
			return out + " <" + e.Type + ">"
		}
		return out + fmt.Sprintf(" with %q", e.With)
	}
	var want, got []string
	for i := range s.edits {
		k := &s.edits[i]
		w := core.Edit{Segment: k.Segment, Start: *k.Start, End: *k.End, Type: k.Type}
		switch {
		case k.With != nil:
			w.With = *k.With
		case k.Type == "" && i < len(edits): // neither is given: any matches
			w.With, w.Type = edits[i].With, edits[i].Type
		}
		want = append(want, line(&w))
	}
	for i := range edits {
		got = append(got, line(&edits[i]))
	}
	if slices.Equal(want, got) {
		return ""
	}
	return listDiff(want, got)
}

func compareFields(want map[string]string, got []core.Field) string {
	var a, b []string
	for name, value := range want {
		a = append(a, http.CanonicalHeaderKey(name)+": "+value)
	}
	for _, f := range got {
		b = append(b, http.CanonicalHeaderKey(f.Name)+": "+f.Value)
	}
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return ""
	}
	return listDiff(a, b)
}

func (s *step) formatMessages() string {
	var b strings.Builder
	for _, m := range s.retry {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

func formatMessages(list []llm.Message) string {
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, "%s: %s\n", [...]string{"", "system", "user", "assistant", "tool"}[list[i].Role], list[i].Text())
	}
	return b.String()
}
