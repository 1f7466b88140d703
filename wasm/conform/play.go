package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/wasm"
)

// subject is one loaded module as a link of a chain.
type subject struct {
	wasm.Plugin
	store *emptied
}

// emptied is a state that is new for each exchange, so that limits and values of one do not change the next.
type emptied struct{ core.State }

func (e *emptied) empty() { e.State = state.NewMemory(state.Options{}) }

// exchange returns an exchange in which every field that a guest may read holds something; text is the only text of its request and of its
// answer.
func exchange(text string) *core.Exchange {
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

// told is what a plugin said of a text in one phase, in a form that can be compared. Keep is left out: it is the plugin's own.
func told(v *core.Verdict) string {
	var refusal any
	if v.Err != nil {
		refusal = []any{v.Err.Kind, v.Err.Code, v.Err.Public, v.Err.RetryAfter}
	}
	reply := ""
	if v.Reply != nil {
		reply = string(v.Reply.Raw)
	}
	b, err := json.Marshal([]any{v.Action.String(), v.Findings, v.Edits, v.Patch, v.Header, reply, refusal})
	if err != nil { // a score is checked by the host, so that nothing here cannot be written
		return err.Error()
	}
	return string(b)
}

// shown is what the client and the records learn of a verdict.
func shown(v *core.Verdict) string {
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

// play takes an exchange through all phases of the plugin. It returns what the plugin said in each, and what of that is shown.
func (s *subject) play(ctx context.Context, x *core.Exchange) (said, public string, err error) {
	if s.store != nil {
		s.store.empty()
	}
	var kept any
	phases := s.Version().Manifest.PhaseSet()
	var all strings.Builder
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		if !phases.Has(p) {
			continue
		}
		v, err := s.Check(ctx, x, p, kept)
		if err != nil {
			return "", "", err
		}
		if v.Keep != nil {
			kept = v.Keep
		}
		fmt.Fprintf(&all, "%s %s\n", p, told(&v))
		public += shown(&v)
	}
	if f, ok := s.Plugin.(core.Finisher); ok {
		f.Finish(ctx, x, kept)
	}
	return all.String(), public, nil
}

// streamed is what came of an answer that was shown in pieces.
type streamed struct {
	action, text string
	labels       []string
}

// whole returns what the plugin makes of an answer at once, in the form of streamed.
func (s *subject) whole(ctx context.Context, text string) (out streamed, err error) {
	v, err := s.Check(ctx, exchange(text), core.Response, nil)
	if err != nil {
		return out, err
	}
	out.action, out.text = v.Action.String(), text
	for _, f := range v.Findings {
		out.labels = append(out.labels, f.Label)
	}
	slices.Sort(out.labels)
	if v.Action == core.Rewrite {
		out.text = edited(text, v.Edits, 0, len(text))
	}
	return out, nil
}

// edited returns text[from:to] with the edits that lie in it. The host has checked them.
func edited(text string, edits []core.Edit, from, to int) string {
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

// stream shows an answer in pieces, as the chain does.
func (s *subject) stream(ctx context.Context, pieces []string) (out streamed, err error) {
	f, err := s.Stream(ctx, exchange(""), nil)
	if err != nil || f == nil {
		return streamed{action: core.Pass.String(), text: strings.Join(pieces, "")}, err
	}
	defer func() { _ = f.Close(ctx) }() // the instance goes back or is closed
	out.action = core.Pass.String()
	all, sent := "", 0
	for k, piece := range pieces {
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: all + piece, Sent: sent, New: len(all), Last: k == len(pieces)-1}
		all = w.Text
		v, hold, err := f.Check(ctx, w)
		if err != nil {
			return out, err
		}
		for i := range v.Findings {
			out.labels = append(out.labels, v.Findings[i].Label)
		}
		if v.Action == core.Block {
			out.action = v.Action.String()
			break
		}
		known := len(all) - hold
		if known < sent || w.Last && hold != 0 {
			return out, fmt.Errorf("it holds %d bytes of %d, of which %d were sent", hold, len(all), sent)
		}
		if v.Action == core.Rewrite && len(v.Edits) > 0 {
			out.action = v.Action.String()
		}
		out.text += edited(all, v.Edits, sent, known)
		sent = known
	}
	slices.Sort(out.labels)
	return out, nil
}

// same reports whether a stream came to the same result as the whole answer. What was sent before a refusal is a beginning of the text.
func (s streamed) same(whole streamed, text string) bool {
	if whole.action == core.Block.String() {
		return s.action == whole.action && (s.text == "" || strings.HasPrefix(text, s.text) || strings.HasPrefix(whole.text, s.text))
	}
	return s.action == whole.action && s.text == whole.text && slices.Equal(s.labels, whole.labels)
}
