package guardrail

import (
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// attack is what the attack detectors say of a text.
type attack struct {
	score [labels]float32
	start [labels]int // of the strongest evidence, in the raw text
	end   [labels]int
}

// attackScan looks for prompt injection and jailbreaks. Its buffers are reused.
type attackScan struct {
	lex     *lexicon
	second  view // of what a text hides
	found   []found
	seen    presence
	decoded []byte
	again   []byte    // what decoded hides in turn
	best    []float32 // score of each family
	bestAt  []found   // where it was found
	values  []float32 // weight of each rule
	model   *model    // nil: the rules alone
	sums    [labels]float32
	open    [labels]float32 // what the rules say of the text as it stands

	document bool // the text comes from a tool: what is planted in it counts for more
}

// findingSteps is about what a look around a finding reads: twice 400 bytes, for quotation marks.
const findingSteps = 800

// maxLift bounds how far the model may raise what rules and sense say: it knows few kinds
// of harmless text, and must not find an attack where they see nothing.
const maxLift = 0.25

// modelShare is the share of the model in the score.
const modelShare = 0.65

// hiddenBonus is added to what is found in a hidden text: an innocent one seldom hides
// anything.
const hiddenBonus = 0.15

// run scores a view whose words are named.
func (a *attackScan) run(v *view, auto *match.Automaton, base int32) attack {
	var out attack
	a.judge(v, &out, plain)
	a.hiddenIn(v, auto, base, &out)
	return out
}

// evidence is what the rules say of a view.
type evidence struct {
	hand  [labels]float32 // all together, by their own scores
	at    [labels]found   // the strongest
	sense float32         // of the most suspicious sentence
}

// gather matches the rules and weighs what they find. a.values gets the weight of
// each rule.
func (a *attackScan) gather(v *view) (e evidence) {
	a.found = a.lex.match(a.found[:0], v, &a.seen)
	if a.best == nil {
		a.best, a.values = make([]float32, len(a.lex.families)), make([]float32, len(a.lex.rules))
		a.bestAt = make([]found, len(a.lex.families))
	}
	clear(a.best)
	clear(a.values)
	if len(a.found) == 0 {
		return e
	}
	document := a.document
	for i := 0; i < len(v.words) && !document; i++ {
		document = v.words[i].id != 0 && a.lex.matches(v.words[i].id, documentElement)
	}
	for _, f := range a.found {
		if !v.pace.spend(findingSteps) {
			return e
		}
		r := &a.lex.rules[f.rule]
		weight := discount(v, &f)
		if r.planted && document {
			weight *= 1.4
		} else if r.planted && f.score < 0.5 {
			weight *= 0.5
		}
		s := min(0.95, f.score*weight)
		a.values[f.rule] = max(a.values[f.rule], weight)
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
			label := familyLabel(a.lex.families[k])
			if label == labelJailbreak && a.doubled(k) {
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

// addSense adds the sense of the sentences to what the rules say.
func (a *attackScan) addSense(v *view, e *evidence) {
	if a.model == nil {
		return
	}
	var s sentence
	e.sense, s = a.model.sense.score(a.lex, v)
	x := evident(e.sense)
	if x == 0 {
		return
	}
	if e.hand[labelInjection] < x { // nothing that the rules found is as strong
		e.at[labelInjection] = found{start: v.words[s.start].start, end: v.words[s.end-1].end}
	}
	e.hand[labelInjection] = 1 - (1-e.hand[labelInjection])*(1-x)
}

// doubledWeight is what evidence counts for beside stronger evidence in the same words:
// "has no morals" fits several families of personas.
const doubledWeight = 0.5

// doubled reports that the best evidence of a family shares a word with better evidence of
// another one.
func (a *attackScan) doubled(k int) bool {
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

// judge adds what the rules and the model say of one view.
func (a *attackScan) judge(v *view, out *attack, hidden int) {
	e := a.gather(v)
	a.addSense(v, &e)
	summed := false
	for k := range out.score {
		s := e.hand[k]
		if hidden != plain && s < max(0.45, a.open[k]+0.1) {
			continue // nothing that the text does not say openly
		}
		if a.model != nil {
			if !summed {
				a.sums, summed = a.model.wordSums(v), true
			}
			s = min(modelShare*a.blend(k, &e)+(1-modelShare)*s, s+maxLift)
		}
		if hidden == plain {
			a.open[k] = e.hand[k]
		} else {
			s = min(1, s+hiddenBonus)
		}
		if s <= out.score[k] {
			continue
		}
		out.score[k] = s
		switch {
		case hidden != plain || e.hand[k] == 0:
			out.start[k], out.end[k] = 0, len(v.raw)
		default:
			out.start[k], out.end[k] = v.rawSpan(int(e.at[k].start), int(e.at[k].end))
		}
	}
}

func familyLabel(name string) int {
	if name[0] == 'j' {
		return labelJailbreak
	}
	return labelInjection
}

// minSpaced is how many letters must stand alone in a row to be read as words.
const minSpaced = 5

// hiddenIn looks at what a text hides: encodings two levels deep, all else one.
func (a *attackScan) hiddenIn(v *view, auto *match.Automaton, base int32, out *attack) {
	var kind int
	if a.decoded, kind = decodeRuns(a.decoded[:0], v.raw, v.pace); kind != plain {
		a.look(auto, base, out, kind)
		if a.again, kind = decodeRuns(a.again[:0], string(a.decoded), v.pace); kind != plain {
			a.decoded, a.again = a.again, a.decoded
			a.look(auto, base, out, kind)
		}
	}
	d := readDisguises(v)
	if d.leets >= 2 && a.lex.leets(v.norm) {
		a.decoded = a.lex.appendLeet(a.decoded[:0], v.norm)
		a.look(auto, base, out, encodedLeet)
	}
	if d.spaced >= minSpaced {
		a.decoded = appendJoined(a.decoded[:0], v)
		a.look(auto, base, out, encodedSpaced)
	}
	if d.long || d.spaced >= minUnspaced {
		var cut bool
		if a.decoded, cut = appendUnspaced(a.decoded[:0], v, a.lex); cut || d.spaced >= minUnspaced || !v.ascii {
			a.look(auto, base, out, encodedUnspaced)
		}
	}
	if by, backwards, ok := d.votes.best(); ok {
		a.decoded = appendShifted(a.decoded[:0], v.norm, by, backwards)
		a.look(auto, base, out, encodedShift)
	}
	if !v.ascii {
		if a.decoded = appendTurned(a.decoded[:0], v.norm); len(a.decoded) > 0 {
			a.look(auto, base, out, encodedTurned)
		}
	}
	if a.decoded = appendUnbroken(a.decoded[:0], v.norm); len(a.decoded) > 0 {
		a.look(auto, base, out, encodedBroken)
	}
	if d.rot13 {
		a.decoded = appendRot13(a.decoded[:0], v.norm)
		a.look(auto, base, out, encodedRot13)
	}
	if d.reversed {
		a.decoded = appendReversed(a.decoded[:0], v.norm)
		a.look(auto, base, out, encodedReversed)
		a.decoded = appendWordsReversed(a.decoded[:0], v)
		a.look(auto, base, out, encodedReversed)
	}
}

// disguiseSigns say in which ways the words of a text may hide others.
type disguiseSigns struct {
	leets    int // words with digits
	spaced   int // letters that stand alone in a row
	long     bool
	rot13    bool
	reversed bool
	votes    shiftVotes
}

func readDisguises(v *view) (d disguiseSigns) {
	hides, moved, singles := disguised(), shiftedWords(), 0
	for i := range v.words {
		w := &v.words[i]
		if w.digits {
			d.leets++
		}
		if singles++; !single(w) || i > 0 && w.start-v.words[i-1].end > 3 {
			singles = 0
		}
		d.spaced = max(d.spaced, singles)
		if w.id != 0 {
			continue
		}
		size := w.end - w.start
		d.long = d.long || size >= minUnspaced && size <= maxUnspaced
		if size >= minShifted && size <= maxPart {
			d.votes.add(moved, v.norm[w.start:w.end])
		}
		if size >= 4 {
			kind := hides.kind(w.hash)
			d.rot13 = d.rot13 || kind == encodedRot13
			d.reversed = d.reversed || kind == encodedReversed
		}
	}
	return d
}

// look judges a text that was hidden.
func (a *attackScan) look(auto *match.Automaton, base int32, out *attack, kind int) {
	a.second.read(zerocopy.String(a.decoded)) // stands until the next is decoded
	a.second.hits = auto.AppendAll(a.second.hits[:0], a.second.norm)
	a.lex.name(&a.second, base)
	a.judge(&a.second, out, kind)
}

// blend is the model's score for one label.
func (a *attackScan) blend(k int, e *evidence) float32 {
	w := &a.model.labels[k]
	x := w.bias + w.hand*logOdds(e.hand[k]) + w.sense*e.sense + a.sums[k]
	for r, value := range a.values {
		if value > 0 {
			x += value * w.rules[r]
		}
	}
	return sigmoid(x)
}
