package learned

import "math"

// Sizes of the tables, for the trainer.
const (
	Slots     = slots
	GateWords = gateWords
	GateSize  = gateWords + gatePairs
)

// gateUnit is the number of units of the gate's sums per unit of log-odds.
const gateUnit = 24

// AppendGateSlots appends the features of a text that the gate adds up: each word, and each pair of words.
func AppendGateSlots(dst []uint32, b []byte) []uint32 {
	before := uint32(0)
	for _, w := range AppendWords(nil, b) {
		dst = append(dst, w.Hash>>(32-gateWordBits), gateWords+hashPair(before, w.Hash)>>(32-gatePairBits))
		before = w.Hash
	}
	return dst
}

// Quantize converts weights of full precision to a model. gate has the words before the pairs.
func Quantize(bias float64, attack []float64, sideBias float64, side, gate []float64, threshold int) *Model {
	m := new(Model)
	top := 1e-6
	for i := range attack {
		top = max(top, math.Abs(attack[i]), math.Abs(side[i]))
	}
	m.bias, m.sideBias, m.scale = float32(bias), float32(sideBias), float32(top/127)
	for i := range attack {
		m.attack[i], m.side[i] = roundToInt8(attack[i]/top*127), roundToInt8(side[i]/top*127)
	}
	m.gate.threshold = int32(threshold)
	for i := range m.gate.words {
		m.gate.words[i] = roundToInt8(gate[i] * gateUnit)
	}
	for i := range m.gate.pairs {
		m.gate.pairs[i] = roundToInt8(gate[gateWords+i] * gateUnit)
	}
	m.gate.markNouns()
	return m
}

// FindPeak returns the highest sum of the gate in a text.
func (m *Model) FindPeak(b []byte) (peak int) {
	for _, k := range m.gate.Scan(nil, b) {
		peak = max(peak, int(k.peak))
	}
	return peak
}

// PassesGate reports whether a window of a normalised text passes the gate.
func (m *Model) PassesGate(b []byte) bool {
	blocks := m.gate.Scan(nil, b)
	for i := range blocks {
		if m.gate.Passes(blocks, i) {
			return true
		}
	}
	return false
}

func roundToInt8(x float64) int8 { return int8(math.Round(min(max(x, -127), 127))) }
