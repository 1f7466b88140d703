package guardrail

import (
	"math"
	"sync"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
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
	auto    *match.Automaton // of the lexicon's literals
	model   *learned.Model
	reader  learned.Reader // of the windows of a text
	hidden  learned.Reader // of what they hide
	blocks  []learned.Block
	window  view // of a long text
	second  view // of what a text hides
	found   []found
	seen    presence
	decoded []byte
	again   []byte    // what decoded hides in turn
	best    []float32 // score of each family
	bestAt  []found   // where it was found
	next    neighbours
	runAt   int     // where the reader's text begins in the view at hand
	demand  float32 // see demandOf
	long    bool    // the text is more than one window

	document bool // the text comes from a tool: what is planted in it counts for more
	ungated  bool // all windows are judged, also those that do not pass the gate
}

// attackLiterals is the automaton of the lexicon's literals. Only windows that pass the gate are searched for them.
var attackLiterals = sync.OnceValue(func() *match.Automaton { return match.New(attackWords().literals, match.Options{AnySpaces: true}) })

// findingSteps is about what a look around a finding reads: twice 400 bytes, for quotation marks.
const findingSteps = 800

// wholeBytes is how long a text may be that is one window, whatever the gate says.
const wholeBytes = 600

// run scores a view.
func (a *attackScan) run(v *view) attack {
	var out attack
	a.demand, a.long = demandOf(len(v.norm)), len(v.norm) > wholeBytes
	a.window.pace, a.second.pace = v.pace, v.pace
	a.next.reset()
	if len(v.norm) <= wholeBytes {
		a.window.read(v.raw)
		a.lookAt(v, 0, len(v.raw), a.score(&a.reader, &a.window), &out)
		a.decodeIn(v, 0, len(v.raw), &out)
		return out
	}
	a.blocks = a.model.Gate().Scan(a.blocks[:0], v.norm)
	v.pace.spend(len(v.norm))
	read := 0 // the blocks that the reader has
	for i := range a.blocks {
		if a.blocks[i].Encodes() && (i == 0 || !a.blocks[i-1].Encodes()) {
			a.decodeBlocks(v, i, &out)
		}
		if i > 0 && i+1 == len(a.blocks) {
			break // the last block is the second half of the window before
		}
		if !a.ungated && !a.model.Gate().Passes(a.blocks, i) {
			a.next.reset()
			continue
		}
		if !v.pace.spend(windowSteps) {
			return out
		}
		if i+2 > read {
			read = a.readRun(v, i)
		}
		a.lookAtBlocks(v, i, read, &out)
	}
	return out
}

// lookAt judges the window raw[start:end] of a view, which a.window has.
func (a *attackScan) lookAt(v *view, start, end int, m learned.Verdict, out *attack) {
	a.readWords(&a.window)
	a.take(out, a.next.join(a.judge(&a.window, plain, m)), start, end)
	a.hiddenIn(&a.window, out, start, end)
}

// windowSteps is about what a full look at a window costs, in bytes read once.
const windowSteps = 4000

// decodeBlocks judges what the blocks from i on hide in codes, as one text.
func (a *attackScan) decodeBlocks(v *view, i int, out *attack) {
	last := i
	for last+1 < len(a.blocks) && a.blocks[last+1].Encodes() {
		last++
	}
	// A code may begin in the block before.
	start, end := v.rawSpan(int(a.blocks[max(0, i-1)].Start), int(a.blocks[last].End))
	a.decodeIn(v, start, end, out)
}

// readWords names the words of a view of one window.
func (a *attackScan) readWords(v *view) {
	v.hits = a.auto.AppendAll(v.hits[:0], v.norm)
	a.lex.name(v, 0)
}

// opinion is what is said of one window.
type opinion struct {
	logit      [labels]float32
	start, end [labels]int // of the strongest evidence, in the window's raw text
}

// take keeps what is said of the window raw[from:to], if nothing stronger was found before.
func (a *attackScan) take(out *attack, j opinion, from, to int) {
	for k := range out.score {
		s := calibrate(j.logit[k] - a.demand)
		if s <= out.score[k] {
			continue
		}
		out.score[k], out.start[k], out.end[k] = s, from, to
		if j.end[k] > 0 {
			out.start[k], out.end[k] = from+j.start[k], from+j.end[k]
		}
	}
}

// evidence is what the rules say of a view.
type evidence struct {
	hand [labels]float32 // all together, by their own scores
	at   [labels]found   // the strongest
}

// gather matches the rules and weighs what they find.
func (a *attackScan) gather(v *view) (e evidence) {
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

// score asks the model about a whole view.
func (a *attackScan) score(r *learned.Reader, v *view) learned.Verdict {
	a.model.ReadText(r, v.norm)
	return a.model.ScoreWindow(r, 0, len(v.norm), a.long, learned.NoFloor)
}

// judge says what the rules and the model together say of a window.
func (a *attackScan) judge(v *view, hidden int, m learned.Verdict) (j opinion) {
	e := a.gather(v)
	x := weigh(m.Attack, &e)
	if hidden != plain && hidden < encodedTagged {
		x += hiddenBonus
	}
	side := m.Jailbreak + sideShare*(logOdds(e.hand[labelJailbreak])-logOdds(e.hand[labelInjection]))
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
			j.start[k], j.end[k] = v.rawSpan(int(e.at[k].start), int(e.at[k].end))
		case m.End > 0:
			j.start[k], j.end[k] = v.rawSpan(m.Start, m.End)
		}
	}
	return j
}

func familyLabel(name string) int {
	if name[0] == 'j' {
		return labelJailbreak
	}
	return labelInjection
}

// minSpaced is how many letters must stand alone in a row to be read as words.
const minSpaced = 5

// decodeIn judges what raw[start:end] of a view hides in codes, two levels deep.
func (a *attackScan) decodeIn(v *view, start, end int, out *attack) {
	var kind int
	if a.decoded, kind = decodeRuns(a.decoded[:0], v.raw[start:end], v.pace); kind == plain {
		return
	}
	a.look(v, out, kind, start, end)
	if a.again, kind = decodeRuns(a.again[:0], string(a.decoded), v.pace); kind != plain {
		a.decoded, a.again = a.again, a.decoded
		a.look(v, out, kind, start, end)
	}
}

// hiddenIn looks at what a window hides that stands at raw[start:end], in ways that leave no codes.
func (a *attackScan) hiddenIn(v *view, out *attack, start, end int) {
	d := readDisguises(v)
	if d.leets >= 2 && a.lex.leets(v.norm) {
		a.decoded = a.lex.appendLeet(a.decoded[:0], v.norm)
		a.look(v, out, encodedLeet, start, end)
	}
	if d.spaced >= minSpaced {
		a.decoded = appendJoined(a.decoded[:0], v)
		a.look(v, out, encodedSpaced, start, end)
	}
	if d.long || d.spaced >= minUnspaced {
		var cut bool
		if a.decoded, cut = appendUnspaced(a.decoded[:0], v, a.lex); cut || d.spaced >= minUnspaced || !v.ascii {
			a.look(v, out, encodedUnspaced, start, end)
		}
	}
	if by, backwards, ok := d.votes.best(); ok {
		a.decoded = appendShifted(a.decoded[:0], v.norm, by, backwards)
		a.look(v, out, encodedShift, start, end)
	}
	if !v.ascii {
		if a.decoded = appendTurned(a.decoded[:0], v.norm); len(a.decoded) > 0 {
			a.look(v, out, encodedTurned, start, end)
		}
	}
	if a.decoded = appendUnbroken(a.decoded[:0], v.norm); len(a.decoded) > 0 {
		a.look(v, out, encodedBroken, start, end)
	}
	if a.decoded = appendUntagged(a.decoded[:0], v.norm); len(a.decoded) > 0 {
		a.look(v, out, encodedTagged, start, end)
	}
	a.respeltIn(v, &d, out, start, end)
	if d.rot13 {
		a.decoded = appendRot13(a.decoded[:0], v.norm)
		a.look(v, out, encodedRot13, start, end)
	}
	if d.reversed {
		a.decoded = appendReversed(a.decoded[:0], v.norm)
		a.look(v, out, encodedReversed, start, end)
		a.decoded = appendWordsReversed(a.decoded[:0], v)
		a.look(v, out, encodedReversed, start, end)
	}
}

// respeltIn looks at a window with its misspelt words as the rules have them.
func (a *attackScan) respeltIn(v *view, d *disguiseSigns, out *attack, start, end int) {
	if d.mixed >= minRespelt {
		a.decoded = appendRespelt(a.decoded[:0], v, respelt().correct)
		a.look(v, out, encodedMistyped, start, end)
	}
	if d.bare >= minBared {
		a.decoded = appendRespelt(a.decoded[:0], v, respelt().complete)
		a.look(v, out, encodedRespelt, start, end)
	}
	if d.pigs >= minBared {
		a.decoded = appendRespelt(a.decoded[:0], v, a.lex.unpig)
		a.look(v, out, encodedRespelt, start, end)
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
	mixed    int // words whose letters are those of a word of the rules in another order
	bare     int // words that lack the vowels of one
	pigs     int // words that end as those of pig Latin
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
		d.addRespelt(v.norm[w.start:w.end])
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

// addRespelt counts an unknown word that may be misspelt.
func (d *disguiseSigns) addRespelt(w []byte) {
	switch {
	case len(w) < minBare || w[0]-'a' >= 26:
	case respelt().correct(w) != "":
		d.mixed++
	case respelt().complete(w) != "":
		d.bare++
	case len(w) > 4 && w[len(w)-1] == 'y' && w[len(w)-2] == 'a':
		d.pigs++
	}
}

// look judges a text that was hidden at raw[start:end].
func (a *attackScan) look(v *view, out *attack, kind, start, end int) {
	text := zerocopy.String(a.decoded) // stands until the next is decoded
	for from := 0; from < len(text) && v.pace.spend(windowSteps); {
		to := min(len(text), from+2*learned.BlockBytes)
		a.second.read(text[from:to])
		// Hidden text is rare and short, so that the rules are always asked: an order among harmless words must not pass.
		m := a.score(&a.hidden, &a.second)
		a.readWords(&a.second)
		a.take(out, a.judge(&a.second, kind, m), start, end)
		if to == len(text) {
			return
		}
		from = wordStart(text, from+learned.BlockBytes)
	}
}

// neighbours joins the windows of a text that follow each other. One that is doubtful counts as bad if its neighbour is
// doubtful too; windows that lie apart are never added up.
type neighbours struct {
	last  [labels]float32
	known bool
}

func (c *neighbours) reset() { c.known = false }

// join returns what is said of a window in view of the one before it.
func (c *neighbours) join(j opinion) opinion {
	last, known := c.last, c.known
	c.last, c.known = j.logit, true
	if !known {
		return j
	}
	for k := range j.logit {
		j.logit[k] = max(j.logit[k], (j.logit[k]+last[k])/2+chainBonus)
	}
	return j
}

// logOdds of a score, bounded.
func logOdds(s float32) float32 {
	s = min(max(s, 0.02), 0.98)
	return float32(math.Log(float64(s / (1 - s))))
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
