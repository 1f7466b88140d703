package learned

import (
	_ "embed" // data/model.bin
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

//go:embed data/model.bin
var modelFile []byte

const (
	magic = "HGLM0002"
	slots = 1 << slotBits
)

// Model scores windows. It is immutable, and safe for concurrent use, each goroutine with its own Reader.
type Model struct {
	bias, scale float32
	attack      [slots]int8 // weights of the features; a separate array, so that the sums of a text stay in the cache
	side        [slots]int8 // above zero: a jailbreak rather than an injection
	sideBias    float32
	gate        Gate
}

var errModel = errors.New("the model has another version: train it with make guard-model")

// Embedded returns the model that is part of the program, read once.
var Embedded = sync.OnceValues(func() (*Model, error) { return ParseModel(modelFile) })

// ParseModel parses a model that Append has written.
func ParseModel(b []byte) (*Model, error) {
	const size = len(magic) + 4*4 + 2*slots + gateWords + gatePairs
	if len(b) != size || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: %d bytes", errModel, len(b))
	}
	b = b[len(magic):]
	next := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	bytes := func(dst []int8) {
		for i := range dst {
			dst[i] = int8(b[i])
		}
		b = b[len(dst):]
	}
	m := new(Model)
	m.bias, m.scale, m.sideBias = next(), next(), next()
	m.gate.threshold = int32(next())
	bytes(m.attack[:])
	bytes(m.side[:])
	bytes(m.gate.words[:])
	bytes(m.gate.pairs[:])
	m.gate.markNouns()
	return m, nil
}

// Append appends the bytes of a model.
func (m *Model) Append(b []byte) []byte {
	b = append(b, magic...)
	put := func(f float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f)) }
	bytes := func(src []int8) {
		for _, c := range src {
			b = append(b, byte(c))
		}
	}
	put(m.bias)
	put(m.scale)
	put(m.sideBias)
	put(float32(m.gate.threshold))
	bytes(m.attack[:])
	bytes(m.side[:])
	bytes(m.gate.copyWeights())
	bytes(m.gate.pairs[:])
	return b
}

// sum scores a segment with these features.
func (m *Model) sum(features []uint32) (attack, jailbreak float32) {
	return m.sumAttack(features), m.sumSide(features)
}

func (m *Model) sumAttack(features []uint32) float32 {
	var a int32
	for _, k := range features {
		a += int32(m.attack[k&(slots-1)])
	}
	return m.bias + float32(a)*m.scale
}

func (m *Model) sumSide(features []uint32) float32 {
	var s int32
	for _, k := range features {
		s += int32(m.side[k&(slots-1)])
	}
	return m.sideBias + float32(s)*m.scale
}

// Gate returns the model that selects windows of long texts.
func (m *Model) Gate() *Gate { return &m.gate }
