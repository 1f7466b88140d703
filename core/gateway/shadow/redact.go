package shadow

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
)

// span is a part of a text and what replaces it.
type span struct {
	start, end int
	with       string
}

// findSpans asks the redactors about a text. If ok is false, one of them failed, and no part of the text may be kept.
func findSpans(ctx context.Context, redactors []core.Stage, tenant, text string) (spans []span, ok bool) {
	defer func() {
		if recover() != nil {
			spans, ok = nil, false
		}
	}()
	for _, st := range redactors {
		x := &core.Exchange{Principal: &core.Principal{Tenant: tenant}}
		x.Request.AddText(core.Segment{Role: core.RoleUser, Message: 0, Part: -1}, text)
		v, err := st.Check(ctx, x, core.Request, nil)
		if err != nil || v.Action != core.Pass && v.Action != core.Rewrite {
			return nil, false
		}
		for _, e := range v.Edits {
			if e.Segment != 0 || e.Start < 0 || e.End < e.Start || e.End > len(text) {
				return nil, false
			}
			with := e.With
			if e.Type != "" {
				with = "[" + e.Type + "]"
			}
			spans = append(spans, span{e.Start, e.End, with})
		}
	}
	return spans, true
}

// mergeSpans sorts the spans and joins those that overlap. The longest of them says what replaces all.
func mergeSpans(all []span, size int) []span {
	all = slices.DeleteFunc(all, func(s span) bool { return s.start >= s.end || s.start < 0 || s.end > size })
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var out []span
	for _, s := range all {
		last := len(out) - 1
		if last < 0 || s.start >= out[last].end {
			out = append(out, s)
			continue
		}
		if s.end-s.start > out[last].end-out[last].start {
			out[last].with = s.with
		}
		out[last].end = max(out[last].end, s.end)
	}
	return out
}

// cutContext returns the redacted text before a finding, the finding, and the text after it, each of limited length. A
// redacted value that the finding cuts belongs to the finding.
func cutContext(text string, start, end int, spans []span) (before, match, after string) {
	for _, s := range spans {
		if s.start < start && start < s.end {
			start = s.start
		}
		if s.start < end && end < s.end {
			end = s.end
		}
	}
	before, after = applySpans(text, 0, start, spans), applySpans(text, end, len(text), spans)
	match = applySpans(text, start, end, spans)
	if len(match) > matchSize {
		match = cutBytes(match, 0, matchSize) + "…"
	}
	if len(before) > contextSize {
		before = "…" + cutBytes(before, len(before)-contextSize, len(before))
	}
	if len(after) > contextSize {
		after = cutBytes(after, 0, contextSize) + "…"
	}
	return before, match, after
}

// applySpans returns a part of a text with its spans replaced. No span crosses the bounds of the part.
func applySpans(text string, from, to int, spans []span) string {
	var b strings.Builder
	at := from
	for _, s := range spans {
		if s.start < from || s.end > to {
			continue
		}
		b.WriteString(text[at:s.start])
		b.WriteString(s.with)
		at = s.end
	}
	b.WriteString(text[at:to])
	return b.String()
}

// cutBytes returns text[from:to], moved inwards to the bounds of runes.
func cutBytes(text string, from, to int) string {
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return text[from:to]
}
