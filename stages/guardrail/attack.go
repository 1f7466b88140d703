package guardrail

import (
	"math"
	"slices"
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
	inner   []learned.Block // of what a window hides
	window  view            // of a long text
	second  view            // of what a text hides
	found   []found
	seen    presence
	decoded []byte
	again   []byte    // what decoded hides in turn
	best    []float32 // score of each family
	bestAt  []found   // where it was found
	next    neighbours
	half    half
	runAt   int     // where the reader's text begins in the view at hand
	demand  float32 // see computeDemand
	long    bool    // the text is more than one window

	document bool // the text comes from a tool: what is planted in it counts for more
	ungated  bool // all windows are judged, also those that do not pass the gate
}

// attackLiterals is the automaton of the lexicon's literals. Only windows that pass the gate are searched for them.
var attackLiterals = sync.OnceValue(func() *match.Automaton { return match.New(attackWords().literals, match.Options{AnySpaces: true}) })

// asciiPhrases is the automaton of those literals that a text in ASCII can have. It is small enough for a sieve to skip most of a
// text; a window of 400 bytes takes 0.4 us instead of 0.8.
var asciiPhrases = sync.OnceValue(func() *subset {
	s := new(subset)
	var literals []string
	for k, l := range attackWords().literals {
		if findNonASCII(l, 0) == len(l) {
			literals, s.ids = append(literals, l), append(s.ids, int32(k))
		}
	}
	s.auto = match.New(literals, match.Options{AnySpaces: true})
	s.longest = len(slices.MaxFunc(literals, func(a, b string) int { return len(a) - len(b) }))
	return s
})

// findingSteps is about what a look around a finding reads: twice 400 bytes, for quotation marks.
const findingSteps = 800

// wholeBytes is how long a text may be that is one window, whatever the gate says.
const wholeBytes = 600

// run scores a view.
func (a *attackScan) run(v *view) attack {
	var out attack
	a.demand, a.long = computeDemand(len(v.norm)), len(v.norm) > wholeBytes
	a.window.pace, a.second.pace = v.pace, v.pace
	a.next.reset()
	a.seen.reset()
	a.half.at = nowhere
	if len(v.norm) <= wholeBytes {
		a.window.read(v.raw)
		a.readWords(&a.window)
		a.judgeWindow(v, 0, len(v.raw), a.score(&a.reader, &a.window), &out)
		a.judgeEncoded(v, 0, len(v.raw), &out)
		return out
	}
	a.blocks = a.model.Gate().Scan(a.blocks[:0], v.norm)
	v.pace.spendSteps(len(v.norm))
	a.judgeLongCodes(v, &out)
	read := 0 // the blocks that the reader has
	for i := range a.blocks {
		if a.blocks[i].Encodes() && (i == 0 || !a.blocks[i-1].Encodes()) {
			a.judgeEncodedBlocks(v, i, &out)
		}
		if i > 0 && i+1 == len(a.blocks) {
			break // the last block is the second half of the window before
		}
		if !a.ungated && !a.model.Gate().Passes(a.blocks, i) {
			a.next.reset()
			continue
		}
		if !v.pace.spendSteps(windowSteps) {
			return out
		}
		if i+2 > read {
			read = a.readRun(v, i)
		}
		a.judgeBlocks(v, i, read, &out)
	}
	return out
}

// judgeWindow judges the window raw[start:end] of a view, which a.window has, with its words.
func (a *attackScan) judgeWindow(v *view, start, end int, m learned.Verdict, out *attack) {
	e := a.gatherEvidence(&a.window)
	a.mergeOpinion(out, a.next.raiseOpinion(a.judge(&a.window, &e, plain, m)), start, end)
	a.judgeHidden(&a.window, out, start, end)
}

// windowSteps is about what a full look at a window costs, in bytes read once.
const windowSteps = 4000

// judgeEncodedBlocks judges what the blocks from i on hide in codes, as one text.
func (a *attackScan) judgeEncodedBlocks(v *view, i int, out *attack) {
	last := i
	for last+1 < len(a.blocks) && a.blocks[last+1].Encodes() {
		last++
	}
	// A code may begin in the block before, and end in the one behind.
	if last+1 < len(a.blocks) {
		last++
	}
	start, end := v.findRawSpan(int(a.blocks[max(0, i-1)].Start), int(a.blocks[last].End))
	a.judgeEncoded(v, start, end, out)
}

// readWords names the words of a view of one window.
func (a *attackScan) readWords(v *view) {
	if v.ascii || findNonASCII(zerocopy.String(v.norm), 0) == len(v.norm) {
		v.hits = asciiPhrases().scan(v.hits[:0], v.norm, 0, nil)
	} else {
		v.hits = a.auto.AppendAll(v.hits[:0], v.norm)
	}
	a.lex.nameWords(v, 0)
}

// opinion is the judgement of one window.
type opinion struct {
	logit      [labels]float32
	start, end [labels]int // of the strongest evidence, in the window's raw text
}

// mergeOpinion keeps the opinion of the window raw[from:to] for each label on which it exceeds all earlier windows.
func (a *attackScan) mergeOpinion(out *attack, j opinion, from, to int) {
	for k := range out.score {
		s := calibrateScore(j.logit[k] - a.demand)
		if s <= out.score[k] {
			continue
		}
		out.score[k], out.start[k], out.end[k] = s, from, to
		if j.end[k] > 0 {
			out.start[k], out.end[k] = from+j.start[k], from+j.end[k]
		}
	}
}

// neighbours joins the windows of a text that follow each other. One that is doubtful counts as bad if its neighbour is
// doubtful too; windows that lie apart are never added up.
type neighbours struct {
	last  [labels]float32
	known bool
}

func (c *neighbours) reset() { c.known = false }

// raiseOpinion returns the opinion of a window, raised if the window before it is suspicious too.
func (c *neighbours) raiseOpinion(j opinion) opinion {
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

// computeLogOdds returns the log odds of a score, bounded.
func computeLogOdds(s float32) float32 {
	s = min(max(s, 0.02), 0.98)
	return float32(math.Log(float64(s / (1 - s))))
}

func computeSigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
