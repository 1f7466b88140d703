package guardrail

import (
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// engine holds the configured detectors and what they share: one automaton for all
// literals, and the attack rules.
type engine struct {
	kinds    map[string]kind
	guards   []*guard
	literals []string
	owner    []literalUse // of each literal
	auto     *match.Automaton
	longest  int    // bytes of the longest literal
	answers  subset // what detectors look for in answers
	attacks  bool   // the attack rules are asked
	model    *learned.Model
}

// literalUse says whose a literal is.
type literalUse struct {
	guard   int
	group   int  // the guard's own: a topic, a rule
	bounded bool // counts between words only
}

// newEngine makes the detectors.
func newEngine(ds []detectorSettings) (*engine, error) {
	e := &engine{kinds: buildKindTable()}
	if len(ds) == 0 {
		ds = listDefaultSet()
	}
	for i := range ds {
		g, err := newGuard(ds[i], e)
		if err != nil {
			return nil, fmt.Errorf("detectors[%d]: %w", i, err)
		}
		g.number = i
		e.guards = append(e.guards, g)
	}
	if e.attacks {
		attackLiterals()
		asciiPhrases()
		disguised() // made here, so that no request waits for it
		shiftedWords()
		respelt()
		var err error
		if e.model, err = learned.Embedded(); err != nil {
			return nil, err
		}
	}
	for _, l := range e.literals {
		e.longest = max(e.longest, len(l))
	}
	if len(e.literals) > 0 {
		e.auto = match.New(e.literals, match.Options{AnySpaces: true})
		e.answers = e.findSubset(core.Response)
	}
	return e, nil
}

// subset is an automaton of some of an engine's literals: a small automaton stays in the processor's caches.
type subset struct {
	auto *match.Automaton // nil if there are no literals
	ids  []int32          // the engine's number of each

	longest int // bytes of the longest literal; only of asciiPhrases
}

// findSubset returns the automaton of the literals that matter in a phase.
func (e *engine) findSubset(p core.Phase) (s subset) {
	var literals []string
	for k, use := range e.owner {
		if e.guards[use.guard].phases.Has(p) {
			literals, s.ids = append(literals, e.literals[k]), append(s.ids, int32(k))
		}
	}
	if len(literals) > 0 {
		s.auto = match.New(literals, match.Options{AnySpaces: true})
	}
	return s
}

// scan appends the hits of the subset, by the engine's numbers.
func (s *subset) scan(dst []match.Hit, text []byte, longest int, p *pace) []match.Hit {
	if s.auto == nil {
		return dst
	}
	n := len(dst)
	dst = appendHits(dst, s.auto, text, longest, p)
	for i := n; i < len(dst); i++ {
		dst[i].Literal = s.ids[dst[i].Literal]
	}
	return dst
}

// appendHits appends all hits of an automaton in a text. It reads long texts in blocks, which overlap by the
// longest literal, and looks at the context between them.
func appendHits(dst []match.Hit, auto *match.Automaton, text []byte, longest int, p *pace) []match.Hit {
	if len(text) <= paceSteps {
		p.spendSteps(len(text))
		return auto.AppendAll(dst, text)
	}
	for from := 0; from < len(text) && p.spendSteps(min(len(text)-from, paceSteps)); from += paceSteps {
		back := min(from, longest)
		n := len(dst)
		dst = auto.AppendAll(dst, text[from-back:min(len(text), from+paceSteps)])
		keep := n
		for _, h := range dst[n:] {
			h.Start, h.End = h.Start+int32(from-back), h.End+int32(from-back)
			if int(h.End) > from { // else the block before has it
				dst[keep] = h
				keep++
			}
		}
		dst = dst[:keep]
	}
	return dst
}

// listDefaultSet returns what runs when no detector is configured.
func listDefaultSet() []detectorSettings {
	return []detectorSettings{
		{Type: "prompt_injection"},
		{Type: "jailbreak"},
		{Type: "secrets"},
		{Type: "invisible_text"},
		{Type: "system_prompt_leak"},
	}
}

// addLiteral adds a literal for the guard that is being made.
func (e *engine) addLiteral(text string, group int, bounded bool) error {
	f := foldText(text)
	if f == "" || strings.IndexByte(f, foldedAway) >= 0 {
		return fmt.Errorf("%q is empty or contains a character that is neither a letter, a digit nor punctuation; write a regex detector for it", text)
	}
	e.literals = append(e.literals, f)
	e.owner = append(e.owner, literalUse{guard: len(e.guards), group: group, bounded: bounded})
	return nil
}

// scanPhase asks each guard of the phase about a whole text. visit gets what reaches a
// guard's threshold.
func (e *engine) scanPhase(c *check, text string, visit func(g *guard, f finding)) {
	e.runGuards(c, text, func(g *guard) bool { return g.gate == nil }, visit)
}

// scanWindow asks the guards about one window of an answer.
func (e *engine) scanWindow(c *check, text string, visit func(g *guard, f finding)) {
	e.runGuards(c, text, func(g *guard) bool { return !g.whole && g.counter == nil }, visit)
}

// judgeWholeAnswer asks the guards that must see a whole answer, and, unless a stream has
// counted already, those that count it.
func (e *engine) judgeWholeAnswer(c *check, text string, counters bool, note func(g *guard, start, end int, f *finding)) {
	first, last := c.first, c.last
	c.first, c.last = true, true
	e.runGuards(
		c,
		text,
		func(g *guard) bool { return g.whole || counters && g.counter != nil },
		func(g *guard, f finding) { note(g, f.start, f.end, &f) },
	)
	c.first, c.last = first, last
}

// buildView makes the view of a text that all guards share.
func (e *engine) buildView(c *check, text string) {
	w := c.w
	w.view.pace = &w.pace
	w.view.read(text)
	c.v = &w.view
	switch {
	case c.phase == core.Response && !c.peer:
		w.view.hits = e.answers.scan(w.view.hits[:0], w.view.norm, e.longest, &w.pace)
	case e.auto != nil:
		w.view.hits = appendHits(w.view.hits[:0], e.auto, w.view.norm, e.longest, &w.pace)
	}
	w.attacked = false
}

// scan asks all guards, whatever their phases. visit gets all that they find.
func (e *engine) scan(c *check, text string, visit func(g *guard, f finding)) {
	e.buildView(c, text)
	for _, g := range e.guards {
		c.guard = g
		if c.w.pace.isStopped() {
			return
		}
		c.w.found = g.detector.detect(c, c.w.found[:0])
		for _, f := range c.w.found {
			visit(g, f)
		}
	}
}

// runGuards reads a text once and asks the guards that are wanted.
func (e *engine) runGuards(c *check, text string, wanted func(g *guard) bool, visit func(g *guard, f finding)) {
	e.buildView(c, text)
	w := c.w
	for _, g := range e.guards {
		if !g.phases.Has(c.phase) && (!c.peer || g.gate != nil) || !wanted(g) {
			continue
		}
		c.guard = g
		if w.pace.isStopped() {
			return
		}
		w.found = g.detector.detect(c, w.found[:0])
		for _, f := range w.found {
			if f.score >= g.threshold {
				if f.label == "" {
					f.label = g.name
				}
				visit(g, f)
			}
		}
	}
}

// visitHits calls visit for the literals of the guard at hand, in the order of their ends.
func (e *engine) visitHits(c *check, visit func(h match.Hit, use literalUse)) {
	for _, h := range c.v.hits {
		use := e.owner[h.Literal]
		if !c.w.pace.spendSteps(1) {
			return
		}
		if use.guard != c.guard.number || use.bounded && (!c.v.isBoundary(int(h.Start)) || !c.v.isBoundary(int(h.End))) {
			continue
		}
		visit(h, use)
	}
}

// judgeAttack returns the verdict of the attack rules, which two detectors share.
func (e *engine) judgeAttack(c *check) *attack {
	w := c.w
	if !w.attacked {
		w.attacked = true
		w.scan.lex, w.scan.auto, w.scan.model, w.scan.document = attackWords(), attackLiterals(), e.model, c.tool
		w.attack = w.scan.run(c.v)
	}
	return &w.attack
}

// newAttack returns the detector of one label.
func newAttack(label int) func(*detectorSettings, *engine) (detector, error) {
	return func(_ *detectorSettings, e *engine) (detector, error) {
		e.attacks = true
		return &attackDetector{e, label}, nil
	}
}

type attackDetector struct {
	e     *engine
	label int
}

func (d *attackDetector) detect(c *check, dst []finding) []finding {
	a := d.e.judgeAttack(c)
	f := finding{start: a.start[d.label], end: a.end[d.label], score: a.score[d.label]}
	if c.definition && d.label == labelInjection {
		if g := c.w.definitions.judge(c.v); g.score > f.score {
			f = g
		}
	}
	return append(dst, f)
}
