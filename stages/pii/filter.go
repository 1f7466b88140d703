package pii

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// Stream opens a filter for a streamed answer.
func (s *Stage) Stream(_ context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	return &filter{s: s, x: x, w: s.findWork(kept)}, nil
}

// filter judges an answer while it streams. It retains no text: each window repeats the held text.
type filter struct {
	s *Stage
	x *core.Exchange
	w *work

	places map[core.Part]*nested.Cursor // where in nested JSON text what was cleared of a tool call ends
	values int                          // found in the answer
}

var _ core.StreamFilter = (*filter)(nil)

// Check restores placeholders and, if so configured, redacts values. It holds back text that may still become either.
func (f *filter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	hold := 0
	if !w.Last {
		hold = findPartial(w.Text, w.Sent, f.s.tolerant)
		if f.s.redacts {
			hold = max(hold, f.s.engine.CountHeldFrom(w.Text, w.Sent))
		}
	}
	if hold > 0 && f.s.tolerant && f.s.redacts {
		hold = f.extendHold(w, hold)
	}
	clear := len(w.Text) - hold
	f.w.spans, f.w.edits, f.w.findings, f.w.blocked, f.w.crowded = f.w.spans[:0], f.w.edits[:0], f.w.findings[:0], "", false
	at, args := w.Sent, w.Part.Kind == core.KindToolArgs
	var in *nested.Cursor
	if args {
		in = f.openCursor(w.Part)
	}
	for {
		start, end, token, ok := nextPlaceholder(w.Text, at, f.s.tolerant)
		if !ok || start >= clear {
			break
		}
		if end > clear { // what is held begins inside a placeholder: hold it whole
			clear, hold = start, len(w.Text)-start
			break
		}
		if args {
			in.Read(w.Text[at:start])
		}
		at = end
		if f.s.tolerant {
			f.w.spans = append(f.w.spans, span{start, end})
		}
		value, ok, err := f.s.resolve(ctx, f.x, f.w, token)
		if err != nil {
			return core.Verdict{}, 0, err
		}
		if args {
			value = in.Escape(value)
			in.SkipPlaceholder()
		}
		if ok {
			f.w.edits = append(f.w.edits, core.Edit{Start: start, End: end, With: value})
		}
	}
	if args {
		if in.Read(w.Text[at:clear]); w.Last {
			f.forget(w.Part)
		}
	}
	if f.s.redacts {
		if err := f.detect(ctx, w, clear); err != nil {
			return core.Verdict{}, 0, err
		}
	}
	return f.s.buildVerdict(f.w, true), hold, nil
}

// openCursor returns the cursor of a tool call's arguments. Each string in them is a separate text, which ends with the
// last window.
func (f *filter) openCursor(p core.Part) *nested.Cursor {
	if c := f.places[p]; c != nil {
		return c
	}
	if f.places == nil {
		f.places = map[core.Part]*nested.Cursor{}
	}
	c := new(nested.Cursor)
	f.places[p] = c
	return c
}

func (f *filter) forget(p core.Part) { delete(f.places, p) }

func (f *filter) detect(ctx context.Context, w core.Window, clear int) error {
	var err error
	f.w.matches, err = f.s.engine.DetectWithin(ctx, f.w.matches[:0], w.Text, w.Sent, f.s.most-f.values)
	switch {
	case errors.Is(err, errTooMany):
		f.w.crowded = true
		return nil
	case err != nil:
		return err
	}
	for _, m := range f.w.matches {
		if m.Start < w.Sent || m.End > clear {
			continue
		}
		if f.s.tolerant && touches(f.w.spans, m) || !f.s.tolerant && placeholder.Touches(w.Text, m.Start, m.End) {
			continue
		}
		f.values++
		act := f.s.actions.chooseAction(m.Type)
		f.w.findings = append(f.w.findings, core.Finding{
			Label: m.Type, Kind: core.FoundPII, Redacted: act == actionRedact || act == actionMask, Start: m.Start, End: m.End, Score: m.Score,
		})
		switch act {
		case actionRedact:
			f.w.edits = append(f.w.edits, core.Edit{Start: m.Start, End: m.End, Type: m.Type})
		case actionMask:
			f.w.edits = append(f.w.edits, core.Edit{Start: m.Start, End: m.End, With: formatMask(m.Type)})
		case actionBlock:
			f.w.recordBlocked(m.Type)
		}
	}
	return nil
}

// Close has nothing to release.
func (f *filter) Close(context.Context) error { return nil }
