package wasm

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// job describes one call of hg_stage.
type job struct {
	phase uint32
	body  *core.Payload  // the body of the segments; nil if they are texts
	texts []streamedText // of a streamed answer
	kept  *exchangeState // of this exchange; nil until the first call. ask sets it
	waits bool           // nothing of the answer was sent
	found foundValues    // in the text, if it is of a streamed answer
}

// run calls the guest and returns its verdict. If the call fails and the instance's leftover state may be the cause, it calls a fresh
// instance, unless the guest uses the capability state.
func (s *FullStage) run(ctx context.Context, x *core.Exchange, j *job) (core.Verdict, error) {
	v, stale, err := s.runOnce(ctx, x, j, false)
	if err != nil && stale && mayBeStale(err) {
		v, _, err = s.runOnce(ctx, x, j, true)
	}
	return v, err
}

// runOnce is run on one instance. stale reports whether that instance had served before.
func (s *FullStage) runOnce(ctx context.Context, x *core.Exchange, j *job, fresh bool) (_ core.Verdict, stale bool, _ error) {
	if j.kept.findHeld() != nil && !fresh {
		v, err := s.runHeld(ctx, x, j)
		return v, false, err
	}
	i, err := s.v.acquireFit(ctx, s.budget.computeAllowance(j.measureText()), findCaller(x), fresh)
	if err != nil {
		return core.Verdict{}, false, err
	}
	t := taken{s.v, i}
	defer t.releaseOnPanic()
	i.stale = i.stale && !s.v.Manifest.hasEffects() // these calls are not repeated
	stale = i.stale
	before := j.kept
	v, err := s.callStage(x, i, j)
	if err != nil {
		err = s.v.replaceTextFault(err, j.measureText())
	}
	if err == nil && j.kept.asksToHold() {
		err = t.hold(j.kept)
	}
	t.release(err)
	if err != nil {
		if j.kept != before { // the chain gets no verdict
			j.kept.release(context.WithoutCancel(ctx))
			j.kept = before
		}
		return core.Verdict{}, stale, err
	}
	if j.kept != before {
		v.Keep = j.kept
	}
	return v, stale, nil
}

// callStage calls hg_stage of an instance whose time is already set. It leaves the state of the exchange in the job.
func (s *FullStage) callStage(x *core.Exchange, i *instance, j *job) (core.Verdict, error) {
	c := &i.talk
	c.begin(s, x, j)
	defer c.end()
	timed, began := s.v.calls.Add(1)%sampleEvery == 1, time.Duration(0)
	if timed {
		began = readClock()
	}
	v, err := c.call(i)
	if timed {
		s.v.spent.Add(uint64(readClock() - began))
		s.v.sampled.Add(1)
	}
	if err == nil {
		v, err = c.finishVerdict(v)
	}
	j.kept = c.kept
	s.v.bytes.Add(c.read)
	s.v.findings.Add(uint64(len(v.Findings)))
	return v, err
}

// measureText returns the approximate length of the text that the guest may read, in bytes.
func (j *job) measureText() (n int) {
	if j.body != nil {
		return len(j.body.Raw)
	}
	for k := range j.texts {
		n += len(j.texts[k].text)
	}
	return n
}

// taken is an instance that must be returned even if its call panics.
type taken struct {
	v *Version
	i *instance
}

func (t *taken) release(err error) {
	if i := t.i; i != nil {
		t.i = nil
		t.v.release(i, err)
	}
}

func (t *taken) releaseOnPanic() {
	if t.i != nil {
		t.release(errPanicked)
	}
}

// call calls hg_stage.
func (c *talk) call(i *instance) (core.Verdict, error) {
	switch {
	case i.rego != nil:
		return core.Verdict{Action: core.Pass}, c.evaluatePolicy(i)
	case i.http != nil:
		return core.Verdict{Action: core.Pass}, c.handleHTTP(i)
	}
	i.stack[0] = uint64(c.phase)
	if err := i.stager.CallWithStack(&i.call, i.stack[:1]); err != nil {
		return core.Verdict{}, i.wrapFault(err)
	}
	switch code := uint32(i.stack[0]); code {
	case abi.StageDone:
		return core.Verdict{Action: core.Pass}, nil
	case abi.StageFailed:
		return core.Verdict{}, &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	default:
		return core.Verdict{}, i.v.newABIFault("hg_stage returned %d, which is neither done nor failed", code)
	}
}
