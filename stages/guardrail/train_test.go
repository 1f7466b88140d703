package guardrail

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/match"
)

// sample is a text that the model learns from, or is tested with.
type sample struct {
	text   string
	attack bool
	label  int // of an attack
	group  uint64
	source string
	// features
	rules []float32
	said  [labels]float32 // what the rules say together
	hand  [labels]float32 // the same with the sense, in log-odds
	grams []uint32
	pairs [][]int // of each sentence
	sense float32
}

// expand writes out the choices of a line: a few, drawn at random, that together use most of
// them.
func expand(r *rand.Rand, line string, n int) []string {
	seen, out := map[string]bool{}, []string(nil)
	for range 3 * n {
		s := line
		for {
			open := strings.LastIndexByte(s, '{')
			if open < 0 {
				break
			}
			end := open + strings.IndexByte(s[open:], '}')
			if end < open {
				break
			}
			c := strings.Split(s[open+1:end], "|")
			s = s[:open] + c[r.IntN(len(c))] + s[end+1:]
		}
		if !seen[s] && len(out) < n {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// ownSamples are those of testdata.
func ownSamples(t testing.TB, each int) (out []sample) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"testdata/attacks.txt", "testdata/benign.txt"} {
		f, err := os.Open(name)
		require.NoError(t, err)
		sc := bufio.NewScanner(f)
		for n := 1; sc.Scan(); n++ {
			line := sc.Text()
			if line == "" || strings.HasPrefix(line, "# ") {
				continue
			}
			s := sample{attack: strings.Contains(name, "attacks"), group: hash64(fmt.Sprint(name, n)), source: "own"}
			if s.attack {
				kind, rest, _ := strings.Cut(line, " ")
				line = rest
				if kind == "jailbreak" {
					s.label = labelJailbreak
				}
			}
			for _, text := range expand(r, line, each) {
				s.text = text
				out = append(out, s)
			}
		}
		require.NoError(t, sc.Err())
		require.NoError(t, f.Close())
	}
	return out
}

func hash64(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

// featurize fills in what the model sees of a sample.
func (s *sample) featurize(a *attackScan, v *view, auto *match.Automaton) {
	v.read(s.text)
	v.hits = auto.AppendAll(v.hits[:0], v.norm)
	a.lex.name(v, 0)
	e := a.gather(v)
	s.rules = append([]float32(nil), a.values...)
	s.said = e.hand
	s.setSense(-maxSense)
	s.pairs = s.pairs[:0]
	var walk sentenceWalk
	for t := (sentence{}); walk.nextSentence(a.lex, v, &t); {
		var pairs []int
		for k := range senseSize {
			if t.pairs[k>>6]>>(k&63)&1 != 0 {
				pairs = append(pairs, k)
			}
		}
		s.pairs = append(s.pairs, pairs)
	}
	prev := uint32(0)
	s.grams = s.grams[:0]
	for i := range v.words {
		h := v.words[i].hash
		s.grams = append(s.grams, wordSlot(h), pairSlot(prev, h))
		prev = h
	}
}

// setSense sets what the sense model says of a sample.
func (s *sample) setSense(x float32) {
	s.sense = x
	for k := range s.hand {
		s.hand[k] = logOdds(s.said[k])
	}
	s.hand[labelInjection] = logOdds(1 - (1-s.said[labelInjection])*(1-evident(x)))
}

// head is a model in training, in full precision.
type head struct {
	bias, hand float64
	sense      float64
	rules      []float64
	words      []float64
}

func (h *head) logit(s *sample, k int) float64 {
	x := h.bias + h.hand*float64(s.hand[k]) + h.sense*float64(s.sense)
	for i, v := range s.rules {
		if v > 0 {
			x += float64(v) * h.rules[i]
		}
	}
	if len(s.grams) > 0 {
		sum, f := 0.0, ngramScale/math.Sqrt(float64(len(s.grams)))
		for _, g := range s.grams {
			sum += h.words[g]
		}
		x += sum * f
	}
	return x
}

// Regularisation: how much weights are held back, rules towards 0 and the sum of
// their own scores towards 1.
var (
	l2rules = 0.02
	l2words = 0.02
	l2hand  = 0.05
)

// train fits one label by stochastic gradient descent over balanced classes.
func train(all []*sample, k, rules int) *head {
	h := &head{hand: 1, rules: make([]float64, rules), words: make([]float64, 1<<ngramBits)}
	var pos, neg []*sample
	for _, s := range all {
		switch {
		case !s.attack:
			neg = append(neg, s)
		case s.label == k:
			pos = append(pos, s)
		}
	}
	r := rand.New(rand.NewPCG(7, uint64(k)))
	const epochs = 30
	n := 2 * max(len(pos), len(neg))
	for e := range epochs {
		rate := 0.05 / (1 + 0.15*float64(e))
		for range n {
			from, y := neg, 0.0
			if r.IntN(2) == 0 {
				from, y = pos, 1
			}
			s := from[r.IntN(len(from))]
			g := y - 1/(1+math.Exp(-h.logit(s, k)))
			h.bias += rate * g * 0.3
			h.hand += rate * (g*float64(s.hand[k])*0.2 - l2hand*(h.hand-1))
			h.sense += rate * (g*float64(s.sense)*0.2 - l2hand*h.sense)
			for i, v := range s.rules {
				if v > 0 {
					h.rules[i] += rate * (g*float64(v) - l2rules*h.rules[i])
				}
			}
			f := ngramScale / math.Sqrt(float64(max(1, len(s.grams))))
			for _, w := range s.grams {
				h.words[w] += rate * (g*f*0.1 - l2words*h.words[w])
			}
		}
	}
	return h
}

// quantize makes the model that is shipped.
func quantize(hs [labels]*head, sense *senseModel) *model {
	m := &model{sense: *sense}
	for k, h := range hs {
		w := &m.labels[k]
		w.bias, w.hand, w.sense = float32(h.bias), float32(h.hand), float32(h.sense)
		for _, x := range h.rules {
			w.rules = append(w.rules, float32(x))
		}
		top := 1e-6
		for _, x := range h.words {
			top = max(top, math.Abs(x))
		}
		w.scale = float32(top / 127)
		for i, x := range h.words {
			w.words[i] = int8(math.Round(x / top * 127))
		}
	}
	return m
}
