package process

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/wasm/abi"
)

var errNoStreams = errors.New("the plugin does not inspect streamed answers")

// Stream opens a filter for one answer.
func (s *Stage) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	if !s.p.agreed.streams {
		return nil, errNoStreams
	}
	f := &filter{s: s, x: x}
	if o, ok := kept.(*own); ok {
		f.own = o
	} else {
		f.own, f.alone = new(own), true
	}
	now, err := s.openStream(ctx, x)
	if err != nil {
		s.p.counters.count(err.Outcome)
		return nil, err
	}
	f.session = now
	var opened *pb.Opened
	failed := s.call(ctx, &question{x: x, own: f.own, on: now, phase: abi.PhaseResponse, ask: func(ctx context.Context) *pb.FromHost {
		f.open = &pb.FromHost{
			Body: &pb.FromHost_Open{Open: &pb.Open{Exchange: s.p.agreed.told.buildExchange(x), Kept: f.own.kept, TimeoutMs: measureTimeLeft(ctx)}},
		}
		return f.open
	}, take: func(m *pb.FromPlugin) string {
		switch opened = m.GetOpened(); {
		case opened == nil:
			return "the plugin answered with something that is not Opened"
		case opened.Follows && opened.Withholds:
			return "the plugin withholds an answer that it only follows"
		}
		return ""
	}})
	if failed != nil {
		return nil, failed
	}
	f.id, f.open = f.open.Id, nil
	if opened.Skip {
		return nil, f.Close(ctx)
	}
	f.withholds, f.ends, f.late, f.follows = opened.Withholds, opened.Ends, opened.Late, opened.Follows
	if s.p.agreed.places && !f.follows {
		return informedFilter{f}, nil
	}
	return f, nil
}

// openStream returns the process for an answer. For a suspect it is the ward's, because the answer may contain what
// ends a process.
func (s *Stage) openStream(ctx context.Context, x *core.Exchange) (*session, *Error) {
	ctx, cancel := context.WithTimeout(ctx, s.spec.Timeout+s.spec.StartTimeout)
	defer cancel()
	p := s.p
	if key := formatKey(x); p.suspects.has(key) {
		if !p.ward.enter(ctx, key) {
			return nil, p.newFault(OutcomeOverload, "too many calls are in progress")
		}
		defer p.ward.leave()
		var err *Error
		if p, err = p.ward.openProcess(ctx, p); err != nil {
			return nil, err
		}
	}
	return p.openSession(ctx)
}

// filter passes a streamed answer to the plugin.
type filter struct {
	s       *Stage
	x       *core.Exchange
	own     *own
	alone   bool // the chain does not know own yet
	session *session
	open    *pb.FromHost
	id      uint64 // of the stream
	parts   []*pending

	withholds, ends, late, follows bool
}

var (
	_ core.Withholder = (*filter)(nil)
	_ core.Ender      = (*filter)(nil)
	_ core.LateFinder = (*filter)(nil)
)

// pending is text of one part that the plugin has not been shown.
type pending struct {
	part  core.Part
	bytes int
	text  []byte // for a plugin that follows: the text itself, which was already sent
}

// Withholds reports whether the plugin wants the whole answer before any of it is sent.
func (f *filter) Withholds() bool { return f.withholds }

// FindsLate reports whether the plugin may find something in text that was already released.
func (f *filter) FindsLate() bool { return f.late }

// Check shows the plugin a window, or holds the text back until there is enough of it.
func (f *filter) Check(ctx context.Context, w core.Window) (core.Verdict, int, error) {
	a := &f.s.p.agreed
	if !a.shows(core.RoleAssistant, w.Part.Kind) {
		return core.Verdict{Action: core.Pass}, 0, nil
	}
	wait := f.findPending(w.Part)
	if f.follows {
		return f.releaseWindow(ctx, wait, w)
	}
	wait.bytes += len(w.Text) - w.New
	fresh := wait.bytes
	if !w.Last && (fresh == 0 || fresh < a.streamBytes) {
		return core.Verdict{Action: core.Pass}, len(w.Text) - w.Sent, nil
	}
	wait.bytes = 0
	if w.Last {
		f.removePending(wait)
	}
	segment := []*pb.Segment{{Text: w.Text}}
	var v core.Verdict
	hold := 0
	err := f.call(ctx, abi.PhaseResponse, func(ctx context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_Window{Window: &pb.Window{
			Stream: f.id, Kind: pb.Kind(w.Part.Kind), Choice: w.Part.Choice, Index: w.Part.Index, Form: uint32(w.Part.Form),
			Text: w.Text, Sent: uint32(w.Sent), Fresh: uint32(len(w.Text) - fresh), Last: w.Last, TimeoutMs: measureTimeLeft(ctx),
			Places: a.listStreamedPlaces(&w),
		}}}
	}, func(m *pb.FromPlugin) string {
		r := reader{unit: a.unit, phase: core.Response, link: f.s.spec.Link, segments: segment}
		if wrong := r.read(m.GetVerdict(), &v); wrong != "" {
			return wrong
		}
		if hold = int(m.GetVerdict().GetHold()); hold > len(w.Text)-w.Sent || w.Last && hold > 0 {
			return "the plugin holds back text that it cannot hold: it was sent, or nothing comes after it"
		}
		return ""
	})
	if err != nil {
		return core.Verdict{}, 0, err
	}
	f.storeKept(&v)
	return v, hold, nil
}

// storeKept stores what the plugin keeps in the chain, until the exchange ends.
func (f *filter) storeKept(v *core.Verdict) {
	f.s.storeKept(f.own, v)
	if v.Keep != nil {
		f.alone = false
	}
}

// call makes a call on the stream. A process that was started after the stream was opened does not know the stream.
func (f *filter) call(
	ctx context.Context, phase uint32, ask func(context.Context) *pb.FromHost, take func(*pb.FromPlugin) string,
) error {
	return f.s.call(ctx, &question{x: f.x, own: f.own, on: f.session, phase: phase, ask: ask, take: take})
}

// lives reports whether the process in which the stream was opened still runs.
func (f *filter) lives() bool { return f.session.isRunning() }

// End asks the plugin for its last verdict.
func (f *filter) End(ctx context.Context) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	if !f.ends {
		return v, nil
	}
	err := f.call(ctx, abi.PhaseStreamEnd, func(ctx context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_End{End: &pb.End{
			Stream: f.id, TimeoutMs: measureTimeLeft(ctx),
			Finish: f.s.p.agreed.told.readFinishReason(f.x),
		}}}
	}, func(m *pb.FromPlugin) string {
		r := reader{unit: f.s.p.agreed.unit, phase: core.Response, link: f.s.spec.Link}
		if wrong := r.read(m.GetVerdict(), &v); wrong != "" {
			return wrong
		}
		if v.Action != core.Pass && v.Action != core.Block {
			return "the plugin's last word is neither PASS nor BLOCK"
		}
		return ""
	})
	if err != nil {
		return core.Verdict{}, err
	}
	f.storeKept(&v)
	return v, nil
}

// Close tells the plugin that the stream is over.
func (f *filter) Close(ctx context.Context) error {
	if f.alone {
		defer f.own.holds.settle(ctx, true)
	}
	if !f.lives() {
		return nil // the process that knew the stream has ended
	}
	err := f.call(context.WithoutCancel(ctx), abi.PhaseStreamEnd, func(context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_Close{Close: &pb.Close{Stream: f.id}}}
	}, checkDone)
	if !f.lives() {
		return nil // it ended just now
	}
	return err
}

// findPending returns the pending text of a part.
func (f *filter) findPending(part core.Part) *pending {
	for _, p := range f.parts {
		if p.part == part {
			return p
		}
	}
	p := &pending{part: part}
	f.parts = append(f.parts, p)
	return p
}

func (f *filter) removePending(p *pending) {
	for i, q := range f.parts {
		if q == p {
			f.parts = append(f.parts[:i], f.parts[i+1:]...)
			return
		}
	}
}
