package process

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/wasm"
)

// tripAfter is the number of faults in a row, of one key or of all, after which the canary runs.
const tripAfter = 5

// canary is the name of the synthetic exchange's tenant, key and model.
const canary = "canary"

// rehearsal is one call of a plugin with a synthetic exchange. It has all that the plugin is granted, and what the plugin does with that
// has no effect: its state is empty and forgotten, its events are dropped, and no upstream is called.
type rehearsal struct {
	s     *Stage
	x     *core.Exchange
	phase core.Phase
	own   own
}

// newRehearsal prepares a call in the first phase that the plugin names.
func (s *session) newRehearsal() *rehearsal {
	r := &rehearsal{x: wasm.NewRehearsal(canary)}
	for _, p := range []core.Phase{core.Response, core.Target, core.Request} {
		if s.p.agreed.phases.Has(p) {
			r.phase = p
		}
	}
	if r.x.Outcome = (core.Outcome{}); r.phase != core.Response {
		r.x.Response = core.Payload{}
	}
	found := r.phase
	if r.phase == core.Request {
		r.x.Target = core.TargetRef{}
	} else if r.phase == core.Target {
		found = core.Request
	}
	r.x.Findings = []core.Finding{{Link: canary, Label: "ANIMAL", Kind: core.FoundPII, Phase: found, Start: 16, End: 19, Score: 1}}
	spec := s.p.spec
	spec.State, spec.Silent = state.NewMemory(state.Options{}), true
	spec.Services = foreign.Services{Notify: func(context.Context, spending.Notice) {}, Calls: r}
	r.s = &Stage{p: s.p, spec: spec, shared: spec.State}
	return r
}

// Call implements foreign.Caller. It does not call the upstream.
func (r *rehearsal) Call(context.Context, *foreign.Call) (status int, answer []byte, err error) {
	return 0, nil, errNoUpstream
}

var errNoUpstream = errors.New("a canary calls no upstream")

// runCanary calls the plugin with a synthetic exchange. It returns what is wrong with the answer, or nil. The verdict does
// not matter.
func (s *session) runCanary(ctx context.Context) *Error {
	a, r := &s.p.agreed, s.newRehearsal()
	body := &r.x.Request
	if r.phase == core.Response {
		body = &r.x.Response
	}
	told, err := a.told.buildCheckedExchange(r.x, r.phase)
	whole, err2 := a.readBody(body)
	segments, at := a.listSegments(body)
	places, err3 := a.listPlaces(ctx, r.x, body, r.phase, at)
	if err != nil || err2 != nil || err3 != nil { // the body is the gateway's own, so only the time can be up
		return s.p.newFault(OutcomeFailed, "the canary cannot be built")
	}
	st := r.s.findState(r.x, &r.own)
	if st != nil {
		st.cancel()
		st.ctx, st.cancel = context.WithCancel(ctx) // a start has more time than a call
		defer st.end(false)
	}
	m := &pb.Check{
		Phase: pb.Phase(r.phase), Exchange: told, Segments: segments, Body: whole, Places: places, TimeoutMs: measureTimeLeft(ctx),
	}
	given := help{state: st, facts: &facts{s: r.s, x: r.x, own: &r.own, phase: uint32(r.phase)}}
	reply, failed := s.ask(ctx, ctx, noKey, &pb.FromHost{Body: &pb.FromHost_Check{Check: m}}, given)
	switch {
	case failed != nil:
		return s.p.newFault(OutcomeHang, "the plugin does not answer its canary")
	case reply.GetFailed() != nil && r.own.calls > 0:
		return nil // it may need the upstream, and works otherwise
	}
	var v core.Verdict
	read := reader{unit: a.unit, phase: r.phase, link: s.p.spec.Link, segments: segments, at: at, x: r.x, answer: answerNothing}
	if wrong := read.read(reply.GetVerdict(), &v); wrong != "" {
		return s.p.newFault(OutcomeVerdict, "the plugin fails its canary: %s", wrong)
	}
	return nil
}

// answerNothing accepts a text as the reply of a canary.
func answerNothing(*core.Exchange, string) (*core.Payload, error) { return new(core.Payload), nil }

// verifySession runs the canary, once for all calls that need it at the same time. If a session fails, it is ended,
// because a text may have left it in a bad state. The process that replaces it must pass the canary before it serves.
func (s *session) verifySession() {
	s.doubting.Lock()
	defer s.doubting.Unlock()
	if !s.isRunning() || s.p.measureUptime() < s.rested {
		return
	}
	s.p.faults.Reset()
	ctx, cancel := context.WithTimeout(context.Background(), s.p.spec.Timeout)
	defer cancel()
	err := s.runCanary(ctx)
	s.rested = s.p.measureUptime() + s.p.patience/2
	if err != nil {
		s.p.doubted.Store(true)
		s.fail(err)
	}
}
