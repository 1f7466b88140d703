package guardrail

import "math"

// The weights of the model and the rules, fitted on texts that the model has not learned from: see docs/guardrails.md.
const (
	weighHand   = 1.2 // of the log-odds of each label's rules above fairHand
	fairHand    = 0.2 // common evidence of the rules in ordinary windows
	hiddenBonus = 1.5 // innocent texts seldom hide other text
	chainBonus  = 0.5 // of two doubtful windows in a row
	sideShare   = 0.5 // of the rules, in the choice between injection and jailbreak
)

// weighEvidence returns the log-odds of an attack.
func weighEvidence(text float32, e *evidence) float32 {
	for _, s := range e.hand {
		text += weighHand * max(0, computeLogOdds(s)-computeLogOdds(fairHand))
	}
	return text
}

// A score means about the same rate of alarms for texts of all lengths. A text above wholeBytes has many windows, and each
// of their lines can raise a false alarm, so the strongest evidence must be stronger, and more so with every doubling
// beyond demandFrom bytes.
const (
	demandGated = 0.35
	demandFrom  = 4096
	demandStep  = 0.2
	demandMost  = 1.5
)

// computeDemand returns the log-odds that are subtracted from every window of a text.
func computeDemand(size int) float32 {
	switch {
	case size <= wholeBytes:
		return 0
	case size <= demandFrom:
		return demandGated
	}
	return float32(min(demandMost, demandGated+demandStep*math.Log2(float64(size)/demandFrom)))
}

// calibrateScore converts log-odds to a score. docs/guardrails.md gives the alarm rate on ordinary text per score.
func calibrateScore(x float32) float32 { return computeSigmoid(x - zeroLogit) }

// zeroLogit is the log-odds with a score of one half.
const zeroLogit = 0.1
