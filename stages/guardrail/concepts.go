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
	// senseReach is how many words may stand before a word that makes a pair with it.
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
	id := b.internWord(w)
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

// sentenceWalk goes through the sentences of a view. A pair may reach back into the sentence
// before; it counts for the one that it ends in.
type sentenceWalk struct {
	at     int
	recent [senseReach]uint32 // concepts of the words before, by their number
}

// nextSentence sets s to the next sentence, and reports that there is one.
func (k *sentenceWalk) nextSentence(l *lexicon, v *view, s *sentence) bool {
	if k.at >= len(v.words) {
		return false
	}
	*s = sentence{start: k.at}
	for first := true; k.at < len(v.words); k.at++ {
		w := &v.words[k.at]
		if w.stop && !first {
			break
		}
		first = false
		about := uint32(0)
		if int(w.id) < len(l.about) {
			about = l.about[w.id]
		}
		if w.stop {
			about |= 1 << conceptFirst
		}
		if about != 0 {
			near := uint32(0)
			for _, c := range k.recent {
				near |= c
			}
			s.join(about, near)
		}
		k.recent[k.at%senseReach] = about
	}
	s.end = k.at
	return true
}

// join adds the pairs of a word's concepts with those of the words before it.
func (s *sentence) join(about, near uint32) {
	for m := about; m != 0; m &= m - 1 {
		j := bits.TrailingZeros32(m)
		s.add(sensePair(j, j))
		for n := (near | about) &^ (1 << j); n != 0; n &= n - 1 {
			s.add(sensePair(j, bits.TrailingZeros32(n)))
		}
	}
}
