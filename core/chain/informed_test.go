package chain_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// noticing finds runs of eight digits and more, and leaves them.
func noticing() *guard {
	s := redacting()
	noted := func(v core.Verdict) core.Verdict {
		n := core.Verdict{Action: core.Pass}
		for _, e := range v.Edits {
			n.Findings = append(n.Findings, core.Finding{Label: e.Type, Segment: e.Segment, Start: e.Start, End: e.End})
		}
		return n
	}
	inner := s.stage()
	return &guard{
		check: func(x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
			v, err := inner.check(x, p, kept)
			return noted(v), err
		},
		filter: func(*core.Exchange, any) (core.StreamFilter, error) {
			return filterFunc(func(w core.Window) (core.Verdict, int, error) {
				v, hold, err := s.window(w)
				return noted(v), hold, err
			}), nil
		},
	}
}

// lengthening writes a word for each dash, and holds a few bytes back whatever they are.
func lengthening(holds int) *whole {
	return &whole{
		hold: func(text string) int {
			n := min(holds, len(text))
			for n > 0 && !utf8.RuneStart(text[len(text)-n]) {
				n--
			}
			return n
		},
		edits: func(text string) (edits []core.Edit) {
			for i := range len(text) {
				if text[i] == '-' {
					edits = append(edits, core.Edit{Start: i, End: i + 1, With: "<dash>"})
				}
			}
			return edits
		},
	}
}

// informed is a filter that takes out what others have found.
type informed struct{ late *bool }

func (f informed) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v, clear := core.Verdict{Action: core.Rewrite}, len(w.Text)
	for i := len(w.Found) - 1; i >= 0; i-- {
		if g := w.Found[i]; g.End > clear {
			clear = min(clear, g.Start)
		}
	}
	for _, g := range w.Found {
		if g.Start == g.End && f.late != nil {
			*f.late = true
		} else if g.End <= clear {
			v.Edits = append(v.Edits, core.Edit{Start: g.Start, End: g.End, Type: g.Label})
		}
	}
	return v, len(w.Text) - clear, nil
}

func (informed) Close(context.Context) error { return nil }
func (informed) Inform(bool)                 {}

// taking takes out what others have found.
func taking(late *bool) *guard {
	return &guard{
		check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
			v := core.Verdict{Action: core.Rewrite}
			for _, f := range x.Findings {
				if p == core.Response && f.Phase == p {
					v.Edits = append(v.Edits, core.Edit{Segment: f.Segment, Start: f.Start, End: f.End, Type: f.Label})
				}
			}
			return v, nil
		},
		filter: func(*core.Exchange, any) (core.StreamFilter, error) { return informed{late}, nil },
	}
}

func TestALinkTakesOutOfAStreamWhatAnotherHasFound(t *testing.T) {
	long := strings.Repeat("nothing - here ", 60)
	texts := append([]string{
		"12345678-87654321-5555-1212121212",
		"é-😀 12345678 - 1",
	}, streamedTexts...)
	for name, c := range map[string]*chain.Chain{
		"side by side": newChain(t, vault{}, link("take", taking(nil)), link("notice", noticing())),
		"a link between that edits and holds": newChain(t, vault{}, link("take", taking(nil)),
			link("lengthen", lengthening(3).stage()), link("notice", noticing())),
		"two links between": newChain(t, vault{}, link("take", taking(nil)),
			link("hold", lengthening(5).stage()), link("lengthen", lengthening(2).stage()), link("notice", noticing())),
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range texts {
				want, _ := wholeText(t, c, text)
				assert.NotContains(t, want, "12345678")
				for _, pieces := range choppings(text) {
					r := stream(t, c, chunks(pieces...))
					require.Nil(t, r.err, "%q", pieces)
					require.Equal(t, want, r.parts["0.content"], "%q", pieces)
				}
			}
			// Text that has been dropped moves what is held.
			text := long + "12345678 and - 87654321"
			want, _ := wholeText(t, c, text)
			for _, n := range []int{9, 500} {
				r := stream(t, c, chunks(cutText(text, func() int { return n })...))
				require.Nil(t, r.err)
				require.Equal(t, want, r.parts["0.content"])
			}
		})
	}
}

func TestAFindingWithoutAPlaceComesLate(t *testing.T) {
	for name, between := range map[string][]chain.Link{
		"its link cannot tell where": nil,
		"a tap stands between":       {link("tap", &tapper{})},
	} {
		t.Run(name, func(t *testing.T) {
			late := false
			finds := noticing()
			if between == nil {
				finds.filter = func(*core.Exchange, any) (core.StreamFilter, error) {
					return filterFunc(func(w core.Window) (core.Verdict, int, error) {
						v := core.Verdict{Action: core.Pass}
						if strings.Contains(w.Text, "12345678") {
							v.Findings = []core.Finding{{Label: "NUMBER"}}
						}
						return v, 0, nil
					}), nil
				}
			}
			links := append(append([]chain.Link{link("take", taking(&late))}, between...), link("notice", finds))
			c := newChain(t, vault{}, links...)
			r := stream(t, c, chunks("12345678", " is it"))
			require.Nil(t, r.err)
			assert.True(t, late)
		})
	}
}
