package guardrail

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

// learnable leaves out what the model cannot learn from: hidden texts, which are read
// in another view, and attacks in which no rule sees anything, which are
// harmless questions to whoever does not know the system prompt.
func learnable(s *sample) bool {
	return s.source != "obfuscated" && (!s.attack || max(s.hand[0], s.hand[1]) > -3)
}

// samplesFor gives own and shared samples with their features.
func samplesFor(t testing.TB, cases []testCase) (own, dev []sample, auto *match.Automaton) {
	auto = match.New(attackWords().literals, match.Options{AnySpaces: true})
	a, v := &attackScan{lex: attackWords()}, new(view)
	own, dev = ownSamples(t, 8), samplesOfCases(cases)
	for _, set := range [][]sample{own, dev} {
		for i := range set {
			set[i].featurize(a, v, auto)
		}
	}
	return own, dev, auto
}

// fit trains a model. What the sense model says of a sample that it has learned from is
// better than what it says of any other, so the rest learns from what it says when it has not.
func fit(samples []*sample) *model {
	const folds = 5
	for f := range uint64(folds) {
		var rest []*sample
		for _, s := range samples {
			if s.group%folds != f {
				rest = append(rest, s)
			}
		}
		m := trainSense(rest)
		for _, s := range samples {
			if s.group%folds == f {
				x, _ := senseLogit(m, s)
				s.setSense(x)
			}
		}
	}
	var hs [labels]*head
	for k := range hs {
		hs[k] = train(samples, k, len(attackWords().rules))
	}
	return quantize(hs, trainSense(samples))
}

// TestTrainWeights makes data/weights.bin anew, from testdata and from the shared
// cases: GUARDRAIL_TRAIN=1 go test -tags nomsgpack,grpcnotrace -run TestTrainWeights ./stages/guardrail
func TestTrainWeights(t *testing.T) {
	if os.Getenv("GUARDRAIL_TRAIN") == "" {
		t.Skip("set GUARDRAIL_TRAIN=1 to write data/weights.bin")
	}
	var cases []testCase
	eachCases(t, sampleFile, "guard_cases.jsonl.gz", func(_ *testing.T, set string, list []testCase) {
		if set == dataset.Public {
			cases = list
		}
	})
	require.NotEmpty(t, cases, "the model learns from the public cases beside the project")
	own, dev, _ := samplesFor(t, cases)
	var all []*sample
	for _, set := range [][]sample{own, dev} {
		for i := range set {
			if learnable(&set[i]) {
				all = append(all, &set[i])
			}
		}
	}
	require.NoError(t, os.WriteFile("data/weights.bin", fit(all).appendWeights(nil, rulesSum()), 0o644))
}

func TestTheWeightsBelongToTheRules(t *testing.T) {
	_, err := theModel()
	require.NoError(t, err, "run TestTrainWeights after a change of lexicon.txt or rules.txt")
	m, err := theModel()
	require.NoError(t, err)
	again, err := readWeights(m.appendWeights(nil, rulesSum()), rulesSum(), len(attackWords().rules))
	require.NoError(t, err)
	assert.Equal(t, m, again)
	_, err = readWeights(weightsFile, rulesSum()+1, len(attackWords().rules))
	assert.ErrorIs(t, err, errWeights)
	_, err = readWeights(weightsFile[:100], rulesSum(), len(attackWords().rules))
	assert.ErrorIs(t, err, errWeights)
}

// TestTheModelGeneralises tests the model on what it has not learned from: five folds
// by groups of the shared cases. The rules were written with the cases in sight, so
// that the figures flatter them; own cases that no rule was written for are tested below.
func TestTheModelGeneralises(t *testing.T) {
	if raceEnabled {
		t.Skip("training is one goroutine's arithmetic, and slow under the race detector")
	}
	eachCases(t, sampleFile, "guard_cases.jsonl.gz", generalises)
}

// foldFloors are the least recalls and the most alarms by data set.
var foldFloors = map[string]struct{ direct, obfuscated, wild, alarms float64 }{
	dataset.Public: {0.70, 0.90, 0.90, 0.02},
	dataset.Sample: {0.74, 0.89, 0.89, 0.025},
}

func generalises(t *testing.T, set string, cases []testCase) {
	own, dev, auto := samplesFor(t, cases)
	const folds = 5
	table := newTable()
	a, v := &attackScan{lex: attackWords()}, new(view)
	for f := range uint64(folds) {
		var all []*sample
		for i := range own {
			all = append(all, &own[i])
		}
		for i := range dev {
			if dev[i].group%folds != f && learnable(&dev[i]) {
				all = append(all, &dev[i])
			}
		}
		a.model = fit(all)
		for i := range dev {
			if dev[i].group%folds == f {
				table.add(&cases[i], a.score(v, auto, dev[i].text) >= attackThreshold)
			}
		}
	}
	t.Logf("five folds, threshold %.2f\n%s", attackThreshold, table)
	want := foldFloors[set]
	assert.GreaterOrEqual(t, table.recall("direct"), want.direct)
	assert.GreaterOrEqual(t, table.recall("obfuscated"), want.obfuscated)
	assert.GreaterOrEqual(t, table.recall("wild"), want.wild)
	assert.LessOrEqual(t, table.alarms(), want.alarms)
}

// TestOwnCasesInFolds leaves whole lines of testdata out, with all that was made of them.
func TestOwnCasesInFolds(t *testing.T) {
	if raceEnabled {
		t.Skip("training is one goroutine's arithmetic, and slow under the race detector")
	}
	own, _, auto := samplesFor(t, nil)
	const folds = 5
	a, v := &attackScan{lex: attackWords()}, new(view)
	var n, hits [2]int
	for f := range uint64(folds) {
		var all []*sample
		for i := range own {
			if own[i].group%folds != f {
				all = append(all, &own[i])
			}
		}
		a.model = fit(all)
		for i := range own {
			if own[i].group%folds != f {
				continue
			}
			k := 0
			if own[i].attack {
				k = 1
			}
			n[k]++
			if a.score(v, auto, own[i].text) >= attackThreshold {
				hits[k]++
			}
		}
	}
	recall, alarms := float64(hits[1])/float64(n[1]), float64(hits[0])/float64(n[0])
	t.Logf("own cases, five folds: recall %.3f of %d, alarms %.3f of %d", recall, n[1], alarms, n[0])
	assert.GreaterOrEqual(t, recall, 0.80)
	assert.LessOrEqual(t, alarms, 0.055)
}

// score is the greater of both labels.
func (a *attackScan) score(v *view, auto *match.Automaton, text string) float32 {
	v.read(text)
	v.hits = auto.AppendAll(v.hits[:0], v.norm)
	a.lex.name(v, 0)
	r := a.run(v, auto, 0)
	return max(r.score[0], r.score[1])
}

func TestExpandingALineUsesItsChoices(t *testing.T) {
	got := expand(rand.New(rand.NewPCG(1, 1)), "{a|b} {c|{d|e} f}", 20)
	assert.ElementsMatch(t, []string{"a c", "b c", "a d f", "b d f", "a e f", "b e f"}, got)
}
