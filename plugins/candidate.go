package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Candidate configures how a new version of a serving file is tried: on the same exchanges as the serving version, with
// its verdicts compared and discarded.
type Candidate struct {
	// For is the minimum duration of a trial.
	For time.Duration
	// MinCalls is the minimum number of comparisons. A body counts as one, and so does each part of a streamed answer.
	MinCalls int64
	// MaxDivergence is the share of comparisons, from 0 to 1, that may differ.
	MaxDivergence float64
	// MaxFaults is how many calls of the candidate may fail.
	MaxFaults int64
}

// IsOn reports whether candidates are tried at all.
func (c Candidate) IsOn() bool { return c.For > 0 || c.MinCalls > 0 }

func (c Candidate) check() error {
	switch {
	case c.For < 0 || c.MinCalls < 0 || c.MaxFaults < 0:
		return errors.New("candidate: for, min_calls and max_faults must not be negative")
	case !(c.MaxDivergence >= 0 && c.MaxDivergence <= 1):
		return errors.New("candidate: max_divergence is a share of the calls, from 0 to 1")
	}
	return nil
}

// newTrial returns the trial of a module whose file another version serves, or nil if the module may serve immediately.
// The caller holds d.mu.
func (d *Dir) newTrial(f *record, m *module) (*trial, error) {
	rule := d.Rules().Candidate
	dec, err := d.findDecision(f.name, m.digest)
	switch {
	case err != nil:
		return nil, err
	case dec != nil && dec.Promote, !rule.IsOn():
		return nil, nil // no trial
	}
	if t := f.trial; t != nil && t.m.equals(m) && t.rule == rule {
		if t.state.Load() == trialPassed {
			return nil, nil // no trial
		}
		return t, nil
	}
	f.stopTrial()
	return newTrial(d, f, m, rule), nil
}

// buildTrialStage returns a stage that runs the serving version and the candidate. The caller holds d.mu.
func (d *Dir) buildTrialStage(ctx context.Context, f *record, t *trial, a moduleRequest) (Plugin, error) {
	if t.state.Load() == trialHeld {
		return d.buildHeldBack(ctx, f, t, a)
	}
	// During the trial, a stage keeps its counters and stored values under separate keys. Otherwise it would count
	// everything twice.
	apart := a
	apart.candidate = true
	next, err := d.buildStage(ctx, t.m, apart)
	if err != nil {
		return nil, err // the version in force keeps serving, as with any module that does not load
	}
	v := next.Version()
	if err = d.checkVersion(f, t.m.digest, v.Manifest.Version); err != nil {
		return nil, errors.Join(err, next.Close(ctx))
	}
	live, err := d.buildStage(ctx, f.live, a)
	if err != nil { // nothing to compare with, and no candidate serves without a trial
		err = fmt.Errorf(
			"the version that serves does not load with these settings: %w; promote the candidate first, or take the settings back",
			err,
		)
		return nil, errors.Join(err, next.Close(ctx))
	}
	d.recordVersion(f.live, live.Version(), EventLoaded)
	if f.trial != t {
		f.trial = t
		t.begin(v.Manifest.Version)
		d.recordTrial(f, t)
		if v.Manifest.PhaseSet() != live.Version().Manifest.PhaseSet() {
			t.hold("made for other phases than the version that serves, so it cannot be asked where that one is; an operator decides")
		}
	}
	if t.state.Load() == trialHeld {
		return d.buildHeldBack(ctx, f, t, a, next.Close, live.Close)
	}
	d.clearProblem(f.name)
	return &besideStage{live: live, next: next, version: live.Version(), t: t}, nil
}

// buildHeldBack lets the serving version continue alone. It closes closers, which are no longer needed.
func (d *Dir) buildHeldBack(
	ctx context.Context, f *record, t *trial, a moduleRequest, closers ...func(context.Context) error,
) (Plugin, error) {
	var errs []error
	for _, c := range closers {
		errs = append(errs, c(ctx))
	}
	st, err := d.buildStage(ctx, f.live, a)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	d.note(Problem{
		File: f.name, Digest: t.m.digest, Serving: f.live.digest,
		Reason: fmt.Sprintf("the candidate is held: %s; decide with: headgate plugin promote %s, or reject", t.readReason(), f.name),
	})
	return st, nil
}

// recordTrial records that a trial has begun.
func (d *Dir) recordTrial(f *record, t *trial) {
	d.state.Lock()
	defer d.state.Unlock()
	s := d.serving[f.name]
	s.trial = t
	d.serving[f.name] = s
	d.recordEvent(Event{Type: EventCandidate, File: f.name, Digest: t.m.digest, Version: t.version, Before: f.live.digest})
}
