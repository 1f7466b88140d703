package guardrail

import (
	"math"
	"math/rand/v2"
)

// l2sense is how much the weights of pairs of concepts are held back.
const l2sense = 0.06

// senseLogit is the sense of a sample, and the number of the sentence that decides.
func senseLogit(m *senseModel, s *sample) (x float32, at int) {
	best := float32(-maxSense)
	for i, pairs := range s.pairs {
		y := m.bias
		for _, k := range pairs {
			y += m.pairs[k]
		}
		if y > best || i == 0 {
			best, at = y, i
		}
	}
	return senseOf(best, len(s.pairs)), at
}

// trainSense learns which pairs of concepts speak for an injection. Of a text only
// the most suspicious sentence is learned from: the others of an attack may be harmless.
func trainSense(samples []*sample) *senseModel {
	m := new(senseModel)
	var pos, neg []*sample
	for _, s := range samples {
		switch {
		case len(s.pairs) == 0 || s.attack && s.label != labelInjection || s.source == "wild":
		case s.attack:
			pos = append(pos, s)
		default:
			neg = append(neg, s)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for e := range 40 {
		rate := float32(0.05 / (1 + 0.15*float64(e)))
		for range len(pos) + len(neg) {
			from, y := neg, float32(0)
			if r.IntN(2) == 0 {
				from, y = pos, 1
			}
			s := from[r.IntN(len(from))]
			x, at := senseLogit(m, s)
			g := y - float32(1/(1+math.Exp(-float64(x))))
			m.bias += rate * g
			for _, k := range s.pairs[at] {
				m.pairs[k] += rate * (g - l2sense*m.pairs[k])
			}
		}
	}
	return m
}
