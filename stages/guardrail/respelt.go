package guardrail

import (
	"bytes"
	"strings"
	"sync"
)

// respellings maps the longer words of the rules by their letters, in any order between the first and the last, and by
// their consonants. Keys that two words share are left out.
type respellings struct {
	mixed, bare map[uint32]string
	filter      hashFilter // of the keys of mixed
}

const (
	minMixed = 5 // letters of a word that is recognised by its letters in another order
	minBare  = 4 // consonants of one that is recognised without its vowels
	// minRespelt is how many words of a window must be misspelt for the corrected window to be judged.
	minRespelt = 2
	minBared   = 3
)

var respelt = sync.OnceValue(func() *respellings {
	r := &respellings{mixed: map[uint32]string{}, bare: map[uint32]string{}}
	add := func(m map[uint32]string, key uint32, word string) {
		if other, ok := m[key]; ok && other != word {
			word = ""
		}
		m[key] = word
	}
	l := attackWords()
	words := strings.Fields(strings.Join(l.literals, " "))
	for _, s := range l.slots {
		words = append(words, s.text)
	}
	for _, w := range words {
		if key, ok := computeLettersKey([]byte(w)); ok {
			add(r.mixed, key, w)
			r.filter.add(key)
		}
		if key, n := computeConsonantsKey([]byte(w)); n >= minBare-1 && n < len(w) && w[0] < 0x80 {
			add(r.bare, key, w)
		}
	}
	for _, w := range [...]string{ // which win over words of other languages
		"all", "the", "and", "you", "your", "not", "ignore", "reveal", "disregard", "forget", "previous", "prior", "instructions", "instruction",
		"system", "prompt", "password", "secret", "rules", "hidden", "developer", "message",
	} {
		key, _ := computeConsonantsKey([]byte(w))
		r.bare[key] = w
	}
	return r
})

// computeLettersKey hashes the letters of a word, ignoring the order of all but the first and the last.
func computeLettersKey(w []byte) (key uint32, ok bool) {
	if len(w) < minMixed || len(w) > maxPart {
		return 0, false
	}
	sum := uint32(0)
	for _, c := range w {
		if c-'a' >= 26 {
			return 0, false
		}
		x := uint32(c) * 0x9e3779b1
		sum += x ^ x>>15
	}
	return (sum ^ uint32(w[0])<<8 ^ uint32(w[len(w)-1])) * hashPrime, true
}

// computeConsonantsKey hashes the consonants of a word, and returns how many it has.
func computeConsonantsKey(w []byte) (key uint32, n int) {
	key = hashSeed
	for _, c := range w {
		if !isVowel(c) {
			key = (key ^ uint32(c)) * hashPrime
			n++
		}
	}
	return key, n
}

func isVowel(c byte) bool { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' }

// correct returns the word of the rules that an unknown word misspells, or "".
func (r *respellings) correct(w []byte) string {
	if key, ok := computeLettersKey(w); ok && r.filter.has(key) {
		return r.mixed[key]
	}
	return ""
}

// complete returns the word of the rules that a word spells without vowels, or "".
func (r *respellings) complete(w []byte) string {
	if len(w) < 2 || len(w) > maxPart {
		return ""
	}
	for _, c := range w {
		if isVowel(c) {
			return ""
		}
	}
	key, _ := computeConsonantsKey(w)
	return r.bare[key]
}

// appendRespelt appends a text with its unknown words corrected to words of the rules where possible. It returns how many
// it corrected.
func appendRespelt(dst []byte, v *view, respell func(w []byte) string) (out []byte, n int) {
	from := int32(0)
	for i := range v.words {
		w := &v.words[i]
		dst = append(dst, v.norm[from:w.start]...)
		from = w.end
		if w.id == 0 {
			if s := respell(v.norm[w.start:w.end]); s != "" {
				dst = append(dst, s...)
				n++
				continue
			}
		}
		dst = append(dst, v.norm[w.start:w.end]...)
	}
	return append(dst, v.norm[from:]...), n
}

// decodePigLatin undoes pig Latin for a word of the rules: "ignoreway", "eviouspray". It returns "" for another word.
func (l *lexicon) decodePigLatin(w []byte) string {
	if len(w) < 5 || len(w) > maxPart+3 || !bytes.HasSuffix(w, []byte("ay")) {
		return ""
	}
	stem := w[:len(w)-2]
	var buf [maxPart + 3]byte
	for k := 1; k < 4 && k < len(stem); k++ { // the consonants that were moved
		b := append(append(buf[:0], stem[len(stem)-k:]...), stem[:len(stem)-k]...)
		if l.hasWord(b) {
			return string(b)
		}
	}
	if last := stem[len(stem)-1]; (last == 'w' || last == 'y') && l.hasWord(stem[:len(stem)-1]) {
		return string(stem[:len(stem)-1])
	}
	return ""
}

// hasWord reports whether the rules or their phrases have a word.
func (l *lexicon) hasWord(b []byte) bool {
	h := uint32(hashSeed)
	for _, c := range b {
		h = (h ^ uint32(c)) * hashPrime
	}
	return len(b) > 1 && l.has(h, b)
}

// minTags and minJoined are how many closing tags, or underscores between letters, a window must have to be judged without them.
const (
	minTags   = 3
	minJoined = 5
)

// appendUntagged appends a text without tags, and with underscores replaced by spaces. It appends nothing if the text has few of both.
func appendUntagged(dst, norm []byte) []byte {
	tags, joined := bytes.Count(norm, []byte("</")), 0
	for i := 1; i+1 < len(norm); i++ {
		if norm[i] == '_' && norm[i-1] != '_' && norm[i-1] > ' ' && norm[i+1]-'a' < 26 {
			joined++
		}
	}
	if tags < minTags && joined < minJoined {
		return dst
	}
	for i := 0; i < len(norm); i++ {
		switch c := norm[i]; {
		case c == '_':
			dst = append(dst, ' ')
		case c == '<' && i+1 < len(norm) && (norm[i+1] == '/' || norm[i+1]-'a' < 26):
			end := bytes.IndexByte(norm[i:min(len(norm), i+maxTag)], '>')
			if end < 0 {
				dst = append(dst, c)
				continue
			}
			i += end
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// maxTag is the length of the longest tag that is removed.
const maxTag = 120
