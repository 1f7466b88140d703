package guardrail

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
)

// The model is a logistic regression for each attack label: over the rules that a
// text fits, over what those rules say together, over its words and pairs of
// words, by their hashes, and over the sense of its sentences. It settles cases in which weak evidence adds up, or stands
// among words of harmless texts. TestTrainWeights makes the weights; they belong to
// one version of lexicon and rules, by a checksum.

//go:embed data/weights.bin
var weightsFile []byte

const (
	weightsMagic = "HGGW0002"
	ngramBits    = 13
	ngramScale   = 6 // of the sum of word weights, which is divided by the root of their number
)

// weights are those of one label.
type weights struct {
	bias  float32
	hand  float32   // of what the rules say together, as log-odds
	sense float32   // of the sense of the most suspicious sentence
	rules []float32 // of each rule
	words [1 << ngramBits]int8
	scale float32 // of words
}

type model struct {
	labels [labels]weights
	sense  senseModel
}

// rulesSum is the checksum of the files that weights belong to.
func rulesSum() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(lexiconFile + rulesFile + conceptsFile))
	return h.Sum64()
}

var errWeights = errors.New("the weights do not fit the rules: train them again")

// readWeights reads the embedded file.
func readWeights(b []byte, sum uint64, rules int) (*model, error) {
	const head = len(weightsMagic) + 8
	each := 16 + 4*rules + 1<<ngramBits
	if len(b) != head+labels*each+4+4*senseSize || string(b[:len(weightsMagic)]) != weightsMagic {
		return nil, fmt.Errorf("%w: %d bytes", errWeights, len(b))
	}
	if binary.LittleEndian.Uint64(b[len(weightsMagic):]) != sum {
		return nil, errWeights
	}
	b = b[head:]
	m := new(model)
	next := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	for k := range m.labels {
		w := &m.labels[k]
		w.bias, w.hand, w.sense, w.scale = next(), next(), next(), next()
		w.rules = make([]float32, rules)
		for i := range w.rules {
			w.rules[i] = next()
		}
		for i := range w.words {
			w.words[i] = int8(b[i])
		}
		b = b[1<<ngramBits:]
	}
	m.sense.bias = next()
	for i := range m.sense.pairs {
		m.sense.pairs[i] = next()
	}
	return m, nil
}

// appendWeights is the inverse of readWeights.
func (m *model) appendWeights(b []byte, sum uint64) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, weightsMagic...), sum)
	put := func(f float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f)) }
	for k := range m.labels {
		w := &m.labels[k]
		put(w.bias)
		put(w.hand)
		put(w.sense)
		put(w.scale)
		for _, f := range w.rules {
			put(f)
		}
		for _, c := range w.words {
			b = append(b, byte(c))
		}
	}
	put(m.sense.bias)
	for _, f := range m.sense.pairs {
		put(f)
	}
	return b
}

// wordSlot and pairSlot are where the weights of a word, and of a pair, stand.
func wordSlot(h uint32) uint32 { return (h * 0x9e3779b1) >> (32 - ngramBits) }

func pairSlot(a, b uint32) uint32 { return ((a*0x85ebca6b ^ b) * 0x9e3779b1) >> (32 - ngramBits) }

// wordSums adds up the weights of a view's words for all labels.
func (m *model) wordSums(v *view) (sum [labels]float32) {
	if len(v.words) == 0 {
		return sum
	}
	var total [labels]int32
	prev := uint32(0)
	for i := range v.words {
		h := v.words[i].hash
		a, b := wordSlot(h), pairSlot(prev, h)
		for k := range total {
			w := &m.labels[k].words
			total[k] += int32(w[a]) + int32(w[b])
		}
		prev = h
	}
	root := float32(math.Sqrt(float64(2 * len(v.words))))
	for k := range sum {
		sum[k] = float32(total[k]) * m.labels[k].scale * ngramScale / root
	}
	return sum
}

// logOdds of a score, bounded.
func logOdds(s float32) float32 {
	s = min(max(s, 0.02), 0.98)
	return float32(math.Log(float64(s / (1 - s))))
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
