package stagetest

import (
	"context"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
)

// shout is a stage in Go that cuts out a word.
type shout struct{}

func (shout) edits(text string, from, to int) (v core.Verdict) {
	v.Action = core.Pass
	for at := from; ; {
		k := strings.Index(text[at:], "SHOUT")
		if k < 0 || at+k >= to {
			return v
		}
		at += k
		v.Action = core.Rewrite
		v.Findings = append(v.Findings, core.Finding{Label: "shout", Start: at, End: at + 5})
		v.Edits = append(v.Edits, core.Edit{Start: at, End: at + 5, With: "hush"})
		at += 5
	}
}

func (s shout) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	if len(body.Segments) == 0 {
		return core.Verdict{Action: core.Pass}, nil
	}
	text := body.ReadText(0)
	return s.edits(text, 0, len(text)), nil
}

func (s shout) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return s2{s}, nil
}

type s2 struct{ shout }

func (s s2) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	hold := 0
	if !w.Last {
		for n := min(4, len(w.Text)-w.Sent); n > 0; n-- {
			if strings.HasPrefix("SHOUT", w.Text[len(w.Text)-n:]) {
				hold = n
				break
			}
		}
	}
	return s.edits(w.Text, w.Sent, len(w.Text)-hold), hold, nil
}

func (s2) Close(context.Context) error { return nil }

func TestAStageInGoConforms(t *testing.T) {
	Conform(t, Suite{
		New:    func(testing.TB) core.Stage { return shout{} },
		Texts:  []string{"do not SHOUT at me, SHOUTSHOUT", "SHOU", "nothing"},
		Phases: []core.Phase{core.Request, core.Response},
	})
}

func TestCasesComparesWhatTheStageSays(t *testing.T) {
	Cases(t, shout{}, []Case{
		{Name: "a hit", Text: Text{Text: "SHOUT it"}, Action: core.Rewrite, Out: "hush it", Labels: []string{"shout"}},
		{Name: "no hit", Text: Text{Text: "quiet"}},
	})
}
