package main

import (
	"math"
	"math/rand/v2"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// Training of the gate.
const (
	gateStep  = 0.15
	gateDrift = 0.35 // what each word takes off the sum, so that unknown words end a stretch
	gateAsks  = 3    // the log-odds of the words in a row that are an attack as likely as not
	minRow    = 3    // words in a row that say anything

	gateThreshold = 36 // units from which a window gets a full look
)

// gateText is a window as the gate reads it: for each word a feature, and one for the pair with the word before it.
type gateText struct {
	slots    []uint32
	attack   bool
	from, to int // words of the attack
}

// gateFit is a gate in training.
type gateFit struct {
	weight, sum []float64 // sum of the squares of the gradients
}

// trainGate fits the weights of the gate. The gate goes by the strongest words in a row, so these are what it learns from: in an
// ordinary text they are what must count less. A regression over all words of a window, which it was before, does not know how
// the words stand.
func trainGate(all []*sample) []float64 {
	texts := make([]*gateText, len(all))
	for i, s := range all {
		texts[i] = readGateText(s)
	}
	g := &gateFit{make([]float64, learned.GateSize), make([]float64, learned.GateSize)}
	r := rand.New(rand.NewPCG(5, 99))
	for round := range epochs {
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for _, t := range texts {
			g.learn(t, round == 0)
		}
	}
	for i := range learned.GateWords {
		g.weight[i] -= gateDrift
	}
	return g.weight
}

func readGateText(s *sample) *gateText {
	t := &gateText{slots: learned.AppendGateSlots(nil, s.text), attack: s.attack}
	t.to = len(t.slots) / 2
	if s.to > 0 {
		words := func(bytes int) int { return len(learned.AppendWords(nil, s.text[:min(len(s.text), bytes)])) }
		t.from, t.to = min(words(s.from), t.to), min(words(s.to), t.to)
	}
	return t
}

// learn takes in one text. first is set in the first round, in which the words of an attack are those that it was made of.
func (g *gateFit) learn(t *gateText, first bool) {
	x, from, to := g.findPeak(t)
	y := 0.0
	if t.attack {
		if y = 1; first || to-from < minRow {
			x, from, to = 0, t.from, t.to
			for i := from; i < to; i++ {
				x += g.computeValue(t, i)
			}
		}
	}
	d := y - computeSigmoid(x-gateAsks)
	if math.Abs(d) < 2e-3 {
		return
	}
	for _, k := range t.slots[2*from : 2*to] {
		g.sum[k] += float64(d * d)
		g.weight[k] += float64(gateStep*d) / math.Sqrt(g.sum[k]+1)
	}
}

// computeValue returns what word i of a text adds to the sum.
func (g *gateFit) computeValue(t *gateText, i int) float64 {
	return g.weight[t.slots[2*i]] + g.weight[t.slots[2*i+1]] - gateDrift
}

// findPeak returns the highest sum of words in a row, and which they are.
func (g *gateFit) findPeak(t *gateText) (best float64, from, to int) {
	sum, start := 0.0, 0
	for i := range len(t.slots) / 2 {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += g.computeValue(t, i); sum > best {
			best, from, to = sum, start, i+1
		}
	}
	return best, from, to
}
