package wasm

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Stream opens a filter for a streamed answer. A stage that inspects answers sees each text when it is complete; until then nothing is
// sent.
func (s *FullStage) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	if s.textless != nil && !s.buffersAnswer(kept) {
		s = s.textless
	}
	if s.follows() && s.see.sources&inAnswers != 0 {
		return s.openFollower(ctx, x, kept)
	}
	if !s.judges() && !s.wants(abi.PhaseStreamEnd) {
		return nil, nil
	}
	f := s.newFilter(x, kept)
	if s.see.hasField(abi.FieldPlaces) {
		return informedFilter{&f}, nil
	}
	return &f, nil
}

func (s *FullStage) newFilter(x *core.Exchange, kept any) stageFilter {
	f := stageFilter{s: s, x: x}
	f.kept, _ = kept.(*exchangeState)
	if f.kept == nil {
		f.kept, f.made = new(exchangeState), true
	}
	return f
}

// judges reports whether hg_stage is called for the texts of streamed answers.
func (s *FullStage) judges() bool {
	return s.wants(abi.PhaseResponse) && !s.follows() && s.v.Manifest.Streams != StreamsPass
}

// stageFilter applies a stage to one streamed answer.
type stageFilter struct {
	s     *FullStage
	x     *core.Exchange
	kept  *exchangeState
	made  bool           // the chain does not have kept yet
	late  bool           // a link may find a value when its text was sent
	asked bool           // a stage that sees no text has been called
	texts []streamedText // of the answer so far, for the call at its end
	open  []openText
	size  int // of texts, in bytes
}

// openText is an unfinished text.
type openText struct {
	part core.Part
	at   int // index in texts
}

// maxAnswerTexts bounds the text of an answer that is kept for its end, in bytes.
const maxAnswerTexts = 16 << 20

var (
	_ core.Withholder = (*stageFilter)(nil)
	_ core.Ender      = (*stageFilter)(nil)
)

// Withholds reports whether the stream must wait, so that redacted text is never sent and a denial can still set the HTTP status. A stage
// that sees no text decides when the first text arrives.
func (f *stageFilter) Withholds() bool {
	return f.s.judges() && f.s.see.sources != 0 || f.mustWait()
}

// Check holds a text until it is complete, and then calls the stage.
func (f *stageFilter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if f.made {
		f.made, v.Keep = false, f.kept
	}
	if f.s.see.sources == 0 {
		return f.callOnce(ctx, v)
	}
	if !f.s.see.sources.has(classifySource(core.RoleAssistant, w.Part.Kind)) {
		return v, 0, nil
	}
	if f.s.wants(abi.PhaseStreamEnd) {
		if err := f.appendText(&w); err != nil {
			f.recordUndelivered(v)
			return v, 0, err
		}
	}
	if !f.s.judges() {
		return v, 0, nil
	}
	text := w.Text[w.Sent:]
	if !w.Last || text == "" {
		return v, len(text), nil
	}
	// The guest returns before the window's text moves on, and does not change it.
	j := job{
		phase: abi.PhaseResponse, texts: []streamedText{{w.Part.Kind, []byte(text)}}, kept: f.kept, waits: true,
		found: foundValues{list: w.Found, base: w.Sent, last: true},
	}
	got, err := f.s.run(ctx, f.x, &j)
	if err != nil {
		f.recordUndelivered(v)
		return core.Verdict{}, 0, err
	}
	for k := range got.Edits {
		e := &got.Edits[k]
		e.Segment, e.Start, e.End = 0, e.Start+w.Sent, e.End+w.Sent
	}
	got.Keep = v.Keep
	return got, 0, nil
}

// callOnce asks a stage that sees no text about the answer, once.
func (f *stageFilter) callOnce(ctx context.Context, v core.Verdict) (core.Verdict, int, error) {
	if f.asked || !f.s.judges() {
		return v, 0, nil
	}
	f.asked = true
	got, err := f.s.run(ctx, f.x, &job{phase: abi.PhaseResponse, kept: f.kept})
	if err != nil {
		f.recordUndelivered(v)
		return core.Verdict{}, 0, err
	}
	got.Keep = v.Keep
	return got, 0, nil
}

// recordUndelivered records that the chain did not receive a verdict and the state it was to keep.
func (f *stageFilter) recordUndelivered(v core.Verdict) { f.made = f.made || v.Keep != nil }

// appendText adds the new text to the texts that the stage reads at the end.
func (f *stageFilter) appendText(w *core.Window) error {
	fresh := w.Text[w.New:]
	if f.size += len(fresh); f.size > maxAnswerTexts {
		return &Error{Plugin: f.s.v.Name, Kind: core.FaultMemory, Reason: "the answer is too long to be shown at its end", excused: true}
	}
	k := slices.IndexFunc(f.open, func(o openText) bool { return o.part == w.Part })
	if k < 0 {
		if fresh == "" {
			return nil
		}
		k = len(f.open)
		f.open = append(f.open, openText{w.Part, len(f.texts)})
		f.texts = append(f.texts, streamedText{kind: w.Part.Kind})
	}
	t := &f.texts[f.open[k].at]
	t.text = append(t.text, fresh...)
	if w.Last {
		f.open = slices.Delete(f.open, k, k+1)
	}
	return nil
}

func (f *stageFilter) hasBrokenOff() bool {
	return f.x.Finish == "" && f.x.Outcome.Kind == core.UpstreamErr
}

// End asks the stage about the whole answer. The chain does not call it for a broken-off answer.
func (f *stageFilter) End(ctx context.Context) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	if !f.s.wants(abi.PhaseStreamEnd) || f.hasBrokenOff() {
		return v, nil
	}
	v, err := f.s.run(ctx, f.x, &job{phase: abi.PhaseStreamEnd, texts: f.texts, kept: f.kept})
	if err == nil && f.made { // no text came before
		f.made, v.Keep = false, f.kept
	}
	return v, err
}

// Close releases state that never reached the chain.
func (f *stageFilter) Close(ctx context.Context) error {
	if f.made {
		f.kept.release(context.WithoutCancel(ctx))
	}
	return nil
}
