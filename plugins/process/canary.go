package process

import (
	"context"
	"net/url"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// tripAfter is the number of faults in a row, of one key or of all, after which the canary runs.
const tripAfter = 5

// canaryText is the text of the canary. It is fixed, so clients cannot influence it.
const canaryText = "The quick brown fox, 0123456789 and Grüße from 東京."

// runCanary calls the plugin with a synthetic exchange. It returns what is wrong with the answer, or nil. The verdict does
// not matter.
func (s *session) runCanary(ctx context.Context) *Error {
	a, x := &s.p.agreed, &core.Exchange{
		ID: "canary", Trace: "canary", Dialect: "openai.chat", Principal: &core.Principal{Tenant: "canary", KeyID: "canary"},
		Head: core.Head{Model: "canary"},
	}
	m := &pb.Check{Phase: pb.Phase(core.Request), Exchange: a.told.buildExchange(x)}
	for _, p := range []core.Phase{core.Response, core.Target, core.Request} {
		if a.phases.Has(p) {
			m.Phase = pb.Phase(p)
		}
	}
	role := core.RoleUser
	if m.Phase == pb.Phase_PHASE_RESPONSE {
		role = core.RoleAssistant
	}
	if a.shows(role, core.KindText) {
		m.Segments = []*pb.Segment{{Role: pb.Role(role), Kind: pb.Kind(core.KindText), Path: "messages.0.content", Text: canaryText}}
	}
	var st *stateOf
	if a.state {
		st = &stateOf{holds: new(holds), part: part{
			state:  core.OpenSpace(s.p.spec.State, "process:"+s.p.spec.Link),
			prefix: "{plugin:" + s.p.spec.Link + ":" + url.PathEscape("canary ") + "}", // no tenant name ends in a blank
		}}
		st.ctx, st.cancel = context.WithCancel(ctx)
		defer st.end(false)
	}
	m.TimeoutMs = measureTimeLeft(ctx)
	r, err := s.ask(ctx, ctx, noKey, &pb.FromHost{Body: &pb.FromHost_Check{Check: m}}, help{state: st})
	if err != nil {
		return s.p.newFault(OutcomeHang, "the plugin does not answer its canary")
	}
	var v core.Verdict
	read := reader{unit: a.unit, phase: core.Phase(m.Phase), link: s.p.spec.Link, segments: m.Segments, at: make([]int, len(m.Segments)), x: x}
	if wrong := read.read(r.GetVerdict(), &v); wrong != "" {
		return s.p.newFault(OutcomeVerdict, "the plugin fails its canary: %s", wrong)
	}
	return nil
}

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
