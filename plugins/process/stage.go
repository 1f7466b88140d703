package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Stage is a plugin as a link of the chain.
type Stage struct {
	host  *Host
	p     *process
	spec  Spec
	slots *remote.Slots
	// shared is the state of all links, for scopes.
	shared core.State
	once   sync.Once
	err    error
}

var (
	_ core.StreamStage = (*Stage)(nil)
	_ core.Finisher    = (*Stage)(nil)
	_ core.Closer      = (*Stage)(nil)
)

func newStage(h *Host, p *process, spec Spec) *Stage {
	shared := spec.State
	spec.State = core.OpenSpace(spec.State, "process:"+spec.Link)
	return &Stage{shared: shared, host: h, p: p, spec: spec, slots: remote.NewSlots(spec.Calls)}
}

// String returns the kind and name of the link. A stage contains an environment and must not be printed.
func (s *Stage) String() string { return fmt.Sprintf("process %q", s.spec.Link) }

// GoString does the same for the %#v verb.
func (s *Stage) GoString() string { return s.String() }

// Phases returns those that the plugin supports. One that reads whole answers at the end needs the phase in which they pass.
func (s *Stage) Phases() core.Phases {
	if s.p.agreed.body {
		return s.p.agreed.phases | core.NewPhaseSet(core.Response)
	}
	return s.p.agreed.phases
}

// Stats returns the plugin's counters.
func (s *Stage) Stats() Stats { return s.p.stats() }

// Close releases the process. The last release ends it.
func (s *Stage) Close(ctx context.Context) error {
	s.once.Do(func() { s.err = s.host.release(ctx, s.p) })
	return s.err
}

// Check sends a whole request or answer to the plugin.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	o, ok := kept.(*own)
	if !ok {
		o = new(own)
	}
	body := &x.Request
	if p == core.Response {
		body = &x.Response
		if err := o.answer.storeAnswer(x); err != nil {
			return core.Verdict{}, s.p.newFault(OutcomeFailed, "the answer is not available as a whole")
		}
	}
	if !s.p.agreed.phases.Has(p) {
		return core.Verdict{Action: core.Pass}, nil // the answer is kept for Finish
	}
	a := &s.p.agreed
	segments, at := a.listSegments(body)
	told, err := a.told.buildCheckedExchange(x, p)
	if err != nil {
		return core.Verdict{}, s.p.newFault(OutcomeFailed, "the digest of the request is not available")
	}
	whole, err := a.readBody(body)
	if err != nil {
		return core.Verdict{}, s.p.newFault(OutcomeFailed, "the body is not available as a whole")
	}
	places, err := a.listPlaces(ctx, x, body, p, at)
	if err != nil {
		return core.Verdict{}, s.p.newCanceledError(ctx)
	}
	var v core.Verdict
	err = s.call(ctx, &question{x: x, own: o, phase: uint32(p), ask: func(ctx context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_Check{Check: &pb.Check{
			Phase: pb.Phase(p), Exchange: told, Segments: segments, Kept: o.kept, TimeoutMs: measureTimeLeft(ctx), Places: places, Body: whole,
		}}}
	}, take: func(m *pb.FromPlugin) string {
		r := reader{unit: a.unit, phase: p, link: s.spec.Link, segments: segments, at: at, x: x, answer: s.spec.Answer}
		if wrong := r.read(m.GetVerdict(), &v); wrong != "" {
			return wrong
		}
		return o.keepAnswer(m.GetVerdict(), p, a)
	}})
	if err != nil {
		return core.Verdict{}, err
	}
	s.storeKept(o, &v)
	return v, nil
}

// question is one call to the plugin.
type question struct {
	x     *core.Exchange
	own   *own
	phase uint32 // of the plugin ABI
	key   string
	on    *session                            // to which the call belongs; nil for the running one
	ask   func(context.Context) *pb.FromHost  // returns the message
	take  func(*pb.FromPlugin) (wrong string) // reads the answer and returns what is wrong with it, or ""
}

// formatKey returns the key of the caller, whose calls are counted and suspected together.
func formatKey(x *core.Exchange) string {
	if x.Principal == nil {
		return "nobody"
	}
	return x.Principal.Tenant + "\x00" + x.Principal.KeyID
}

// call makes one call to the plugin.
func (s *Stage) call(parent context.Context, q *question) error {
	began := time.Now()
	q.key = formatKey(q.x)
	err := s.askPlugin(parent, q)
	if err == nil {
		s.p.counters.calls.Add(1)
		s.p.counters.busy.Add(int64(time.Since(began)))
		return nil
	}
	if err.left == nil {
		s.p.counters.count(err.Outcome)
	}
	return err
}

// maxRetries is how often a call is repeated if its process ended before the call was sent.
const maxRetries = 3

// askPlugin gets an answer to a question. If the process ends meanwhile, one of the calls in flight may have ended it, so
// each of them is repeated alone.
func (s *Stage) askPlugin(parent context.Context, q *question) (err *Error) {
	if q.on == nil && s.p.suspects.has(q.key) {
		return s.askAlone(parent, q)
	}
	for range maxRetries {
		if err = s.askOnce(parent, q, s.p); err == nil || !err.unsent || q.on != nil || parent.Err() != nil {
			break
		}
	}
	switch {
	case err == nil:
		s.p.faults.CountSuccess(q.key)
	case err.ended && q.on == nil && parent.Err() == nil:
		return s.askAlone(parent, q)
	case err.left == nil && !err.excused && isOwnFault[err.Outcome] && s.p.faults.CountFault(q.key):
		if now := s.p.now.Load(); now != nil {
			now.verifySession()
		}
	}
	return err
}

// isOwnFault contains the outcomes that may mean that a running plugin is broken.
var isOwnFault = map[Outcome]bool{OutcomeTimeout: true, OutcomeFailed: true, OutcomeVerdict: true}

// askAlone gets the answer in the ward.
func (s *Stage) askAlone(parent context.Context, q *question) *Error {
	w := &s.p.ward
	if !w.enter(parent, q.key) {
		if parent.Err() != nil {
			return s.p.newCanceledError(parent)
		}
		return s.p.newFault(OutcomeOverload, "the process ended during calls of this key, which are made one at a time; too many wait")
	}
	defer w.leave()
	p, err := w.openProcess(parent, s.p)
	if err != nil {
		return err
	}
	switch err = s.askOnce(parent, q, p); {
	case err == nil:
		s.p.suspects.clear(q.key)
	case err.ended:
		s.p.suspects.add(true, q.key)
	}
	return err
}

// askOnce calls the plugin once.
func (s *Stage) askOnce(parent context.Context, q *question, p *process) *Error {
	ctx, cancel := context.WithTimeout(parent, s.spec.Timeout)
	defer cancel()
	if !p.ofWard {
		if !s.slots.Take(ctx) {
			if parent.Err() != nil {
				return s.p.newCanceledError(parent)
			}
			return s.p.newFault(OutcomeOverload, "too many calls are in progress")
		}
		defer s.slots.Release()
	}
	now := q.on
	if now == nil {
		starting, done := context.WithTimeout(parent, s.spec.Timeout+s.spec.StartTimeout)
		defer done()
		var down *Error
		if now, down = p.openSession(starting); down != nil {
			return down
		}
		if ctx, cancel = context.WithTimeout(parent, s.spec.Timeout); ctx.Err() != nil { // waiting for the start does not count
			cancel()
			return s.p.newCanceledError(parent)
		}
		defer cancel()
	} else if !now.isRunning() {
		return s.newLostError()
	}
	st := s.findState(q.x, q.own)
	r, err := now.ask(ctx, parent, q.key, q.ask(ctx), help{state: st, facts: &facts{s: s, x: q.x, own: q.own, phase: q.phase}})
	if err != nil {
		st.end(false)
		var e *Error
		if !errors.As(err, &e) {
			e = s.p.newFault(OutcomeFailed, "the call failed")
		}
		if q.on != nil && e.ended {
			return s.newLostError()
		}
		return e
	}
	if f := r.GetFailed(); f != nil {
		s.p.out.writeLine([]byte(f.Reason))
		st.end(false)
		return s.p.newFault(OutcomeFailed, "the plugin reports a failure; the log has its message")
	}
	if wrong := q.take(r); wrong != "" {
		st.end(false)
		return s.p.newFault(OutcomeVerdict, "%s", wrong)
	}
	st.end(true)
	return nil
}

// newLostError returns the fault of a stream whose process has ended. A restarted process has no state of the stream.
func (s *Stage) newLostError() *Error {
	return s.p.newFault(OutcomeCrash, "the plugin's process ended during the answer")
}

// Finish tells the plugin how the exchange ended, and settles what it took and did not settle, as used.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	o, ok := kept.(*own)
	if !ok {
		o = new(own)
	}
	a := &s.p.agreed
	if a.finish {
		// Failures are only counted: the exchange is over, so no caller can handle them.
		_ = s.call(ctx, &question{x: x, own: o, phase: abi.PhaseFinish, ask: func(ctx context.Context) *pb.FromHost {
			return &pb.FromHost{Body: &pb.FromHost_Finish{Finish: &pb.Finish{
				Exchange: a.told.buildExchange(x), Kept: o.kept, Answer: o.answer.readAnswer(),
				TimeoutMs: measureTimeLeft(ctx),
			}}}
		}, take: checkDone})
	}
	o.holds.settle(ctx, true)
}

// checkDone checks the answer to a call without a result. It returns what is wrong with the answer, or "".
func checkDone(m *pb.FromPlugin) string {
	if m.GetDone() == nil {
		return "the plugin answered with something that is not Done"
	}
	return ""
}
