// Package play runs exchanges through a stage and records the results in a comparable form. It does not need a running
// test, so programs that try plugins can use it.
package play

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Player is a stage with its phases.
type Player struct {
	Stage  core.Stage
	Phases core.Phases
	// Reset clears the stage's state across exchanges. Optional.
	Reset func()
}

// Exchange returns an exchange in which every field that a guest may read is set; text is the only text of its request and
// of its answer.
func Exchange(text string) *core.Exchange {
	x := &core.Exchange{
		ID: "conform", Trace: "conform", Dialect: "openai.chat", Received: time.Unix(1_700_000_000, 0),
		Principal: &core.Principal{
			Tenant: "tenant", KeyID: "key-id", KeyName: "key", Scopes: []string{"scope"}, Tags: []string{"tag"}, Tier: "standard",
		},
		Head:    core.Head{Model: "model", User: "user", Tools: []string{"tool"}, Messages: 1},
		Target:  core.TargetRef{Provider: "provider", Model: "model", Route: "route", Region: "eu"},
		Outcome: core.Outcome{Kind: core.Served, Status: 200, Complete: true},
	}
	fill := func(p *core.Payload, role core.Role) {
		p.Raw = []byte(text)
		p.Segments = []core.Segment{{Role: role, Kind: core.KindText, Part: -1, Span: splice.Span{End: len(text)}}}
	}
	fill(&x.Request, core.RoleUser)
	fill(&x.Response, core.RoleAssistant)
	x.Response.Status = 200
	return x
}

// describeVerdict returns a plugin's verdict on a text in one phase, in a comparable form. Keep is omitted, because it is
// private to the plugin.
func describeVerdict(v *core.Verdict) string {
	var refusal any
	if v.Err != nil {
		refusal = []any{v.Err.Kind, v.Err.Code, v.Err.Public, v.Err.RetryAfter}
	}
	reply := ""
	if v.Reply != nil {
		reply = string(v.Reply.Raw)
	}
	b, err := json.Marshal([]any{v.Action.String(), v.Findings, v.Edits, v.Patch, v.Header, reply, refusal})
	if err != nil { // the host checks scores, so marshalling cannot fail
		return err.Error()
	}
	return string(b)
}

// findPublicText returns the parts of a verdict that clients and records see.
func findPublicText(v *core.Verdict) string {
	var b strings.Builder
	if v.Err != nil {
		b.WriteString(v.Err.Public + v.Err.Code + v.Err.Param)
	}
	for _, h := range v.Header {
		b.WriteString(h.Name + h.Value)
	}
	for _, f := range v.Findings {
		b.WriteString(f.Label)
	}
	return b.String()
}

// Play runs an exchange through all phases of the stage. It returns the verdict of each, and the parts that clients and records see.
func (s *Player) Play(ctx context.Context, x *core.Exchange) (said, public string, err error) {
	if s.Reset != nil {
		s.Reset()
	}
	var kept any
	var all strings.Builder
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		if !s.Phases.Has(p) {
			continue
		}
		v, err := s.Stage.Check(ctx, x, p, kept)
		if err != nil {
			return "", "", err
		}
		if v.Keep != nil {
			kept = v.Keep
		}
		fmt.Fprintf(&all, "%s %s\n", p, describeVerdict(&v))
		public += findPublicText(&v)
	}
	if f, ok := s.Stage.(core.Finisher); ok {
		f.Finish(ctx, x, kept)
	}
	return all.String(), public, nil
}

// Streamed is the result of an answer shown in pieces.
type Streamed struct {
	Action, Text string
	Labels       []string
}

// JudgeWhole returns the plugin's result for a whole answer, in the form of Streamed.
func (s *Player) JudgeWhole(ctx context.Context, text string) (out Streamed, err error) {
	v, err := s.Stage.Check(ctx, Exchange(text), core.Response, nil)
	if err != nil {
		return out, err
	}
	out.Action, out.Text = v.Action.String(), text
	for _, f := range v.Findings {
		out.Labels = append(out.Labels, f.Label)
	}
	slices.Sort(out.Labels)
	if v.Action == core.Rewrite {
		out.Text = applyEdits(text, v.Edits, 0, len(text))
	}
	return out, nil
}

// applyEdits returns text[from:to] with its edits applied. The host has checked them.
func applyEdits(text string, edits []core.Edit, from, to int) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b core.Edit) int { return a.Start - b.Start })
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(text[from:max(from, e.Start)])
		if b.WriteString(e.With); e.Type != "" {
			b.WriteString("<" + e.Type + ">")
		}
		from = max(from, e.End)
	}
	b.WriteString(text[from:max(from, to)])
	return b.String()
}

// JudgeStream shows an answer in pieces, as the chain does.
func (s *Player) JudgeStream(ctx context.Context, pieces []string) (out Streamed, err error) {
	f, err := s.open(ctx)
	if err != nil || f == nil {
		return Streamed{Action: core.Pass.String(), Text: strings.Join(pieces, "")}, err
	}
	defer func() { _ = f.Close(ctx) }() // the instance goes back or is closed
	out.Action = core.Pass.String()
	all, sent := "", 0
	for k, piece := range pieces {
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: all + piece, Sent: sent, New: len(all), Last: k == len(pieces)-1}
		all = w.Text
		v, hold, err := f.Check(ctx, w)
		if err != nil {
			return out, err
		}
		for i := range v.Findings {
			out.Labels = append(out.Labels, v.Findings[i].Label)
		}
		if v.Action == core.Block {
			out.Action = v.Action.String()
			break
		}
		known := len(all) - hold
		if known < sent || w.Last && hold != 0 {
			return out, fmt.Errorf("holds %d bytes of %d, of which %d were sent", hold, len(all), sent)
		}
		if v.Action == core.Rewrite && len(v.Edits) > 0 {
			out.Action = v.Action.String()
		}
		out.Text += applyEdits(all, v.Edits, sent, known)
		sent = known
	}
	slices.Sort(out.Labels)
	return out, nil
}

// Same reports whether a stream had the same result as the whole answer. Text sent before a refusal must be a prefix.
func (s Streamed) Same(whole Streamed, text string) bool {
	if whole.Action == core.Block.String() {
		return s.Action == whole.Action && (s.Text == "" || strings.HasPrefix(text, s.Text) || strings.HasPrefix(whole.Text, s.Text))
	}
	return s.Action == whole.Action && s.Text == whole.Text && slices.Equal(s.Labels, whole.Labels)
}

// open begins a streamed answer. It returns nil if the stage does not inspect it.
func (s *Player) open(ctx context.Context) (core.StreamFilter, error) {
	st, ok := s.Stage.(core.StreamStage)
	if !ok {
		return nil, nil
	}
	return st.Stream(ctx, Exchange(""), nil)
}

// Cuts returns ways to cut a text between characters: whole, character by character, and in random pieces.
func Cuts(random *rand.Rand, text string) [][]string {
	ways := [][]string{{text}, {"", text, ""}}
	for _, n := range []int{1, 2, 3, 7, 20} {
		var pieces []string
		from := 0
		for at := range text {
			if at > from && (n == 1 || random.IntN(n) == 0) {
				pieces = append(pieces, text[from:at])
				from = at
			}
		}
		ways = append(ways, append(pieces, text[from:]))
	}
	return ways
}
