package wasm

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// streamWholeAnswer passes a whole answer to hg_stream: each text as a part of a single piece, on one instance without
// state of another answer. A stage therefore need not implement its logic twice.
func (s *FullStage) streamWholeAnswer(ctx context.Context, x *core.Exchange, kept *exchangeState) (v core.Verdict, err error) {
	v.Action = core.Pass
	body := &x.Response
	t := streamHook{s: s, x: x, kept: kept}
	ended := false
	defer func() {
		if t.inst == nil {
			return
		}
		if err == nil && !ended {
			err = errPanicked
		}
		s.v.release(t.inst, err)
	}()
	for k := 0; k < len(body.Segments) && v.Action != core.Block; {
		src := classifySource(body.Segments[k].Role, body.Segments[k].Kind)
		if !s.see.sources.has(src) {
			k = findRunEnd(body.Segments, k)
			continue
		}
		run := body.FindRun(k)
		k += run.N
		if run.Text == "" {
			continue
		}
		if t.inst == nil {
			if t.inst, err = s.v.acquireFresh(ctx, s.budget.computeAllowance(len(run.Text)), findCaller(x)); err != nil {
				return core.Verdict{}, err
			}
		}
		t.inst.call.arm(ctx, s.budget.computeAllowance(len(run.Text)))
		t.found = s.listFound(x, run.First, t.found[:0])
		if err = t.passRun(&v, body, run, src); err != nil {
			break
		}
	}
	ended = true
	if err != nil {
		if kept == nil { // the chain gets no verdict
			t.kept.release(context.WithoutCancel(ctx))
		}
		return core.Verdict{}, err
	}
	if kept == nil && t.kept != nil {
		v.Keep = t.kept
	}
	return v, nil
}

// passRun passes one text to the guest; it may span several segments.
func (t *streamHook) passRun(v *core.Verdict, body *core.Payload, run core.Run, src abi.Source) error {
	one := core.Verdict{Action: core.Pass}
	p, err := t.openPart(&one, src, body.Segments[run.First].Kind)
	if err == nil && !p.unseen {
		_, err = t.passText(&one, &p, run.Text, 0, 0, 0, true)
	}
	if err != nil {
		return err
	}
	for k := range one.Findings {
		one.Findings[k].Segment = run.First
	}
	v.Findings, v.Header = append(v.Findings, one.Findings...), append(v.Header, one.Header...)
	switch one.Action {
	case core.Block:
		v.Action, v.Err, v.Edits = core.Block, one.Err, nil
	case core.Rewrite:
		v.Action = core.Rewrite
		for _, e := range one.Edits {
			v.Edits = splitEdit(v.Edits, body, run, e)
		}
	}
	return nil
}

// splitEdit splits an edit of a run into edits of its segments. An insertion goes into the first segment that reaches
// its offset.
func splitEdit(dst []core.Edit, body *core.Payload, run core.Run, e core.Edit) []core.Edit {
	if e.Start < e.End {
		return body.AppendEdits(dst, run, e.Start, e.End, e.With, e.Type)
	}
	at, k := e.Start, run.First
	for ; k < run.First+run.N-1 && at > len(body.ReadText(k)); k++ {
		at -= len(body.ReadText(k))
	}
	return append(dst, core.Edit{Segment: k, Start: at, End: at, With: e.With})
}
