package guardrail

// How the model and the rules are weighed against each other, fitted on texts that the model has not learned from:
// see docs/guardrails.md.
const (
	weighHand   = 1.2 // of the log-odds of each label's rules, from fairHand on
	fairHand    = 0.2 // what rules often say of ordinary windows
	hiddenBonus = 1.5 // an innocent text seldom hides another
	chainBonus  = 0.5 // of two doubtful windows in a row
	sideShare   = 0.5 // of the rules, in the choice between injection and jailbreak
)

// weigh returns the log-odds of an attack.
func weigh(text float32, e *evidence) float32 {
	for _, s := range e.hand {
		text += weighHand * max(0, logOdds(s)-logOdds(fairHand))
	}
	return text
}

// calibrate turns log-odds into a score. docs/guardrails.md has the rate of alarms on ordinary text for each.
func calibrate(x float32) float32 { return sigmoid(x - zeroLogit) }

// zeroLogit is the log-odds that have a score of one half.
const zeroLogit = 0.35
