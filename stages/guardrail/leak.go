package guardrail

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

// leak finds the operator's instructions in an answer: a canary that was put into them, or a run of their exact words. It
// misses translations and summaries.
type leak struct {
	canaries literals
	words    int
}

// defaultLeakWords is the run of equal words that reaches the default threshold.
const defaultLeakWords = 16

func newLeak(d *detectorSettings, e *engine) (detector, error) {
	l := &leak{literals{e, 1}, d.MinWords}
	if l.words <= 0 {
		l.words = defaultLeakWords
	}
	return l, addLiterals(e, d.Canaries, false)
}

func (l *leak) detect(c *check, dst []finding) []finding {
	dst = l.canaries.detect(c, dst)
	if c.x == nil || c.phase != core.Response {
		return dst
	}
	set := c.readInstructions()
	if len(set.sorted) == 0 {
		return dst
	}
	if _, run, start, end := set.measureOverlap(c.v); run > 0 {
		dst = append(dst, finding{start: start, end: end, score: min(1, 0.6*float32(run)/float32(l.words))})
	}
	return dst
}

// readInstructions returns the words of the operator's instructions. It reads them once.
func (c *check) readInstructions() *shingleSet {
	return c.readRequest(0, func(s *core.Segment) bool { return s.Role == core.RoleSystem && s.Kind != core.KindDefinition })
}

// readPrompt returns the words of the user's texts. It reads them once.
func (c *check) readPrompt() *shingleSet {
	return c.readRequest(1, func(s *core.Segment) bool { return s.Role == core.RoleUser && s.Kind == core.KindText })
}

func (c *check) readRequest(which int, wanted func(*core.Segment) bool) *shingleSet {
	set := &c.w.known[which]
	c.w.shingles.view.pace = &c.w.pace
	if set.ready {
		return set
	}
	for i := range c.x.Request.Segments {
		if wanted(&c.x.Request.Segments[i]) {
			c.w.addShingles(set, c.x, i)
		}
	}
	set.finish()
	return set
}

// echo finds answers that repeat what the user wrote.
type echo struct{ words int }

// defaultEchoWords is how many words an answer must repeat to be judged.
const defaultEchoWords = 20

func newEcho(d *detectorSettings, _ *engine) (detector, error) {
	w := d.MinWords
	if w <= 0 {
		w = defaultEchoWords
	}
	return echo{w}, nil
}

func (e echo) detect(c *check, dst []finding) []finding {
	if c.x == nil || c.phase != core.Response {
		return dst
	}
	if c.v.ensureWords(); len(c.v.words) == 0 {
		return dst
	}
	set := c.readPrompt()
	covered, _, start, end := set.measureOverlap(c.v)
	if covered >= e.words {
		dst = append(dst, finding{start: start, end: end, score: float32(covered) / float32(len(c.v.words))})
	}
	return dst
}

// ReleaseRequest implements chain.RequestReleaser. Detectors that compare an answer with its request read the request now.
func (s *Stage) ReleaseRequest(ctx context.Context, x *core.Exchange, kept any) bool {
	w, ok := kept.(*work)
	if !ok {
		return false
	}
	w.pace.reset(ctx)
	c := &check{x: x, w: w, phase: core.Response}
	for _, g := range s.engine.guards {
		switch g.detector.(type) {
		case *leak:
			c.readInstructions()
		case echo:
			c.readPrompt()
		}
	}
	if !w.pace.isStopped() {
		return true
	}
	w.known[0].reset() // they may be incomplete
	w.known[1].reset()
	return false
}
