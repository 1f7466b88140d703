package guardrail

import (
	"math/rand/v2"
	"slices"
)

// shingleWords is how many consecutive words make one shingle. Shorter shingles would match by chance in any two texts
// about one subject.
const shingleWords = 6

// shingleSet holds the shingles of a text for comparison with another.
type shingleSet struct {
	sorted []uint32
	ready  bool
}

// shingles makes the shingles of texts.
type shingles struct{ view view }

// add adds a text to the set.
func (s *shingles) add(set *shingleSet, text string) {
	s.view.read(text)
	s.view.ensureWords()
	var roll rolling
	for i, ws := 0, s.view.words; i < len(ws); i++ {
		if h, ok := roll.addWord(ws, i); ok {
			set.sorted = append(set.sorted, h)
		}
	}
}

func (set *shingleSet) finish() {
	slices.Sort(set.sorted)
	set.sorted = slices.Compact(set.sorted)
	set.ready = true
}

func (set *shingleSet) has(h uint32) bool {
	_, ok := slices.BinarySearch(set.sorted, h)
	return ok
}

func (set *shingleSet) reset() { set.sorted, set.ready = set.sorted[:0], false }

// rolling makes the shingles of a text, each from the one before.
type rolling struct{ sum uint32 }

// shingleBase is the base of the polynomial that a shingle is; dropBase is its power for the word that leaves.
const (
	shingleBase = 0x9e3779b1
	base2       = shingleBase * shingleBase & (1<<32 - 1)
	base4       = base2 * base2 & (1<<32 - 1)
	dropBase    = base4 * base2 & (1<<32 - 1)
)

// shingleSalt differs from process to process, so that shingles that are remembered do not tell which words they are of.
var shingleSalt = rand.Uint32()

// addWord returns the shingle that ends with word i; ok is false as long as there are too few words. Call it for each word, in order.
func (r *rolling) addWord(ws []word, i int) (h uint32, ok bool) {
	r.sum = r.sum*shingleBase + (ws[i].hash ^ shingleSalt)
	if i >= shingleWords {
		r.sum -= (ws[i-shingleWords].hash ^ shingleSalt) * dropBase
	}
	return r.sum, i+1 >= shingleWords
}

// measureOverlap returns how many words of a view are in runs of the set, and the
// longest such run with its position.
func (set *shingleSet) measureOverlap(v *view) (covered, longest, start, end int) {
	v.ensureWords()
	v.pace.spendSteps(len(v.words))
	ws := v.words
	from, until := -1, 0 // the current run; until: the word after the covered words
	var roll rolling
	for last := range ws {
		h, ok := roll.addWord(ws, last)
		if !ok || !set.has(h) {
			continue
		}
		i := last + 1 - shingleWords
		if from < 0 || i > until {
			from = i
			covered += shingleWords
		} else {
			covered += i + shingleWords - until
		}
		until = i + shingleWords
		if n := until - from; n > longest {
			longest = n
			start, end = v.findRawSpan(int(ws[from].start), int(ws[until-1].end))
		}
	}
	return covered, longest, start, end
}
