package guardrail

import "slices"

// shingleWords is how many consecutive words make one shingle. Shorter shingles would match by chance in any two texts
// about one subject.
const shingleWords = 6

// shingleSet holds the shingles of a text for comparison with another.
type shingleSet struct {
	sorted []uint32
	ready  bool
}

// shingles compares texts by their runs of words.
type shingles struct{ view view }

// add adds a text to the set.
func (s *shingles) add(set *shingleSet, text string) {
	s.view.read(text)
	s.view.spell()
	ws := s.view.words
	for i := 0; i+shingleWords <= len(ws); i++ {
		set.sorted = append(set.sorted, shingle(ws[i:i+shingleWords]))
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

func shingle(ws []word) uint32 {
	h := uint32(hashSeed)
	for i := range ws {
		h = (h ^ ws[i].hash) * hashPrime
		h ^= h >> 15
	}
	return h
}

// overlap returns how many words of a view are in runs of the set, and the
// longest such run with its position.
func (set *shingleSet) overlap(v *view) (covered, longest, start, end int) {
	v.spell()
	v.pace.spend(len(v.words))
	ws := v.words
	from, until := -1, 0 // the current run; until: the word after the covered words
	for i := 0; i+shingleWords <= len(ws); i++ {
		if !set.has(shingle(ws[i : i+shingleWords])) {
			continue
		}
		if from < 0 || i > until {
			from = i
			covered += shingleWords
		} else {
			covered += i + shingleWords - until
		}
		until = i + shingleWords
		if n := until - from; n > longest {
			longest = n
			start, end = v.rawSpan(int(ws[from].start), int(ws[until-1].end))
		}
	}
	return covered, longest, start, end
}
