package guardrail

import (
	"context"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// Name is the stage's name in the configuration.
const Name = "guardrail"

// Phases are those in which the stage has work to do.
var Phases = onBoth

// Stage runs the configured detectors over requests and answers.
type Stage struct {
	engine *engine
	roles  roleSet
	cut    cutting
	hold   bool
	whole  bool // a guard must see whole answers
	counts bool // a guard counts answers
	// peerWhole is true if a guard of requests must see whole texts, which answers of peers are to it.
	peerWhole bool
	config    settings
	memory    recall.Part
	shingled  recall.Part // for the shingles of texts
	labels    []string    // of findings, beside the names of guards
	pool      sync.Pool
}

var (
	_ core.Stage       = (*Stage)(nil)
	_ core.StreamStage = (*Stage)(nil)
	_ core.Finisher    = (*Stage)(nil)
)

// New makes the stage from its block of the configuration.
func New(s core.Settings) (core.Stage, error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, err
		}
	}
	return newStage(c)
}

func newStage(c settings) (*Stage, error) {
	st := &Stage{config: c, cut: cutting{c.Stream.Window, c.Stream.Overlap}, hold: c.Stream.Hold == nil || *c.Stream.Hold}
	if st.cut.window == 0 {
		st.cut.window = defaultWindow
	}
	if st.cut.overlap == 0 {
		st.cut.overlap = min(defaultOverlap, st.cut.window/4)
	}
	if st.cut.window < minWindow || st.cut.window > maxWindow {
		return nil, fmt.Errorf("stream.window %d: write %d to %d characters", st.cut.window, minWindow, maxWindow)
	}
	if st.cut.overlap < 0 || st.cut.overlap > st.cut.window/2 {
		return nil, fmt.Errorf("stream.overlap %d: write at most half of the window, %d", st.cut.overlap, st.cut.window/2)
	}
	var err error
	if st.roles, err = readRoles(c.Roles); err != nil {
		return nil, err
	}
	if st.engine, err = newEngine(c.Detectors); err != nil {
		return nil, err
	}
	for _, g := range st.engine.guards {
		if !g.phases.Has(core.Response) {
			st.peerWhole = st.peerWhole || g.whole && g.gate == nil
			continue
		}
		st.whole, st.counts = st.whole || g.whole, st.counts || g.counter != nil
		if !st.hold && g.action == actionRedact {
			return nil, fmt.Errorf("%s: an answer that is not held back cannot be redacted: write stream.hold: true, or another action", g.name)
		}
	}
	st.pool.New = func() any { return new(work) }
	return st, nil
}

// acquireWork returns the exchange's buffers: those it kept, or others.
func (s *Stage) acquireWork(kept any) *work {
	w, ok := kept.(*work)
	if !ok {
		w = s.pool.Get().(*work)
	}
	w.findings, w.edits, w.blocked, w.place, w.swap = w.findings[:0], w.edits[:0], nil, "", nil
	w.shingled = s.shingled
	return w
}

// keepBytes bounds the buffers that are kept.
const keepBytes = 1 << 20

// Finish takes the exchange's buffers back.
func (s *Stage) Finish(_ context.Context, _ *core.Exchange, kept any) {
	if w, ok := kept.(*work); ok && cap(w.view.norm) <= keepBytes && cap(w.findings) <= 1024 {
		w.pace = pace{}
		clear(w.edits[:cap(w.edits)]) // they point into the exchange's text
		clear(w.spans[:cap(w.spans)])
		w.view.raw, w.scan.window.raw, w.scan.second.raw, w.shingles.view.raw, w.definitions.view.raw = "", "", "", "", ""
		w.known[0].reset()
		w.known[1].reset()
		s.pool.Put(w)
	}
}

// Check looks at a whole request or answer.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	w := s.acquireWork(kept)
	w.pace.reset(ctx)
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	} else {
		s.runGates(x, w)
	}
	s.memory.LoadPrefix(&w.prefix, x, body, p)
	for i := 0; ; {
		if i = w.prefix.Skip(i); i >= len(body.Segments) {
			break
		}
		var m recall.Run
		recalled := false
		seg := &body.Segments[i]
		if p == core.Request {
			if !s.roles.has(seg) {
				i = findRunEnd(body.Segments, i)
				continue
			}
			m = s.memory.ComputeRun(x, body, i, p)
			if recalled = s.recall(w, &m); recalled && len(w.noted) == 0 {
				i += m.N
				continue
			}
		}
		run := body.FindRun(i)
		i += run.N
		c := check{x: x, w: w, phase: p, tool: seg.Kind == core.KindToolResult || seg.Role == core.RoleTool, first: true, last: true}
		w.spans, w.swap = w.spans[:0], nil
		note := func(g *guard, start, end int, f *finding) {
			if g.action == actionReplace && (c.tool && p == core.Request || p == core.Response && isPeer(x)) {
				w.swap = g
			} else if g.action != actionFlag && w.blocked == nil && c.tool {
				w.place = seg.Path()
			}
			w.note(g, core.Finding{Label: f.label, Kind: core.FoundDetector, Segment: run.First, Start: start, End: end, Score: f.score})
		}
		if p == core.Request {
			if !recalled {
				s.engine.scanPhase(&c, run.Text, w.recordFinding)
				s.storeFindings(w, &m)
			}
			if len(w.noted) > 0 {
				w.prefix.MarkRun(run.First)
			}
			for k := range w.noted {
				g, f := s.engine.guards[w.noted[k].guard], &w.noted[k].finding
				note(g, f.start, f.end, f)
				w.addSpan(g, f.start, f.end)
			}
		} else {
			if isPeer(x) && s.roles.has(seg) {
				c.definition = seg.Kind == core.KindDefinition
				s.scanPeerText(&c, run.Text, note)
				c.definition = false
			}
			s.judgeAnswer(&c, run.Text, note)
		}
		if err := w.pace.checkPace(); err != nil {
			return core.Verdict{}, err // the client has left: what was not read was not judged
		}
		if w.swap != nil {
			w.spans = append(w.spans[:0], span{0, len(run.Text), formatNotice(w.swap, seg)})
		}
		for _, sp := range w.mergeSpans() {
			w.edits = body.AppendEdits(w.edits, run, sp.start, sp.end, sp.with, "")
		}
	}
	w.prefix.Store()
	v := w.buildVerdict(p)
	v.Keep = w
	return v, nil
}

// findRunEnd returns the segment behind the run that starts at i.
func findRunEnd(segments []core.Segment, i int) int {
	for i++; i < len(segments) && segments[i].Joined; i++ {
	}
	return i
}

// runGates asks the detectors that look at the exchange as a whole.
func (s *Stage) runGates(x *core.Exchange, w *work) {
	for _, g := range s.engine.guards {
		if g.gate == nil || !g.phases.Has(core.Request) {
			continue
		}
		if score := g.gate.judge(x); score > 0 && score >= g.threshold {
			w.note(g, core.Finding{Label: g.name, Kind: core.FoundDetector, Segment: -1, Score: score})
		}
	}
}

// judgeAnswer judges a whole answer by the windows that a stream would have.
func (s *Stage) judgeAnswer(c *check, text string, note func(g *guard, start, end int, f *finding)) {
	if s.whole || s.counts {
		s.engine.judgeWholeAnswer(c, text, true, note)
	}
	for at := 0; ; {
		next, done := s.scanWindow(c, text[at:], at == 0, true, func(g *guard, f finding) {
			note(g, at+f.start, at+f.end, &f)
			c.w.addSpan(g, at+f.start, at+f.end)
		})
		if done {
			return
		}
		at += next
	}
}

// note keeps a finding, and the first that blocks.
func (w *work) note(g *guard, f core.Finding) {
	w.findings = append(w.findings, f)
	if w.blocked == nil && (g.action == actionBlock || g.action == actionReplace && w.swap != g) {
		w.blocked = g // an order in what a user wrote cannot be replaced: the user wants it
	}
}

// addSpan keeps a place to overwrite.
func (w *work) addSpan(g *guard, start, end int) {
	if g.action == actionRedact && start < end {
		w.spans = append(w.spans, span{start, end, g.replacement})
	}
}

func (w *work) buildVerdict(p core.Phase) core.Verdict {
	v := core.Verdict{Action: core.Pass, Findings: w.findings}
	switch {
	case w.blocked != nil:
		v.Action, v.Err = core.Block, newGuardRefusal(w.blocked.name, w.place, p)
	case len(w.edits) > 0:
		v.Action, v.Edits = core.Rewrite, w.edits
	}
	return v
}

// newGuardRefusal returns the error of a block. It names the detector, the tool result that was refused, and nothing that was found.
func newGuardRefusal(name, place string, p core.Phase) *core.Error {
	public := fmt.Sprintf("the request was refused by the guardrail %q; change it and try again", name)
	if place != "" {
		public = fmt.Sprintf("the guardrail %q refused the tool result in %s; send the request without it, or with another text there", name, place)
	}
	if p == core.Response {
		public = fmt.Sprintf("the answer was withheld by the guardrail %q", name)
	}
	return &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: public}
}
