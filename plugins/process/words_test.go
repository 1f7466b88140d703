package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

// acts are the plugins of these tests, by name.
var acts = map[string]func(){
	"words": func() { sdk.Serve(new(words)) },
	"tells": func() { sdk.Serve(tells{}) },
	"minds": func() { sdk.Serve(minds{}) },
	"keeps": func() { sdk.Serve(keeps{}) },
}

// words is a plugin that finds PROJECT-<capitals> in any text, and acts as its settings say.
type words struct {
	Action string
}

func (w *words) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name: "words", Version: "1.2.3", Phases: []core.Phase{core.Request, core.Target, core.Response},
		Fields: []string{"model", "tenant", "dialect"},
		Texts:  []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"},
	}
}

func (w *words) Configure(config []byte) error {
	w.Action = "redact"
	if config == nil {
		return nil
	}
	if err := json.Unmarshal(config, w); err != nil {
		return err
	}
	if w.Action == "refuse" {
		return errors.New("action: unknown action \"refuse\"")
	}
	return nil
}

const project = "PROJECT-"

// find returns the names that begin in [from, to) of a text.
func find(text string, from, to int) (spans [][2]int) {
	for at := from; ; {
		k := strings.Index(text[at:], project)
		if k < 0 || at+k >= to {
			return spans
		}
		start := at + k
		end := start + len(project)
		for end < len(text) && 'A' <= text[end] && text[end] <= 'Z' {
			end++
		}
		if at = end; end > start+len(project) {
			spans = append(spans, [2]int{start, end})
		}
	}
}

func (w *words) judge(v *core.Verdict, segment int, spans [][2]int) {
	for _, s := range spans {
		v.Findings = append(
			v.Findings,
			core.Finding{Label: "project", Kind: core.FoundDetector, Segment: segment, Start: s[0], End: s[1], Score: 0.5},
		)
		switch w.Action {
		case "redact":
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: segment, Start: s[0], End: s[1], Type: "PROJECT"})
		case "replace":
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: segment, Start: s[0], End: s[1], With: "a project"})
		case "block":
			v.Action = core.Block
			v.Err = &core.Error{Kind: core.ContentFiltered, Public: "projects are not talked about"}
			v.Edits = nil
		}
	}
}

func (w *words) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	for i := range body.Segments {
		text := body.ReadText(i)
		w.judge(&v, i, find(text, 0, len(text)))
	}
	return v, nil
}

func (w *words) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return wordsFilter{w}, nil
}

type wordsFilter struct{ w *words }

// Check holds back what may be the beginning of a name, or a name that may continue.
func (f wordsFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v, known, spans := core.Verdict{Action: core.Pass}, len(w.Text), find(w.Text, w.Sent, len(w.Text))
	if n := len(spans); !w.Last && n > 0 && spans[n-1][1] == len(w.Text) {
		known, spans = spans[n-1][0], spans[:n-1]
	}
	for n := len(project); n > 0 && !w.Last && known == len(w.Text); n-- {
		if at := len(w.Text) - n; at >= w.Sent && strings.HasSuffix(w.Text, project[:n]) && (len(spans) == 0 || at >= spans[len(spans)-1][1]) {
			known = at
		}
	}
	f.w.judge(&v, 0, spans)
	return v, len(w.Text) - known, nil
}

func (wordsFilter) Close(context.Context) error { return nil }

// tells is a plugin that refuses, and reports what it was shown.
type tells struct{}

func (tells) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name:   "tells",
		Phases: []core.Phase{core.Request},
		Fields: []string{"model", "tenant"},
		Texts:  []string{"system", "user"},
	}
}

func (tells) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	var names, all []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	for i := range x.Request.Segments {
		all = append(all, x.Request.ReadText(i))
	}
	said := fmt.Sprintf(
		"model=%q tenant=%q key=%q id=%q texts=%q env=%v",
		x.Head.Model,
		x.Principal.Tenant,
		x.Principal.KeyID,
		x.ID,
		all,
		names,
	)
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Public: said}}, nil
}
