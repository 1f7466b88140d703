package guardrail

import "sync"

// minShifted is the minimum length of a word that reveals by how many places its letters were shifted: shorter words match
// words with other meanings.
const minShifted = 6

// shifts maps the rules' longer words by the differences between consecutive letters. Shifting all letters by the same
// number of places does not change these, and reversing the alphabet negates them.
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
		if h, _, ok := hashSteps([]byte(w.text)); ok {
			s.first[h] = w.text[0]
			s.filter.add(h)
		}
	}
	return s
})

// hashSteps hashes the differences between a word's letters, and their negation for a reversed alphabet. ok is false if
// the word has other characters.
func hashSteps(b []byte) (up, down uint32, ok bool) {
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

func (s *shifts) lookUp(h uint32) (first byte, ok bool) {
	if !s.filter.has(h) {
		return 0, false
	}
	first, ok = s.first[h]
	return first, ok
}

// shiftVotes counts, for each shift and each reversed alphabet, the letters of words that would become words of the rules.
type shiftVotes struct{ up, down [26]int }

// minVotes is how many letters must vote for a shift: one long word, or two words.
const minVotes = 8

func (s *shiftVotes) add(words *shifts, b []byte) {
	up, down, ok := hashSteps(b)
	if !ok {
		return
	}
	if first, ok := words.lookUp(up); ok {
		s.up[(b[0]+26-first)%26] += len(b)
	}
	if first, ok := words.lookUp(down); ok {
		s.down[(b[0]-'a'+first-'a')%26] += len(b)
	}
}

// chooseShift returns the shift with the most votes.
func (s *shiftVotes) chooseShift() (by byte, backwards, ok bool) {
	votes := minVotes - 1
	for k := range 26 {
		if k != 0 && k != 13 && s.up[k] > votes { // rot13 has its own decoder, which knows shorter words
			by, backwards, ok, votes = byte(k), false, true, s.up[k]
		}
		if s.down[k] > votes {
			by, backwards, ok, votes = byte(k), true, true, s.down[k]
		}
	}
	return by, backwards, ok
}

// appendShifted appends a text with a shift undone.
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
