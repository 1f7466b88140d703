package guardrail

import "math"

// senseModel is a logistic regression over the pairs of concepts in a sentence: how much it
// reads like an order to the model, whatever its words.
type senseModel struct {
	bias  float32
	pairs [senseSize]float32
}

// senseLength is what each sentence of a text takes from what the most suspicious one comes to,
// by the logarithm of their number: among many sentences one looks like an order by chance.
const senseLength = 0.5

// maxSense bounds the sense of a text, both ways.
const maxSense = 4

// score is the sense of a view, in log-odds: that of its most suspicious sentence. at is where
// that stands, in words.
func (m *senseModel) score(lex *lexicon, v *view) (x float32, at sentence) {
	n, best := 0, float32(-maxSense)
	var walk sentenceWalk
	for s := (sentence{}); walk.nextSentence(lex, v, &s); n++ {
		if y := m.bias + s.sum(&m.pairs); y > best {
			best, at = y, s
		}
	}
	return senseOf(best, n), at
}

func senseOf(best float32, sentences int) float32 {
	return min(max(best-senseLength*float32(math.Log(float64(max(1, sentences)))), -maxSense), maxSense)
}

// Sense counts as evidence from minSense on, and as most of senseEvidence then: less than the
// threshold, so that it takes the model's word too.
const (
	minSense      = 1.6
	senseEvidence = 0.6
)

// evident is what a sense counts for beside the evidence of the rules.
func evident(sense float32) float32 {
	if sense < minSense {
		return 0
	}
	return senseEvidence * sigmoid(sense-minSense)
}
