package webhook

import (
	"cmp"
	"errors"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// maxJoined is the longest text, in bytes, that overlapping findings may add up
// to. It bounds what a stream holds back.
const maxJoined = 16 << 10

var errJoined = errors.New("its findings overlap over too long a text")

// found is a span of a whole text, and whether it is to be taken out.
type found struct {
	span
	redact bool
}

// settler collects what the windows of one text found, and gives it out once no
// later window can add to it. Two windows that overlap report the same thing
// twice, or each a part of it.
type settler struct{ open []found }

// add adds the findings of a window that begins at base in the text.
func (s *settler) add(window string, base int, spans []span, redact bool) {
	for _, f := range spans {
		if aside(window, f.start, f.end) {
			continue
		}
		if redact {
			f.start, f.end = widen(window, f.start, f.end)
		}
		f.start, f.end = f.start+base, f.end+base
		if one := (found{f, redact}); !slices.Contains(s.open, one) {
			s.open = append(s.open, one)
		}
	}
}

// settle gives what is settled when no later window begins before next, and how
// far the text is decided.
func (s *settler) settle(next int) (out []found, known int, err error) {
	if len(s.open) == 0 {
		return nil, next, nil
	}
	slices.SortFunc(s.open, func(a, b found) int {
		return cmp.Or(
			cmp.Compare(a.start, b.start),
			cmp.Compare(b.end, a.end),
			cmp.Compare(a.label, b.label),
			cmp.Compare(b.score, a.score),
			cmp.Compare(a.with, b.with),
		)
	})
	known = next
	for _, f := range join(s.open) {
		switch {
		case f.end-f.start > maxJoined:
			return nil, 0, errJoined
		case f.end > next: // the next window may make it longer
			known = min(known, f.start)
		default:
			out = append(out, f)
		}
	}
	rest := s.open[:0]
	for _, f := range s.open {
		switch {
		case f.start >= known:
			rest = append(rest, f)
		case !f.redact:
			out = append(out, f)
		}
	}
	s.open = rest
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Compare(a.start, b.start) })
	return out, known, nil
}

// join makes one of findings that overlap and are to be taken out, which covers
// them all: taking out the longest alone would leave the ends of the others
// standing. The longest names it.
func join(sorted []found) (out []found) {
	longest := 0
	for _, f := range sorted {
		if !f.redact {
			continue
		}
		n := f.end - f.start
		if len(out) == 0 || f.start >= out[len(out)-1].end {
			out, longest = append(out, f), n
			continue
		}
		last := &out[len(out)-1]
		if n > longest {
			longest = n
			last.label, last.score, last.with, last.plain = f.label, f.score, f.with, f.plain
		}
		last.end = max(last.end, f.end)
	}
	return out
}

// edit takes a finding's text out: a placeholder takes its place, unless the
// receiver says what does.
func (f *found) edit(segment, start, end int) core.Edit {
	if f.plain {
		return core.Edit{Segment: segment, Start: start, End: end, With: f.with}
	}
	return core.Edit{Segment: segment, Start: start, End: end, Type: placeholderType(f.label)}
}
