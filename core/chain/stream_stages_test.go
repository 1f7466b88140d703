package chain_test

import (
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// whole is a stage that judges whole text and streams by one function: what it
// edits in a text, and how much of the text's end must wait for more.
type whole struct {
	edits func(text string) []core.Edit
	hold  func(text string) int
	block string // refuses a text that holds it
}

func (s *whole) stage() *guard {
	return &guard{
		check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
			v := core.Verdict{Action: core.Rewrite}
			if p != core.Response {
				return core.Verdict{Action: core.Pass}, nil
			}
			for i := range x.Response.Segments {
				text := x.Response.ReadText(i)
				if s.block != "" && strings.Contains(text, s.block) {
					return newDenial(), nil
				}
				for _, e := range s.edits(text) {
					e.Segment = i
					v.Edits = append(v.Edits, e)
				}
			}
			return v, nil
		},
		filter: func(*core.Exchange, any) (core.StreamFilter, error) { return filterFunc(s.window), nil },
	}
}

func newDenial() core.Verdict {
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"}}
}

func (s *whole) window(w core.Window) (core.Verdict, int, error) {
	hold := 0
	open := w.Text[w.Sent:]
	if !w.Last {
		hold = s.hold(open)
	}
	if s.block != "" && strings.Contains(open, s.block) {
		return newDenial(), 0, nil
	}
	v := core.Verdict{Action: core.Rewrite}
	clear := len(w.Text) - hold
	for _, e := range s.edits(open) {
		e.Start += w.Sent
		e.End += w.Sent
		if e.Start >= clear {
			break
		}
		if e.End > clear { // cut: it is judged when it is whole
			hold = len(w.Text) - e.Start
			break
		}
		v.Edits = append(v.Edits, e)
	}
	return v, hold, nil
}

// restoring puts values where their placeholders stand.
func restoring(values map[string]string) *whole {
	return &whole{
		hold: placeholder.FindPartial,
		edits: func(text string) (edits []core.Edit) {
			for at := 0; ; {
				start, end, ok := placeholder.Next(text, at)
				if !ok {
					return edits
				}
				if v, ok := values[text[start:end]]; ok {
					edits = append(edits, core.Edit{Start: start, End: end, With: v})
				}
				at = end
			}
		},
	}
}

var digits = regexp.MustCompile(`[0-9]{8,}`)

// redacting takes out runs of eight digits and more, and mints placeholders.
func redacting() *whole {
	return &whole{
		hold: func(text string) int {
			return len(text) - len(strings.TrimRight(text, "0123456789"))
		},
		edits: func(text string) (edits []core.Edit) {
			for _, m := range digits.FindAllStringIndex(text, -1) {
				edits = append(edits, core.Edit{Start: m[0], End: m[1], Type: "NUMBER"})
			}
			return edits
		},
	}
}

// blocking refuses a word.
func blocking(word string) *whole {
	return &whole{
		block: word,
		edits: func(string) []core.Edit { return nil },
		hold: func(text string) int {
			for n := min(len(word)-1, len(text)); n > 0; n-- {
				if strings.HasSuffix(text, word[:n]) {
					return n
				}
			}
			return 0
		},
	}
}
