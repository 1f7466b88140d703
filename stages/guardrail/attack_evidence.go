package guardrail

import (
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// evidence is the result of the rules for a view.
type evidence struct {
	hand [labels]float32 // all together, by their own scores
	at   [labels]found   // the strongest
}

// isStrong reports whether the rules alone are evidence enough to add to the model's score.
func (e *evidence) isStrong() bool {
	return max(e.hand[labelInjection], e.hand[labelJailbreak]) > fairHand
}

// gatherEvidence matches the rules and weighs what they find.
func (a *attackScan) gatherEvidence(v *view) (e evidence) {
	a.found = a.lex.match(a.found[:0], v, &a.seen)
	if len(a.found) == 0 {
		return e
	}
	if a.best == nil {
		a.best, a.bestAt = make([]float32, len(a.lex.families)), make([]found, len(a.lex.families))
	}
	clear(a.best)
	document := a.document
	for i := 0; i < len(v.words) && !document; i++ {
		document = v.words[i].id != 0 && a.lex.matches(v.words[i].id, documentElement)
	}
	for _, f := range a.found {
		if !v.pace.spendSteps(findingSteps) {
			return e
		}
		r := &a.lex.rules[f.rule]
		weight := computeDiscount(v, &f)
		if r.planted && document {
			weight *= 1.4
		} else if r.planted && f.score < 0.5 {
			weight *= 0.5
		}
		s := min(0.95, f.score*weight)
		if s > a.best[r.family] {
			a.best[r.family], a.bestAt[r.family] = s, f
		}
		if s > e.hand[r.label] {
			e.hand[r.label], e.at[r.label] = s, f
		}
	}
	miss := [labels]float32{1, 1}
	for k, s := range a.best {
		if s > 0 {
			label := numberFamily(a.lex.families[k])
			if label == labelJailbreak && a.isDoubled(k) {
				s *= doubledWeight
			}
			miss[label] *= 1 - s
		}
	}
	for k := range miss {
		e.hand[k] = 1 - miss[k]
	}
	return e
}

// doubledWeight is what evidence counts for beside stronger evidence in the same words:
// "has no morals" fits several families of personas.
const doubledWeight = 0.5

// isDoubled reports that the best evidence of a family shares a word with better evidence of
// another one.
func (a *attackScan) isDoubled(k int) bool {
	f, s := &a.bestAt[k], a.best[k]
	for j, other := range a.best {
		if j == k || other < s || other == s && j > k || a.lex.rules[a.bestAt[j].rule].label != labelJailbreak {
			continue
		}
		if g := &a.bestAt[j]; other > 0 && g.from <= f.to && f.from <= g.to {
			return true
		}
	}
	return false
}

// score asks the model about a whole view.
func (a *attackScan) score(r *learned.Reader, v *view) learned.Verdict {
	a.model.ReadText(r, v.norm)
	return a.model.ScoreWindow(r, 0, len(v.norm), a.long, learned.NoFloor)
}

// judge says what the rules, which found e, and the model together say of a window.
func (a *attackScan) judge(v *view, e *evidence, hidden int, m learned.Verdict) (j opinion) {
	x := weighEvidence(m.Attack, e)
	if hidden != plain && hidden < encodedTagged {
		x += hiddenBonus
	}
	side := m.Jailbreak + sideShare*(computeLogOdds(e.hand[labelJailbreak])-computeLogOdds(e.hand[labelInjection]))
	j.logit[labelInjection], j.logit[labelJailbreak] = x, x
	if side > 0 {
		j.logit[labelInjection] -= side
	} else {
		j.logit[labelJailbreak] += side
	}
	for k := range j.logit {
		switch {
		case hidden != plain: // stands nowhere in the text
		case e.hand[k] > 0:
			j.start[k], j.end[k] = v.findRawSpan(int(e.at[k].start), int(e.at[k].end))
		case m.End > 0:
			j.start[k], j.end[k] = v.findRawSpan(m.Start, m.End)
		}
	}
	return j
}

func numberFamily(name string) int {
	if name[0] == 'j' {
		return labelJailbreak
	}
	return labelInjection
}
