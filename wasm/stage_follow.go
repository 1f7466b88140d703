package wasm

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// follows reports whether answers go to hg_stream rather than hg_stage.
func (s *FullStage) follows() bool {
	return s.v.has.stream && s.wants(abi.PhaseResponse)
}

// follower applies a stage with hg_stream to one streamed answer. It holds an instance exclusively, which sees the whole answer once, in
// order, and can remember it.
type follower struct {
	stageFilter // the exchange's state, and the texts shown at the end
	streamHook
	parts []*followed
}

// followed is an unfinished part of the answer.
type followed struct {
	streamPart
	part core.Part
}

var (
	_ core.Withholder = (*follower)(nil)
	_ core.Ender      = (*follower)(nil)
)

// openFollower opens the filter. If the limit of pinned instances is reached, it fails here, before any of the answer
// was sent.
func (s *FullStage) openFollower(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	i, err := s.v.pin(ctx, findCaller(x))
	if err != nil {
		return nil, err
	}
	f := &follower{stageFilter: s.newFilter(x, kept)}
	f.streamHook = streamHook{s: s, x: x, inst: i, kept: f.stageFilter.kept}
	if s.see.hasField(abi.FieldPlaces) {
		return informedFollower{f}, nil
	}
	return f, nil
}

// Withholds reports whether the manifest, the guest or a late detector requires that nothing is sent before the end.
func (f *follower) Withholds() bool {
	return f.streamHook.s.v.Manifest.Streams == StreamsWithhold || f.mustWait()
}

// Check passes a window to the guest.
func (f *follower) Check(ctx context.Context, w core.Window) (v core.Verdict, hold int, err error) {
	v.Action = core.Pass
	s := f.streamHook.s
	src := classifySource(core.RoleAssistant, w.Part.Kind)
	if !s.see.sources.has(src) {
		return v, 0, nil
	}
	if f.inst == nil {
		return v, 0, f.findEarlierFailure()
	}
	ended := false
	defer func() {
		if err == nil && !ended {
			err = errPanicked
		}
		if err != nil {
			f.release(false, err)
		}
	}()
	if s.wants(abi.PhaseStreamEnd) {
		if err = f.appendText(&w); err != nil {
			return core.Verdict{}, 0, err
		}
	}
	f.inst.call.arm(ctx, s.budget.computeAllowance(len(w.Text)-w.New))
	known, err := f.passWindow(&v, &w, src)
	ended = true
	if err != nil {
		return core.Verdict{}, 0, err
	}
	f.inst.call.disarm()
	if f.made {
		f.made, v.Keep = false, f.streamHook.kept
	}
	if v.Action == core.Block {
		known = len(w.Text)
	}
	return v, len(w.Text) - known, nil
}

// passWindow returns the offset from which the text must be held back.
func (f *follower) passWindow(v *core.Verdict, w *core.Window, src abi.Source) (known int, err error) {
	k := slices.IndexFunc(f.parts, func(p *followed) bool { return p.part == w.Part })
	var p *followed
	if k >= 0 {
		p = f.parts[k]
	} else {
		p = &followed{part: w.Part}
		if p.streamPart, err = f.streamHook.openPart(v, src, w.Part.Kind); err != nil {
			return 0, err
		}
		k = len(f.parts)
		f.parts = append(f.parts, p)
	}
	if w.Last {
		f.parts = slices.Delete(f.parts, k, k+1)
	}
	if p.unseen || v.Action == core.Block {
		return len(w.Text), nil
	}
	f.streamHook.found = w.Found
	return f.passText(v, &p.streamPart, w.Text, w.Sent, w.New, 0, w.Last)
}

func (f *follower) findEarlierFailure() error {
	return &Error{Plugin: f.streamHook.s.v.Name, Kind: core.FaultError, Reason: "it failed before in this answer", excused: true}
}

// End asks the stage about the whole answer, on the instance that has seen it.
func (f *follower) End(ctx context.Context) (v core.Verdict, err error) {
	v.Action = core.Pass
	s := f.streamHook.s
	switch {
	case !s.wants(abi.PhaseStreamEnd) || f.hasBrokenOff():
		return v, nil
	case f.inst == nil:
		return v, f.findEarlierFailure()
	}
	j := job{phase: abi.PhaseStreamEnd, texts: f.texts, kept: f.streamHook.kept}
	ended := false
	defer func() {
		if err == nil && !ended {
			err = errPanicked
		}
		if err != nil {
			f.release(false, err)
		}
	}()
	f.inst.call.arm(ctx, s.budget.computeAllowance(j.measureText()))
	v, err = s.callStage(f.streamHook.x, f.inst, &j)
	ended = true
	if err != nil {
		return v, err
	}
	f.inst.call.disarm()
	if f.made {
		f.made, v.Keep = false, f.streamHook.kept
	}
	return v, nil
}

// Close returns the instance, and releases state that never reached the chain.
func (f *follower) Close(ctx context.Context) error {
	f.release(len(f.parts) == 0, nil)
	return f.stageFilter.Close(ctx)
}

// release unpins the instance. whole is true if all parts have ended.
func (f *follower) release(whole bool, err error) {
	if i := f.inst; i != nil {
		f.inst = nil
		f.streamHook.s.v.unpin(i, whole, err)
	}
}
