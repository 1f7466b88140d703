package schema

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// Stream opens a filter for an answer that has a schema.
func (s *Stage) Stream(_ context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	c := s.findSchema(x)
	if c == nil {
		return nil, nil
	}
	return &filter{stage: s, schema: c, x: x, kept: kept, parts: map[core.Part][]byte{}}, nil
}

// filter collects the texts of a streamed answer. None of them is sent before all are judged.
type filter struct {
	stage  *Stage
	schema *compiled
	x      *core.Exchange
	kept   any
	parts  map[core.Part][]byte
}

var _ core.Withholder = (*filter)(nil)

// Withholds reports that the stream must wait for its end.
func (*filter) Withholds() bool { return true }

// Check judges a text when it is complete.
func (f *filter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	pass := core.Verdict{Action: core.Pass}
	if w.Part.Kind != core.KindText {
		return pass, 0, nil
	}
	text := append(f.parts[w.Part], w.Text[w.New:]...)
	if !w.Last {
		f.parts[w.Part] = text
		return pass, 0, nil
	}
	delete(f.parts, w.Part)
	if flaws := f.schema.judge(f.x, string(text)); len(text) > 0 && len(flaws) > 0 {
		return f.stage.buildVerdict(f.schema, flaws, 0, f.kept), 0, nil
	}
	return pass, 0, nil
}

// Close does nothing.
func (*filter) Close(context.Context) error { return nil }
