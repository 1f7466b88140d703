package guardrail

const (
	// minUnspaced is how long a word must be to be split into several. Longer words are rare in English, and the parts must
	// fit a rule.
	minUnspaced = 18
	// maxUnspaced bounds how much of one word is split: identifiers and hashes may be long.
	maxUnspaced = 400
	// minCut is the minimum length of further words that are split once such a word was found.
	minCut = 10
	// outsideCost is the cost of a letter outside of the words, relative to 1 for a word.
	outsideCost = 8
	// maxPart is the length of the longest word that a run is split into.
	maxPart = 14
)

// appendUnspaced appends a text in which long words, unknown to the rules, are split into words that the rules know, the
// longest first. Letters between those stay together. A row of single letters is one run, whatever its spaces. cut reports
// whether there were such words.
func appendUnspaced(dst []byte, v *view, lex *lexicon) (out []byte, cut bool) {
	for i := 0; i < len(v.words); i++ {
		w := &v.words[i]
		dst = append(dst, ' ')
		n := len(dst)
		dst = append(dst, v.norm[w.start:w.end]...)
		for isSingle(w) && i+1 < len(v.words) && isSingle(&v.words[i+1]) {
			i++
			w = &v.words[i]
			dst = append(dst, v.norm[w.start:w.end]...)
		}
		if len(dst)-n >= minCut && len(dst)-n <= maxUnspaced {
			var some bool
			dst, some = lex.splitRun(dst, n)
			cut = cut || some
		}
	}
	return dst, cut
}

// splitRun puts spaces into the run dst[from:] so that as few letters as possible are outside of known words, with as
// few words as possible. some reports whether it found a word.
func (l *lexicon) splitRun(dst []byte, from int) (out []byte, some bool) {
	var run [maxUnspaced]byte
	var cost [maxUnspaced + 1]int32
	var part [maxUnspaced]int8 // length of the word that starts here, or 0
	n := copy(run[:], dst[from:])
	for i := n - 1; i >= 0; i-- {
		cost[i] = outsideCost + cost[i+1]
		h := uint32(hashSeed)
		for k := i; k < n && k-i < maxPart; k++ {
			h = (h ^ uint32(run[k])) * hashPrime
			if c := 1 + cost[k+1]; k > i && c < cost[i] && l.has(h, run[i:k+1]) {
				cost[i], part[i] = c, int8(k+1-i)
			}
		}
	}
	dst = dst[:from]
	for i := 0; i < n; {
		size := int(part[i])
		if size == 0 {
			dst = append(dst, run[i])
			i++
			continue
		}
		some = true
		if m := len(dst); m > from && dst[m-1] != ' ' {
			dst = append(dst, ' ')
		}
		dst = append(append(dst, run[i:i+size]...), ' ')
		i += size
	}
	return dst, some
}
