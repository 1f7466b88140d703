package remote

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// maxJoined is the maximum length, in bytes, of the text that overlapping findings cover together. It limits how much a
// stream holds back.
const maxJoined = 16 << 10

var errJoined = fmt.Errorf("overlapping findings of the guard cover more than %d bytes", maxJoined)

// found is a span of a whole text, and whether it is to be redacted.
type found struct {
	Span
	redact bool
}

// settler collects the findings of a text's windows, and returns them once no later window can add to them. Two
// overlapping windows may report the same finding twice, or a part of it each.
type settler struct{ open []found }

// add adds the findings of a window that begins at offset base of the text.
func (s *settler) add(window string, base int, spans []Span, redact bool) {
	for _, f := range spans {
		if isInPlaceholder(window, f.Start, f.End) {
			continue
		}
		if redact {
			f.Start, f.End = widenSpan(window, f.Start, f.End)
		}
		f.Start, f.End = f.Start+base, f.End+base
		if one := (found{f, redact}); !slices.Contains(s.open, one) {
			s.open = append(s.open, one)
		}
	}
}

// settle returns the findings that are final if no later window begins before next, and the offset up to which the text
// is decided.
func (s *settler) settle(next int) (out []found, known int, err error) {
	if len(s.open) == 0 {
		return nil, next, nil
	}
	slices.SortFunc(s.open, func(a, b found) int {
		return cmp.Or(
			cmp.Compare(a.Start, b.Start),
			cmp.Compare(b.End, a.End),
			cmp.Compare(a.Label, b.Label),
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.With, b.With),
		)
	})
	known = next
	for _, f := range mergeFindings(s.open) {
		switch {
		case f.End-f.Start > maxJoined:
			return nil, 0, errJoined
		case f.End > next: // the next window may extend it
			known = min(known, f.Start)
		default:
			out = append(out, f)
		}
	}
	rest := s.open[:0]
	for _, f := range s.open {
		switch {
		case f.Start >= known:
			rest = append(rest, f)
		case !f.redact:
			out = append(out, f)
		}
	}
	s.open = rest
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Compare(a.Start, b.Start) })
	return out, known, nil
}

// mergeFindings merges overlapping findings that are to be redacted into one that covers them all: redacting only the
// longest would leave the ends of the others in the text. The longest provides the label.
func mergeFindings(sorted []found) (out []found) {
	longest := 0
	for _, f := range sorted {
		if !f.redact {
			continue
		}
		n := f.End - f.Start
		if len(out) == 0 || f.Start >= out[len(out)-1].End {
			out, longest = append(out, f), n
			continue
		}
		last := &out[len(out)-1]
		if n > longest {
			longest = n
			last.Label, last.Score, last.With, last.Plain = f.Label, f.Score, f.With, f.Plain
		}
		last.End = max(last.End, f.End)
	}
	return out
}

// buildEdit returns the edit that redacts a finding. The replacement is a placeholder unless the receiver gave another
// text.
func (f *found) buildEdit(segment, start, end int) core.Edit {
	if f.Plain {
		return core.Edit{Segment: segment, Start: start, End: end, With: f.With}
	}
	return core.Edit{Segment: segment, Start: start, End: end, Type: makePlaceholderType(f.Label)}
}
