package wasm

import (
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// streamHook passes an answer to a stage's hg_stream on one instance, and collects the guest's
// results in verdicts.
type streamHook struct {
	s       *FullStage
	x       *core.Exchange
	inst    *instance
	kept    *exchangeState
	segment [1]streamedText // the only segment that the guest reads
	found   []core.Finding  // of earlier links, with offsets in the text that is passed
}

// streamPart is a part of an answer that the guest follows.
type streamPart struct {
	handle uint32
	source abi.Source
	kind   core.SegmentKind
	unseen bool // the guest declined to read it
}

// openPart announces a part to the guest.
func (t *streamHook) openPart(v *core.Verdict, source abi.Source, kind core.SegmentKind) (p streamPart, err error) {
	t.inst.parts++
	p = streamPart{handle: t.inst.parts, source: source, kind: kind}
	answer, err := t.callHook(v, &p, "", "", 0, abi.StreamOpen)
	switch {
	case err != nil:
	case answer == 1:
		p.unseen = true
	case answer != 0:
		err = t.inst.v.newABIFault("%s returned %d when a part was opened", abi.ExportStream, answer)
	}
	return p, err
}

// passText passes text[fresh:] to the guest, with text[held:] as the segment that it may read and edit, and closes the
// part if last is set. It returns the offset from which the text must be held back. Edits have offsets in text, plus
// base.
func (t *streamHook) passText(v *core.Verdict, p *streamPart, text string, held, fresh, base int, last bool) (int, error) {
	for fresh < len(text) && v.Action != core.Block {
		to := findFloor(text, min(fresh+pieceBytes, len(text)), fresh+1)
		hold, err := t.callHook(v, p, text[held:to], text[fresh:to], base+held, abi.StreamPush)
		if err != nil {
			return 0, err
		}
		held, fresh = findFloor(text, to-hold, held), to
	}
	if last && v.Action != core.Block {
		if _, err := t.callHook(v, p, text[held:], "", base+held, abi.StreamClose); err != nil {
			return 0, err
		}
		held = len(text)
	}
	return held, nil
}

// callHook calls the hook, adds the guest's results to the verdict, and returns the low half of the
// hook's result. Edits have offsets in segment, plus base.
func (t *streamHook) callHook(v *core.Verdict, p *streamPart, segment, fresh string, base int, op uint32) (int, error) {
	i, c := t.inst, &t.inst.talk
	if fresh != "" {
		if err := i.write(fresh); err != nil {
			return 0, err
		}
	}
	// The guest reads the segment and returns before the text moves on.
	t.segment[0] = streamedText{p.kind, zerocopy.ViewBytes(segment)}
	j := job{phase: abi.PhaseResponse, kept: t.kept, found: foundValues{list: t.found, base: base, last: op == abi.StreamClose}}
	if op != abi.StreamOpen {
		j.texts = t.segment[:]
	}
	c.begin(t.s, t.x, &j)
	defer c.end()
	i.stack[0], i.stack[1], i.stack[2], i.stack[3] = uint64(p.handle), uint64(i.in), uint64(len(fresh)), uint64(abi.WithSource(op, p.source))
	began, timed := time.Duration(0), i.v.calls.Add(1)%sampleEvery == 1
	if timed {
		began = readClock()
	}
	err := i.streamer.CallWithStack(&i.call, i.stack[:4])
	if timed {
		i.v.spent.Add(uint64(readClock() - began))
		i.v.sampled.Add(1)
	}
	t.kept = c.kept
	i.v.bytes.Add(uint64(len(fresh)))
	if err != nil {
		return 0, i.wrapFault(err)
	}
	hold, err := i.checkHeld(i.stack[0], op, len(segment))
	if err != nil {
		return 0, err
	}
	return hold, c.addVerdict(v, base, len(segment)-hold)
}

// checkHeld checks the result of a stage's hg_stream.
func (i *instance) checkHeld(result uint64, op uint32, n int) (int, error) {
	high, low := abi.Unpack(result)
	switch {
	case low == abi.BytesError:
		return 0, &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	case high != 0:
		return 0, i.v.newABIFault("%s of a stage must return only a number of bytes", abi.ExportStream)
	case op == abi.StreamOpen:
		return int(low), nil
	case op == abi.StreamClose && low != 0:
		return 0, i.v.newABIFault("%s holds back text after the part has ended", abi.ExportStream)
	case uint64(low) > uint64(n):
		return 0, i.v.newABIFault("%s holds back more text than there is", abi.ExportStream)
	case low > abi.MaxStreamHold:
		return 0, i.v.newABIFault("%s holds back more than %d bytes", abi.ExportStream, abi.MaxStreamHold)
	}
	return int(low), nil
}

// addVerdict adds the results of one call of hg_stream. All edits must lie in the first free bytes, the text that the guest no longer
// holds back.
func (c *talk) addVerdict(v *core.Verdict, base, free int) error {
	v.Findings, v.Header = append(v.Findings, c.findings...), append(v.Header, c.header...)
	c.s.v.findings.Add(uint64(len(c.findings)))
	if c.decided == core.Block {
		v.Action, v.Edits, v.Err = core.Block, nil, c.refusal
		return nil
	}
	if len(c.edits) == 0 {
		return nil
	}
	if slices.ContainsFunc(c.edits, func(e core.Edit) bool { return e.End > free }) {
		return c.s.v.newABIFault("%s edited text that it holds back", abi.ExportStream)
	}
	v.Action = core.Rewrite
	for _, e := range c.edits {
		e.Segment, e.Start, e.End = 0, e.Start+base, e.End+base
		v.Edits = append(v.Edits, e)
	}
	return nil
}
