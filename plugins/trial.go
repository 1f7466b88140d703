package plugins

import (
	"fmt"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// States of a trial.
const (
	trialRunning uint32 = iota
	trialPassed         // it may replace the serving version
	trialHeld           // an operator decides
	trialEnded          // without a result: the folder contains another version now
)

// trial compares a new version of a file with the serving one. Links of the same file share it.
type trial struct {
	d       *Dir
	file    string
	m       *module
	serves  string // digest of the version that it is compared with
	rule    Candidate
	version string
	began   time.Time
	timer   *time.Timer
	state   atomic.Uint32

	calls, diverged, skipped atomic.Int64
	liveTime, nextTime       atomic.Int64 // ns

	mu      sync.Mutex
	reason  string
	byKind  map[string]int64
	byLabel map[string]LabelCount
	faults  map[core.Fault]int64
	nfaults int64
}

// LabelCount is how often the serving version and the candidate found a label.
type LabelCount struct{ Live, Candidate int64 }

// maxTrialLabels limits how many labels are counted: stages may make up labels.
const maxTrialLabels = 256

func newTrial(d *Dir, f *record, m *module, rule Candidate) *trial {
	return &trial{
		d: d, file: f.name, m: m, serves: f.live.digest, rule: rule,
		byKind: map[string]int64{}, byLabel: map[string]LabelCount{}, faults: map[core.Fault]int64{},
	}
}

// begin starts the clock.
func (t *trial) begin(version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version, t.began = version, time.Now()
	if t.rule.For > 0 {
		t.timer = time.AfterFunc(t.rule.For, t.judge)
	}
}

func (t *trial) isRunning() bool { return t.state.Load() == trialRunning }

// stop ends the trial: the candidate is not called and nothing is decided any more.
func (t *trial) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Store(trialEnded)
	if t.timer != nil {
		t.timer.Stop()
	}
}

// addSpent adds the durations of two calls.
func (t *trial) addSpent(live, next time.Duration) {
	t.liveTime.Add(int64(live))
	t.nextTime.Add(int64(next))
}

// countComparison counts one comparison. kind is the kind of difference, or "" if the verdicts agree.
func (t *trial) countComparison(kind string) {
	t.calls.Add(1)
	if kind != "" {
		t.mu.Lock()
		t.byKind[kind]++
		t.mu.Unlock()
		t.diverged.Add(1)
	}
	t.judge()
}

// countFindings counts the findings of both versions by label.
func (t *trial) countFindings(live, next []core.Finding) {
	if len(live) == 0 && len(next) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	count := func(label string, live, next int64) {
		c, ok := t.byLabel[label]
		if !ok && len(t.byLabel) >= maxTrialLabels {
			return
		}
		t.byLabel[label] = LabelCount{c.Live + live, c.Candidate + next}
	}
	for i := range live {
		count(live[i].Label, 1, 0)
	}
	for i := range next {
		count(next[i].Label, 0, 1)
	}
}

// countFault counts a fault of the candidate.
func (t *trial) countFault(f core.Fault) {
	t.mu.Lock()
	t.faults[f]++
	t.nfaults++
	t.mu.Unlock()
	t.judge()
}

// judge decides once there are enough calls.
func (t *trial) judge() {
	if !t.isRunning() {
		return
	}
	calls, diverged := t.calls.Load(), t.diverged.Load()
	t.mu.Lock()
	faults, began := t.nfaults, t.began
	t.mu.Unlock()
	most := t.rule.MaxDivergence * float64(max(calls, t.rule.MinCalls))
	switch {
	case faults > t.rule.MaxFaults:
		t.hold(fmt.Sprintf("%d of its calls failed; at most %d are allowed", faults, t.rule.MaxFaults))
	case float64(diverged) > most:
		t.hold(fmt.Sprintf("%d of %d verdicts differ from those of the serving version; at most %.0f are allowed", diverged, calls, math.Floor(most)))
	case calls >= t.rule.MinCalls && time.Since(began) >= t.rule.For:
		t.end(trialPassed, "")
	}
}

func (t *trial) hold(why string) { t.end(trialHeld, why) }

// end decides, at most once.
func (t *trial) end(state uint32, why string) {
	t.mu.Lock()
	if !t.isRunning() {
		t.mu.Unlock()
		return
	}
	t.reason = why
	t.state.Store(state)
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	if state == trialHeld {
		t.d.state.Lock()
		t.d.recordEvent(Event{Type: EventHeld, File: t.file, Digest: t.m.digest, Version: t.version, Before: t.serves, Reason: why})
		t.d.state.Unlock()
	}
	if t.d.o.Decided != nil {
		t.d.o.Decided()
	}
}

func (t *trial) readReason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reason
}

// describeStatus returns the progress of the trial.
func (t *trial) describeStatus() *CandidateStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &CandidateStatus{
		Version:  t.version,
		Digest:   t.m.digest,
		State:    StateShadow,
		Since:    t.began,
		Reason:   t.reason,
		Calls:    t.calls.Load(),
		Diverged: maps.Clone(t.byKind),
		Labels:   maps.Clone(t.byLabel),
		Faults:   maps.Clone(t.faults),
		Skipped:  t.skipped.Load(),
	}
	switch t.state.Load() {
	case trialPassed:
		s.State = StatePromoted
	case trialHeld:
		s.State = StateHeld
	}
	s.Agreed = s.Calls - t.diverged.Load()
	if s.Calls > 0 {
		s.LiveTime, s.Time = time.Duration(t.liveTime.Load()/s.Calls), time.Duration(t.nextTime.Load()/s.Calls)
	}
	return s
}
