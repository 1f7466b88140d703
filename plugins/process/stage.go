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
)

// Stage is a plugin as a link of the chain.
type Stage struct {
	host  *Host
	p     *process
	spec  Spec
	slots *remote.Slots
	once  sync.Once
	err   error
}

var (
	_ core.StreamStage = (*Stage)(nil)
	_ core.Finisher    = (*Stage)(nil)
	_ core.Closer      = (*Stage)(nil)
)

func newStage(h *Host, p *process, spec Spec) *Stage {
	spec.State = core.SpaceOf(spec.State, "process:"+spec.Link)
	return &Stage{host: h, p: p, spec: spec, slots: remote.NewSlots(spec.Calls)}
}

// String names the link: a stage holds an environment, and must not be printed whole.
func (s *Stage) String() string { return fmt.Sprintf("process %q", s.spec.Link) }

// GoString does the same for the %#v verb.
func (s *Stage) GoString() string { return s.String() }

// Phases are those that the plugin is made for.
func (s *Stage) Phases() core.Phases { return s.p.agreed.phases }

// Stats are the plugin's counters.
func (s *Stage) Stats() Stats { return s.p.stats() }

// Close lets go of the process. The last link that does ends it.
func (s *Stage) Close(ctx context.Context) error {
	s.once.Do(func() { s.err = s.host.release(ctx, s.p) })
	return s.err
}

// own is what is kept for one exchange: the plugin's own bytes, and what it has taken
// and not settled.
type own struct {
	kept  []byte
	holds holds
}

// Check asks the plugin about a whole request or answer.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	o, ok := kept.(*own)
	if !ok {
		o = new(own)
	}
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	a := &s.p.agreed
	segments, at := a.segments(body)
	told, err := a.told.checked(x, p)
	if err != nil {
		return core.Verdict{}, s.p.fault(OutcomeFailed, "the digest of the request cannot be told")
	}
	var v core.Verdict
	err = s.call(ctx, x, o, nil, func(ctx context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_Check{Check: &pb.Check{
			Phase: pb.Phase(p), Exchange: told, Segments: segments, Kept: o.kept, TimeoutMs: left(ctx),
		}}}
	}, func(m *pb.FromPlugin) string {
		r := reader{unit: a.unit, phase: p, link: s.spec.Link, segments: segments, at: at, x: x, answer: s.spec.Answer}
		return r.read(m.GetVerdict(), &v)
	})
	if err != nil {
		return core.Verdict{}, err
	}
	s.keep(o, &v)
	return v, nil
}

// keep puts what the plugin asked to keep, and what it took, where it is found again.
func (s *Stage) keep(o *own, v *core.Verdict) {
	if b, ok := v.Keep.([]byte); ok {
		o.kept, v.Keep = b, nil
	}
	if len(o.kept) > 0 || o.holds.any() {
		v.Keep = o
	}
}

// call makes one call to the plugin. on is the session that the call belongs to, nil for
// the one that runs. take reads the answer, and says what is wrong with it, if anything is.
func (s *Stage) call(
	parent context.Context,
	x *core.Exchange,
	o *own,
	on *session,
	ask func(context.Context) *pb.FromHost,
	take func(*pb.FromPlugin) string,
) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(parent, s.spec.Timeout)
	defer cancel()
	permit, err := s.p.breaker.allow()
	if err == nil {
		err = s.attempt(ctx, parent, x, o, on, ask, take)
		s.p.breaker.report(permit, err)
	}
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

func (s *Stage) attempt(
	ctx, parent context.Context,
	x *core.Exchange,
	o *own,
	on *session,
	ask func(context.Context) *pb.FromHost,
	take func(*pb.FromPlugin) string,
) *Error {
	if !s.slots.Take(ctx) {
		if parent.Err() != nil {
			return s.p.gone(parent)
		}
		return s.p.fault(OutcomeOverload, "too many calls are under way")
	}
	defer s.slots.Give()
	now, down := s.p.session()
	if on != nil && now != on && (down == nil || down.Outcome == OutcomeDown) {
		return s.lost()
	}
	if down != nil {
		return down
	}
	st := s.state(x, o)
	r, err := now.ask(ctx, parent, ask(ctx), st)
	if err != nil {
		st.end(false)
		var e *Error
		if !errors.As(err, &e) {
			e = s.p.fault(OutcomeFailed, "the call failed")
		}
		if on != nil && e.Outcome == OutcomeDown {
			return s.lost()
		}
		return e
	}
	wrong := ""
	if f := r.GetFailed(); f != nil {
		s.p.out.line([]byte(f.Reason))
		st.end(false)
		return s.p.fault(OutcomeFailed, "it says that it failed; what it says is in the log")
	}
	if wrong = take(r); wrong != "" {
		st.end(false)
		return s.p.fault(OutcomeVerdict, "%s", wrong)
	}
	st.end(true)
	return nil
}

// lost describes a stream whose process is gone. One that was started since knows nothing of it.
func (s *Stage) lost() *Error { return s.p.fault(OutcomeCrash, "its process ended during the answer") }

// Finish tells the plugin how the exchange has ended, and puts what it has taken and not
// settled where it belongs: what was taken counts as used.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	o, ok := kept.(*own)
	if !ok {
		o = new(own)
	}
	a := &s.p.agreed
	if a.finish {
		// What goes wrong is counted; there is nobody left to be told.
		_ = s.call(ctx, x, o, nil, func(ctx context.Context) *pb.FromHost {
			return &pb.FromHost{Body: &pb.FromHost_Finish{Finish: &pb.Finish{Exchange: a.told.exchange(x), Kept: o.kept, TimeoutMs: left(ctx)}}}
		}, done)
	}
	o.holds.settle(ctx, s.spec.State, true)
}

// done takes the answer to a call that has no result.
func done(m *pb.FromPlugin) string {
	if m.GetDone() == nil {
		return "it answered with something that is not Done"
	}
	return ""
}
