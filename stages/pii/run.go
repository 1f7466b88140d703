package pii

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// processRun judges one run of text: placeholders first, then values around them. If recalled, w.matches already has
// the values.
func (s *Stage) processRun(
	ctx context.Context, x *core.Exchange, body *core.Payload, run core.Run, w *work, response, recalled bool,
) error {
	redacted := false // set before the scan: it contains placeholders
	tolerant := response && s.tolerant
	w.spans = w.spans[:0]
	args := response && body.Segments[run.First].Kind == core.KindToolArgs
	var in nested.Cursor
	for at := 0; !recalled || w.redacted; {
		start, end, token, ok := nextPlaceholder(run.Text, at, tolerant)
		if !ok {
			break
		}
		if args {
			in.Read(run.Text[at:start])
		}
		at, redacted = end, true
		if tolerant {
			w.spans = append(w.spans, span{start, end})
		}
		value, ok, err := s.resolve(ctx, x, w, token)
		if err != nil {
			return err
		}
		if args {
			value = in.Escape(value)
			in.SkipPlaceholder()
		}
		if ok && response {
			w.edits = body.AppendEdits(w.edits, run, start, end, value, "")
		}
	}
	w.redacted = redacted
	if response && !s.redacts {
		return nil
	}
	var err error
	if !recalled {
		w.matches, err = s.engine.DetectWithin(ctx, w.matches[:0], run.Text, 0, s.most-len(w.findings))
	} else if len(w.matches) > s.most-len(w.findings) {
		err = errTooMany
	}
	switch {
	case errors.Is(err, errTooMany):
		w.crowded = true
		return nil
	case err != nil:
		return err
	}
	for _, m := range w.matches {
		if tolerant && touches(w.spans, m) || !tolerant && redacted && placeholder.Touches(run.Text, m.Start, m.End) {
			continue
		}
		act := s.actions.chooseAction(m.Type)
		w.findings = append(w.findings, core.Finding{
			Label: m.Type, Kind: core.FoundPII, Redacted: act == actionRedact || act == actionMask,
			Segment: run.First, Start: m.Start, End: m.End, Score: m.Score,
		})
		switch act {
		case actionRedact:
			w.edits = body.AppendEdits(w.edits, run, m.Start, m.End, "", m.Type)
		case actionMask:
			w.edits = body.AppendEdits(w.edits, run, m.Start, m.End, formatMask(m.Type), "")
		case actionBlock:
			w.recordBlocked(m.Type)
		}
	}
	return nil
}
