package stagetest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// one text is what all stages of this file look at.
const one = "do not SHOUT at me, SHOUTSHOUT"

var refusal = core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "it is too loud"}

// brokenStages are stages that break one rule, by the rule; what they break it with is their name.
var brokenStages = map[string]map[string]func() *broken{
	"what a stage remembers of a text changes nothing of what it says": {
		"it remembers a text whoever said it": func() *broken {
			b, known := new(broken), map[string]core.Role{}
			b.check = func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				v, err := shout{}.Check(ctx, x, p, kept)
				body := findBody(x, p)
				for i := range body.Segments {
					role := body.Segments[i].Role
					if before, ok := known[body.ReadText(i)]; ok && b.recalls {
						role = before
					}
					known[strings.Clone(body.ReadText(i))] = role
					v.Header = append(v.Header, core.Field{Name: "X-Role", Value: string('0' + rune(role))})
				}
				return v, err
			}
			return b
		},
	},
	"every verdict is one, and the same text gets the same one": {
		"it is undecided":           changeVerdict(func(v *core.Verdict, _ string) { v.Action = core.Undecided }),
		"a block without a reason":  changeVerdict(func(v *core.Verdict, _ string) { v.Action = core.Block }),
		"a block without words":     changeVerdict(func(v *core.Verdict, _ string) { v.Action, v.Err = core.Block, &core.Error{Kind: core.Forbidden} }),
		"a block without a kind":    changeVerdict(func(v *core.Verdict, _ string) { v.Action, v.Err = core.Block, &core.Error{Public: "no"} }),
		"an answer without a reply": changeVerdict(func(v *core.Verdict, _ string) { v.Action = core.Answer }),
		"an answer to an answer":    changeVerdict(func(v *core.Verdict, _ string) { v.Action, v.Reply = core.Answer, &core.Payload{} }),
		"a retry without messages":  changeVerdict(func(v *core.Verdict, _ string) { v.Action, v.Err = core.Retry, &refusal }),
		"a retry of a request": changeVerdict(func(v *core.Verdict, _ string) {
			v.Action, v.Err, v.Append = core.Retry, &refusal, make([]llm.Message, 1)
		}),
		"edits beside a pass": changeVerdict(func(v *core.Verdict, _ string) { v.Action = core.Pass }),
		"a patch beside a pass": changeVerdict(
			func(v *core.Verdict, _ string) { *v = core.Verdict{Action: core.Pass, Patch: core.Patch{MaxTokens: 1}} },
		),
		"a finding without a label": changeVerdict(func(v *core.Verdict, _ string) { v.Findings = append(v.Findings, core.Finding{}) }),
		"a score above 1": changeVerdict(
			func(v *core.Verdict, _ string) { v.Findings = append(v.Findings, core.Finding{Label: "x", Score: 2}) },
		),
		"a finding behind the text": changeVerdict(func(v *core.Verdict, text string) {
			v.Findings = append(v.Findings, core.Finding{Label: "x", End: len(text) + 1})
		}),
		"a finding in a text there isn't": changeVerdict(
			func(v *core.Verdict, _ string) { v.Findings = append(v.Findings, core.Finding{Label: "x", Segment: 1}) },
		),
		"an edit behind the text": changeVerdict(func(v *core.Verdict, text string) {
			v.Action, v.Edits = core.Rewrite, []core.Edit{{Start: len(text), End: len(text) + 1}}
		}),
		"an edit before the text": changeVerdict(func(v *core.Verdict, _ string) { v.Action, v.Edits = core.Rewrite, []core.Edit{{Start: -1}} }),
		"an edit within a character": changeVerdict(func(v *core.Verdict, text string) {
			if strings.HasPrefix(text, "é") {
				v.Action, v.Edits = core.Rewrite, []core.Edit{{Start: 1, End: 1}}
			}
		}),
		"edits that overlap": changeVerdict(func(v *core.Verdict, text string) {
			if hit(text) {
				v.Edits = append(v.Edits, core.Edit{Start: 0, End: len(text)})
			}
		}),
		"a header of two lines": changeVerdict(
			func(v *core.Verdict, _ string) { v.Header = []core.Field{{Name: "X-A", Value: "a\r\nSet-Cookie: b"}} },
		),
		"a header without a name": changeVerdict(func(v *core.Verdict, _ string) { v.Header = []core.Field{{Value: "a"}} }),
		"an error": func() *broken {
			return &broken{check: func(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
				return core.Verdict{}, errBroken
			}}
		},
		"a panic on a text": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if body := findBody(x, p); len(body.Segments) > 0 && len(body.ReadText(0)) > 100_000 {
					panic("so long")
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"another verdict each time": func() *broken {
			n := 0
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				v, err := shout{}.Check(ctx, x, p, kept)
				if n++; n%2 == 0 {
					v = core.Verdict{Action: core.Pass}
				}
				return v, err
			}}
		},
	},
	"a stage does not change what it is shown": {
		"it writes into the body": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if raw := findBody(x, p).Raw; len(raw) > 0 {
					raw[0] ^= 1
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"it adds findings itself": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				x.Findings = append(x.Findings, core.Finding{Label: "x"})
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"it routes the model itself": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				x.OverrideModel("other")
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"it writes into the caller's key": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if x.Principal != nil {
					x.Principal.Tenant = "mine"
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"it sets a header": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if x.Request.Header != nil {
					x.Request.Header.Set("X-A", "c")
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
	},
	"a stage does not retain what it is shown": {
		"it compares with the last text": func() *broken {
			last, said := "", core.Verdict{}
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				text := findBody(x, p).ReadText(0)
				if text == last {
					return said, nil
				}
				var err error
				said, err = shout{}.Check(ctx, x, p, kept)
				last = text // the exchange's own memory
				return said, err
			}}
		},
	},
	"what a stage keeps for one exchange is not another's": {
		"it remembers the request in itself": func() *broken {
			loud := false
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if p == core.Request {
					loud = hit(findBody(x, p).ReadText(0))
				}
				v, err := shout{}.Check(ctx, x, p, kept)
				if p == core.Response && loud {
					v.Findings = append(v.Findings, core.Finding{Label: "it was asked for loudly"})
				}
				return v, err
			}}
		},
	},
	"many callers at once get what one gets": {
		"one buffer for all": func() *broken {
			var mu sync.Mutex
			busy := 0
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				mu.Lock()
				busy++
				alone := busy == 1
				mu.Unlock()
				<-time.After(time.Millisecond) // long enough for another caller to come in
				mu.Lock()
				busy--
				mu.Unlock()
				if !alone {
					return core.Verdict{Action: core.Pass}, nil
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
	},
	"a caller that has left gets an answer or an error, and no panic": {
		"it panics": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if ctx.Err() != nil {
					panic("the caller left")
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"it hangs": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if ctx.Err() != nil {
					select {} // deaf to the context on purpose
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
		"neither": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				if ctx.Err() != nil {
					return core.Verdict{}, nil
				}
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
	},
	"a body without text passes": {
		"it takes the first text": func() *broken {
			return &broken{check: func(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
				text := findBody(x, p).ReadText(0)
				return shout{}.edits(text, 0, len(text)), nil
			}}
		},
		"it reads the caller": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				_ = x.Principal.Tenant
				return shout{}.Check(ctx, x, p, kept)
			}}
		},
	},
	"findings and edits lie in the texts of the body": {
		"all offsets are of the first text": func() *broken {
			return &broken{check: func(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
				var all strings.Builder
				body := findBody(x, p)
				for i := range body.Segments {
					all.WriteString(body.ReadText(i))
				}
				return shout{}.edits(all.String(), 0, all.Len()), nil
			}}
		},
		"it counts texts from 1": func() *broken {
			return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
				v, err := shout{}.Check(ctx, x, p, kept)
				if body := findBody(x, p); len(body.Segments) > 1 {
					v.Findings = append(v.Findings, core.Finding{Label: "x", Segment: len(body.Segments)})
				}
				return v, err
			}}
		},
	},
	"no text of the exchange is in what the client is told": {
		"a refusal repeats it": changeVerdict(func(v *core.Verdict, text string) {
			if hit(text) {
				v.Findings = []core.Finding{{Label: "loud", End: len(text)}}
				v.Action, v.Edits, v.Err = core.Block, nil, &core.Error{Kind: core.ContentFiltered, Public: "it is too loud: " + text}
			}
		}),
		"a label is it": changeVerdict(func(v *core.Verdict, text string) {
			if hit(text) {
				v.Findings = append(v.Findings, core.Finding{Label: text, End: len(text)})
			}
		}),
		"a header shows it": changeVerdict(func(v *core.Verdict, text string) {
			if hit(text) {
				v.Findings = append(v.Findings, core.Finding{Label: "x", End: len(text)})
				v.Header = []core.Field{{Name: "X-Found", Value: text}}
			}
		}),
	},
	"the end of an exchange can be told of any exchange": {
		"it wants what it has kept": func() *broken {
			return &broken{finish: func(kept any) { _ = kept.(string) }}
		},
	},
	"any chopping of a stream gives the result of the whole": {
		"it holds nothing back": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			return shout{}.edits(w.Text, w.Sent, len(w.Text)), 0, nil
		}),
		"it holds at the end": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent, nil
		}),
		"it holds what was sent": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			v, hold, err := s2{}.Check(context.Background(), w)
			if !w.Last && w.Sent > 0 {
				hold = len(w.Text)
			}
			return v, hold, err
		}),
		"it holds half a character": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			v, hold, err := s2{}.Check(context.Background(), w)
			if !w.Last && strings.HasSuffix(w.Text, "é") {
				hold = 1
			}
			return v, hold, err
		}),
		"it edits what was sent": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			return shout{}.edits(w.Text, 0, len(w.Text)), 0, nil
		}),
		"it edits what it holds": newFiltered(func(w core.Window) (core.Verdict, int, error) {
			v := shout{}.edits(w.Text, w.Sent, len(w.Text))
			if w.Last || len(v.Edits) == 0 {
				return s2{}.Check(context.Background(), w)
			}
			return v, len(w.Text) - w.Sent, nil
		}),
		"it answers": newFiltered(func(core.Window) (core.Verdict, int, error) {
			return core.Verdict{Action: core.Answer, Reply: &core.Payload{}}, 0, nil
		}),
		"it is not asked about streams": func() *broken { return &broken{filter: func() core.StreamFilter { return nil }} },
	},
	"streams and their parts do not mix": {
		"one buffer for all parts": func() *broken {
			return &broken{filter: func() core.StreamFilter {
				seen := ""
				return filterFunc{func(w core.Window) (core.Verdict, int, error) {
					v, hold, err := s2{}.Check(context.Background(), w)
					if seen += w.Text[w.New:]; w.Part.Choice == 1 && hit(seen) && !hit(w.Text) && len(v.Findings) == 0 {
						v.Findings = []core.Finding{{Label: "shout"}}
					}
					return v, hold, err
				}, nil}
			}}
		},
	},
	"a stream may be cut off anywhere": {
		"it wants the end": func() *broken {
			return &broken{filter: func() core.StreamFilter {
				ended := false
				return filterFunc{
					func(w core.Window) (core.Verdict, int, error) {
						ended = ended || w.Last
						return s2{}.Check(context.Background(), w)
					},
					func(context.Context) error {
						if !ended {
							return errBroken
						}
						return nil
					},
				}
			}}
		},
		"closing panics when the client has left": func() *broken {
			return &broken{filter: func() core.StreamFilter {
				return filterFunc{
					func(w core.Window) (core.Verdict, int, error) { return s2{}.Check(context.Background(), w) },
					func(ctx context.Context) error {
						if ctx.Err() != nil {
							panic("gone")
						}
						return nil
					},
				}
			}}
		},
	},
	"a closed stage has let go without an error": {
		"an error": func() *broken { return &broken{close: func() error { return errBroken }} },
		"a panic":  func() *broken { return &broken{close: func() error { panic("no") }} },
		"it hangs": func() *broken {
			return &broken{close: func() error { <-time.After(time.Second); return nil }}
		},
	},
}
