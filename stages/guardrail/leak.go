package guardrail

import (
	"github.com/headgate-dev/headgate/core"
)

// leak finds the operator's instructions in an answer: a canary that was put into
// them, or a run of their very words. A translation or a summary is not found.
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

func (l *leak) look(c *check, dst []finding) []finding {
	dst = l.canaries.look(c, dst)
	if c.x == nil || c.phase != core.Response {
		return dst
	}
	set := &c.w.known[0]
	c.w.shingles.view.pace = &c.w.pace
	if !set.ready {
		for i := range c.x.Request.Segments {
			if s := &c.x.Request.Segments[i]; s.Role == core.RoleSystem && s.Kind != core.KindDefinition {
				c.w.shingles.add(set, c.x.Request.Text(i))
			}
		}
		set.finish()
	}
	if len(set.sorted) == 0 {
		return dst
	}
	if _, run, start, end := set.overlap(c.v); run > 0 {
		dst = append(dst, finding{start: start, end: end, score: min(1, 0.6*float32(run)/float32(l.words))})
	}
	return dst
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

func (e echo) look(c *check, dst []finding) []finding {
	if c.x == nil || c.phase != core.Response {
		return dst
	}
	if c.v.spell(); len(c.v.words) == 0 {
		return dst
	}
	set := &c.w.known[1]
	c.w.shingles.view.pace = &c.w.pace
	if !set.ready {
		for i := range c.x.Request.Segments {
			if s := &c.x.Request.Segments[i]; s.Role == core.RoleUser && s.Kind == core.KindText {
				c.w.shingles.add(set, c.x.Request.Text(i))
			}
		}
		set.finish()
	}
	covered, _, start, end := set.overlap(c.v)
	if covered >= e.words {
		dst = append(dst, finding{start: start, end: end, score: float32(covered) / float32(len(c.v.words))})
	}
	return dst
}
