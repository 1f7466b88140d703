package guardrail

import "sync"

// minShifted is how long a word must be to tell by how far its letters were moved: shorter
// ones fit words of other meanings.
const minShifted = 6

// shifts knows the rules' longer words by the steps between their letters, which
// moving all letters by the same number of places leaves as they are, and writing the
// alphabet backwards turns round.
type shifts struct {
	first  map[uint32]byte // first letter of the word
	filter hashFilter
}

var shiftedWords = sync.OnceValue(func() *shifts {
	s := &shifts{first: map[uint32]byte{}}
	for _, w := range attackWords().slots {
		if w.id == 0 || len(w.text) < minShifted || len(w.text) > maxPart {
			continue
		}
		if h, _, ok := steps([]byte(w.text)); ok {
			s.first[h] = w.text[0]
			s.filter.add(h)
		}
	}
	return s
})

// steps hashes the steps between a word's letters, and those of the word in an alphabet
// that runs backwards. ok is false for what is not all letters.
func steps(b []byte) (up, down uint32, ok bool) {
	up, down = hashSeed, hashSeed
	for i := range b {
		if b[i]-'a' >= 26 {
			return 0, 0, false
		}
		if i > 0 {
			d := (b[i] + 26 - b[i-1]) % 26
			up = (up ^ uint32(d)) * hashPrime
			down = (down ^ uint32((26-d)%26)) * hashPrime
		}
	}
	return up, down, true
}

func (s *shifts) look(h uint32) (first byte, ok bool) {
	if !s.filter.has(h) {
		return 0, false
	}
	first, ok = s.first[h]
	return first, ok
}

// shiftVotes counts the letters of words that would belong to the rules if they were moved
// by so many places, and if the alphabet ran backwards from a place too.
type shiftVotes struct{ up, down [26]int }

// minVotes is how many letters must speak for a shift: those of one long word, or two.
const minVotes = 8

func (s *shiftVotes) add(words *shifts, b []byte) {
	up, down, ok := steps(b)
	if !ok {
		return
	}
	if first, ok := words.look(up); ok {
		s.up[(b[0]+26-first)%26] += len(b)
	}
	if first, ok := words.look(down); ok {
		s.down[(b[0]-'a'+first-'a')%26] += len(b)
	}
}

// best returns the shift that most letters speak for.
func (s *shiftVotes) best() (by byte, backwards, ok bool) {
	votes := minVotes - 1
	for k := range 26 {
		if k != 0 && k != 13 && s.up[k] > votes { // 13 has a decoder that knows shorter words
			by, backwards, ok, votes = byte(k), false, true, s.up[k]
		}
		if s.down[k] > votes {
			by, backwards, ok, votes = byte(k), true, true, s.down[k]
		}
	}
	return by, backwards, ok
}

// appendShifted undoes a shift.
func appendShifted(dst, norm []byte, by byte, backwards bool) []byte {
	for _, c := range norm {
		if c-'a' < 26 {
			if backwards {
				c = 'a' + (by+26-(c-'a'))%26
			} else {
				c = 'a' + (c-'a'+26-by)%26
			}
		}
		dst = append(dst, c)
	}
	return dst
}
