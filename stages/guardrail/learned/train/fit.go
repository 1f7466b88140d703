package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

// sample is a window that the model learns from.
type sample struct {
	text   []byte // normalised
	from   int    // where an attack stands in its carrier
	to     int    // 0: the window has no attack
	attack bool
	jail   bool
	family string // of an attack; kind of ordinary text
	source string // package of ordinary text
	weight float64
	slots  []uint32
}

// computeSigmoid returns the logistic function from multiplications alone, so that its bits do not depend on the machine.
func computeSigmoid(x float64) float64 {
	x = min(max(x, -30), 30)
	e := 1 + float64(-x/1024)
	for range 10 {
		e = float64(e * e)
	}
	return 1 / (1 + e)
}

// linear is a logistic regression in training.
type linear struct {
	bias, biasSum float64
	step          float64
	weight, sum   []float64 // sum of the squares of the gradients
}

func newLinear(n int, step float64) *linear {
	return &linear{step: step, weight: make([]float64, n), sum: make([]float64, n)}
}

func (l *linear) score(slots []uint32) float64 {
	x := l.bias
	for _, k := range slots {
		x += l.weight[k]
	}
	return x
}

// Training: passes over the samples, step and how much weights are held back.
const (
	epochs = 6
	step   = 0.03
	decay  = 1e-5
)

// train fits a regression by AdaGrad. wanted gives a sample's class, and false to leave it out.
func (l *linear) train(all []*sample, seed uint64, slots func(*sample) []uint32, wanted func(*sample) (y float64, ok bool)) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(seed, 99))
	for range epochs {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			s := all[i]
			y, ok := wanted(s)
			if !ok {
				continue
			}
			ks := slots(s)
			g := float64((y - computeSigmoid(l.score(ks))) * s.weight)
			l.biasSum += float64(g * g)
			l.bias += float64(0.02*g) / math.Sqrt(l.biasSum+1e-6)
			if math.Abs(g) < 1e-3 {
				continue
			}
			for _, k := range ks {
				l.sum[k] += float64(g * g)
				w := l.weight[k] * (1 - decay*50)
				l.weight[k] = w + float64(l.step*g)/math.Sqrt(l.sum[k]+1)
			}
		}
	}
}

// piece is a segment of a sample.
type piece struct {
	sample
	of int // the number of its sample
}

// trainModel trains a model on samples. In the first round every segment of an attack is taken for one; in the second only
// the worst of each, and those that the first model finds: "stay in character" alone is harmless.
func trainModel(all []*sample) *learned.Model {
	var r learned.Reader
	var pieces []*piece
	for i, s := range all {
		r.VisitSegments(s.text, false, func(start, end int) bool {
			pieces = append(pieces, &piece{sample: *s, of: i})
			p := pieces[len(pieces)-1]
			p.text = s.text[start:end]
			if s.attack && !overlaps(s, start, end) {
				pieces = pieces[:len(pieces)-1] // a piece of the carrier alone
			}
			return true
		})
	}
	var samples []*sample
	for _, p := range pieces {
		p.slots = append([]uint32(nil), r.ListSlots(p.text)...)
		samples = append(samples, &p.sample)
	}
	attack := trainAttack(samples)
	samples = samples[:0]
	worst := make([]*piece, len(all))
	for _, p := range pieces {
		if w := worst[p.of]; w == nil || attack.score(p.slots) > attack.score(w.slots) {
			worst[p.of] = p
		}
	}
	for _, p := range pieces {
		if !p.attack || worst[p.of] == p || attack.score(p.slots) > 0 {
			samples = append(samples, &p.sample)
		}
	}
	attack = trainAttack(samples)
	side := newLinear(learned.Slots, step)
	side.train(samples, 2, func(s *sample) []uint32 { return s.slots }, func(s *sample) (float64, bool) {
		if s.jail {
			return 1, s.attack
		}
		return 0, s.attack
	})
	// The gate learns from whole texts, and from each segment of an attack that the model finds: one of them alone, between
	// ordinary lines, must pass too.
	texts := slices.Clone(all)
	for _, p := range pieces {
		if p.attack && attack.score(p.slots) > 0 {
			s := p.sample
			s.from, s.to = 0, 0
			texts = append(texts, &s)
		}
	}
	texts = append(texts, mixSalads(all)...)
	return learned.Quantize(attack.bias, attack.weight, side.bias, side.weight, trainGate(texts), gateThreshold)
}

// orders is the number of orders of the samples that a model is the mean of: one order alone favours what comes last.
const orders = 5

func trainAttack(samples []*sample) *linear {
	mean := newLinear(learned.Slots, step)
	for seed := range orders {
		attack := newLinear(learned.Slots, step)
		attack.train(samples, uint64(1+seed), func(s *sample) []uint32 { return s.slots }, isAttack)
		mean.bias += attack.bias / orders
		for i, w := range attack.weight {
			mean.weight[i] += w / orders
		}
	}
	return mean
}

func isAttack(s *sample) (float64, bool) {
	if s.attack {
		return 1, true
	}
	return 0, true
}

// overlaps reports whether a segment holds enough of the attack that a carrier was given.
func overlaps(s *sample, start, end int) bool {
	if s.to == 0 {
		return true
	}
	both := min(end, s.to) - max(start, s.from)
	return both > 0 && (2*both >= s.to-s.from || both >= 60)
}
