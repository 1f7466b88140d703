package guardrail

// gibberish finds random letters: words that no Latin-written language would spell,
// by their runs of consonants, share of vowels and entropy. Long identifiers, hashes
// and names look the same; short texts and other scripts are not judged.
type gibberish struct{}

func newGibberish(*detectorSettings, *engine) (detector, error) { return gibberish{}, nil }

// minJudged is how many letters of judged words a text needs.
const minJudged = 20

func (gibberish) look(c *check, dst []finding) []finding {
	judged, odd := 0, 0
	c.v.spell()
	for i := range c.v.words {
		w := &c.v.words[i]
		n := int(w.end - w.start)
		if n < 4 || c.v.norm[w.start] >= 0x80 {
			continue
		}
		judged += n
		if unpronounceable(c.v.norm[w.start:w.end]) {
			odd += n
		}
	}
	if judged >= minJudged && odd > 0 {
		dst = append(dst, finding{end: len(c.v.raw), score: float32(odd) / float32(judged)})
	}
	return dst
}

// unpronounceable judges one word in lower case.
func unpronounceable(w []byte) bool {
	vowels, run, longest, letters := 0, 0, 0, 0
	for _, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
			letters++
			run = 0
		default:
			if c-'a' < 26 {
				letters++
			}
			run++
			longest = max(longest, run)
		}
	}
	if letters == 0 {
		return false
	}
	if len(w) > 20 && entropy(string(w)) > 3.5 {
		return true
	}
	return longest >= 5 || vowels*6 < len(w) || vowels*6 > len(w)*5
}
