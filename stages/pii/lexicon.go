package pii

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// A lexeme is a word in lower case and its meaning.
type lexeme struct {
	word string
	says wordMeaning
	next int // the index of another word with the same hash, or 0
}

// lexicon has the words of all types; index 0 is unused. lexemes maps each hash to the index of the first of its words.
var (
	lexicon = make([]lexeme, 1)
	lexemes [1 << lexemeBits]uint16
)

const lexemeBits = 11

// tight holds the words of scripts without spaces, which are searched for anywhere in a run of letters.
var tight []string

func init() {
	for i := range builtin {
		d := &builtin[i]
		for _, w := range d.words {
			findEntry(w).pro.add(i)
			if r, _ := utf8.DecodeRuneInString(w); isUnspaced(r) && !slices.Contains(tight, w) {
				tight = append(tight, w)
			}
		}
		for _, w := range d.hints {
			findEntry(w).hint.add(i)
		}
		for _, w := range d.against {
			findEntry(w).contra.add(i)
		}
	}
}

// findEntry returns the meaning of a word in lower case, for modification.
func findEntry(w string) *wordMeaning {
	if says := lookupWord(w); says != nil {
		return says
	}
	k := hashWord(w) >> (32 - lexemeBits)
	lexicon = append(lexicon, lexeme{word: w, next: int(lexemes[k])})
	lexemes[k] = uint16(len(lexicon) - 1)
	return &lexicon[len(lexicon)-1].says
}

// lookupWord looks up a word whose characters outside ASCII are in lower case.
func lookupWord(w string) *wordMeaning {
	for n := int(lexemes[hashWord(w)>>(32-lexemeBits)]); n != 0; n = lexicon[n].next {
		if l := &lexicon[n]; len(l.word) == len(w) && hasFold(w, 0, l.word) {
			return &l.says
		}
	}
	return nil
}

// lookupAnyCase finds a word in the lexicon, whatever its case; wide is set when it has a
// character outside ASCII.
func lookupAnyCase(w string, wide bool) *wordMeaning {
	if !wide {
		return lookupWord(w)
	}
	var low [2 * contextBytes]byte
	b := low[:0]
	for k := 0; k < len(w) && len(b) < contextBytes; {
		r, n := utf8.DecodeRuneInString(w[k:])
		b = utf8.AppendRune(b, unicode.ToLower(r))
		k += n
	}
	if says := lookupWord(zerocopy.String(b)); says != nil {
		return says
	}
	for _, k := range tight {
		if strings.Contains(w, k) {
			return lookupWord(k)
		}
	}
	return nil
}

// wordFilter excludes most words that are not telling words of an engine: it has a bit for the hash of each telling word.
type wordFilter [1 << (heardBits - 6)]uint64

const heardBits = 14

// hashWord hashes the length of a word and its outer letters, ignoring the case of ASCII letters.
func hashWord(w string) uint32 {
	n := len(w)
	x := uint32(w[0]&31) | uint32(w[min(1, n-1)]&31)<<5 | uint32(w[max(0, n-2)]&31)<<10 | uint32(w[n-1]&31)<<15 | uint32(n&0xFFF)<<20
	return x * 0x9E3779B1
}

func (h *wordFilter) has(w string) bool {
	k := hashWord(w) >> (32 - heardBits)
	return h[k>>6]>>(k&63)&1 != 0
}

// add adds the words of a row. Words with a character outside ASCII are always looked up.
func (h *wordFilter) add(d *detector) {
	for _, list := range [...][]string{d.words, d.hints, d.against} {
		for _, w := range list {
			k := hashWord(w) >> (32 - heardBits)
			h[k>>6] |= 1 << (k & 63)
		}
	}
}
