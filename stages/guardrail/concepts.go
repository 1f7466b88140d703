package guardrail

import (
	_ "embed" // data/concepts.txt
	"fmt"
	"math/bits"
	"strings"
)

//go:embed data/concepts.txt
var conceptsFile string

// Concepts are what the words of a sentence are about. Pairs of them that stand near each other
// are what the model knows the sense of a sentence by, so that an order in words that no
// rule has is known by what it is about.
const (
	conceptFirst = 0 // a sentence begins
	maxConcepts  = 32
	senseSize    = maxConcepts * (maxConcepts + 1) / 2
	// senseReach is how many words may lie between those of a pair.
	senseReach = 8
)

// sensePair is the number of a pair of concepts, or of one with itself.
func sensePair(a, b int) int {
	if a < b {
		a, b = b, a
	}
	return a*(a+1)/2 + b
}

// concepts reads the file of concepts.
func (b *lexiconBuilder) concepts(text string) error {
	next := conceptFirst + 1
	return dataLines(text, func(_ int, s string) error {
		f := strings.Fields(s)
		if next == maxConcepts || len(f) < 2 {
			return fmt.Errorf("a line is a concept and its words, of at most %d concepts", maxConcepts-1)
		}
		for _, w := range f[1:] {
			words := []string{spell(w)}
			if strings.HasPrefix(w, "@") {
				if words = b.classes[w]; words == nil {
					return fmt.Errorf("there is no class %s", w)
				}
			}
			for _, w := range words {
				if w != "" {
					b.concept(w, next)
				}
			}
		}
		next++
		return nil
	})
}

// concept notes what a word is about.
func (b *lexiconBuilder) concept(w string, k int) {
	id := b.word(w)
	for len(b.l.about) <= int(id) {
		b.l.about = append(b.l.about, 0)
	}
	b.l.about[id] |= 1 << k
}

// sentence is the pairs of concepts of one sentence.
type sentence struct {
	pairs [(senseSize + 63) / 64]uint64
	start int // its first word
	end   int // behind its last one
}

func (s *sentence) add(pair int) { s.pairs[pair>>6] |= 1 << (pair & 63) }

// sum adds up the weights of a sentence's pairs.
func (s *sentence) sum(weights *[senseSize]float32) (x float32) {
	for i, w := range s.pairs {
		for ; w != 0; w &= w - 1 {
			x += weights[i<<6+bits.TrailingZeros64(w)]
		}
	}
	return x
}

// sentences calls f with each sentence of a view. A pair may reach back into the sentence
// before; it counts for the one that it ends in.
func (l *lexicon) sentences(v *view, f func(*sentence)) {
	var last [maxConcepts]int // the word that had the concept last, counted from senseReach+1
	var s sentence
	for i := range v.words {
		w := &v.words[i]
		about := uint32(0)
		if int(w.id) < len(l.about) {
			about = l.about[w.id]
		}
		if w.stop && i > 0 {
			s.end = i
			f(&s)
			s = sentence{start: i}
		}
		if w.stop {
			about |= 1 << conceptFirst
		}
		for m := about; m != 0; m &= m - 1 {
			k := bits.TrailingZeros32(m)
			s.add(sensePair(k, k))
			last[k] = i + senseReach + 1
		}
		if about == 0 {
			continue
		}
		for k, at := range last {
			if at <= i || at == 0 {
				continue
			}
			for m := about; m != 0; m &= m - 1 {
				if j := bits.TrailingZeros32(m); j != k {
					s.add(sensePair(j, k))
				}
			}
		}
	}
	if s.end = len(v.words); s.end > s.start {
		f(&s)
	}
}
