package chain

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// cutTied cuts the values that repeat the text of a choice which was changed.
func (s *Stream) cutTied(ev *core.Event, choice int32) {
	for i := range ev.Tied {
		if t := &ev.Tied[i]; t.Message == choice && t.Span.Len() > 0 {
			s.cuts = append(s.cuts, splice.Cut{Span: t.Span, With: "null"})
			t.Span = splice.Span{} // once
		}
	}
}

// cutLoose cuts the values that say more than the text that the links judge.
func (s *Stream) cutLoose(ev *core.Event) {
	if !s.judged {
		return
	}
	for i := range ev.Tied {
		if t := &ev.Tied[i]; t.Loose {
			s.cuts = append(s.cuts, splice.Cut{Span: t.Span, With: "null"})
			t.Span = splice.Span{}
		}
	}
}
