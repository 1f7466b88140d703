package pii

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/internal/dataset"
)

// tally counts the spans of one type as score.py of the public data does: a
// value is found when a span of its type shares a byte with it, and every
// further piece of a found value is not a false alarm.
type tally struct{ found, missed, alarms, exact int }

func (c tally) precision() float64 { return ratio(c.found, c.found+c.alarms) }
func (c tally) recall() float64    { return ratio(c.found, c.found+c.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// score is what one tier of the data gives.
type score struct {
	types           map[string]*tally
	negatives, bad  int
	lookalikes, odd int // negatives made to look like a value, and those with an alarm
	fails           []string
}

// judge runs the engine over the cases of some tiers and judges the named types.
func judge(t *testing.T, cases []testCase, o Options, names []string, tiers ...string) score {
	engines := map[string]*Engine{}
	s := score{types: map[string]*tally{}}
	for _, name := range names {
		s.types[name] = &tally{}
	}
	for _, c := range cases {
		judged := func(name string) bool { return slices.Contains(c.Scope, name) && s.types[name] != nil }
		if !slices.Contains(tiers, c.Tier) || strings.HasPrefix(c.Note, "optional") || !slices.ContainsFunc(c.Scope, judged) {
			continue
		}
		e := engines[c.Hint.Region]
		if e == nil {
			o.Region = c.Hint.Region
			var err error
			e, err = NewEngine(o)
			require.NoError(t, err)
			engines[c.Hint.Region] = e
		}
		s.countCase(c, e.DetectAll(nil, c.Text), judged)
	}
	return s
}

func (s *score) countCase(c testCase, got []Match, judged func(string) bool) {
	used := make([]bool, len(got))
	for _, want := range c.Spans {
		if !judged(want.Type) {
			continue
		}
		n, hit := s.types[want.Type], false
		for i, m := range got {
			if m.Type != want.Type || m.Start >= want.End || want.Start >= m.End {
				continue
			}
			if !hit && !used[i] {
				hit = true
				n.found++
				if m.Start == want.Start && m.End == want.End {
					n.exact++
				}
			}
			used[i] = true
		}
		if !hit {
			n.missed++
			s.fails = append(s.fails, fmt.Sprintf("missed %s %s", want.Type, c.ID))
		}
	}
	alarm := false
	for i, m := range got {
		if judged(m.Type) && !used[i] {
			alarm = true
			s.types[m.Type].alarms++
			s.fails = append(s.fails, fmt.Sprintf("alarm %s %s", m.Type, c.ID))
		}
	}
	if len(c.Spans) > 0 {
		return
	}
	s.negatives++
	if alarm {
		s.bad++
	}
	if strings.HasPrefix(c.Kind, "lookalike") {
		s.lookalikes++
		if alarm {
			s.odd++
		}
	}
}

func (s *score) total() (all tally) {
	for _, c := range s.types {
		all.found += c.found
		all.missed += c.missed
		all.alarms += c.alarms
		all.exact += c.exact
	}
	return all
}

// f1 is the harmonic mean of precision and recall.
func (c tally) f1() float64 { return ratio(2*c.found, 2*c.found+c.missed+c.alarms) }

// macro is the mean F1 of the types that have a value in the cases.
func (s *score) macro() (f1 float64, types int) {
	for _, c := range s.types {
		if c.found+c.missed > 0 {
			f1 += c.f1()
			types++
		}
	}
	return f1 / float64(max(1, types)), types
}

func (s *score) log(t *testing.T, what string) {
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		if c := s.types[name]; c.found+c.missed+c.alarms > 0 {
			t.Logf(
				"%-12s %-18s n %4d  P %.3f  R %.3f  F1 %.3f  exact %.3f",
				what,
				name,
				c.found+c.missed,
				c.precision(),
				c.recall(),
				c.f1(),
				ratio(c.exact, c.found+c.missed),
			)
		}
	}
	all := s.total()
	macro, types := s.macro()
	t.Logf("%-12s all P %.3f R %.3f, macro F1 %.3f over %d types; negatives with an alarm %d of %d, look-alikes %d of %d",
		what, all.precision(), all.recall(), macro, types, s.bad, s.negatives, s.odd, s.lookalikes)
	for _, f := range s.fails {
		t.Log(f)
	}
}

// six are the types that nearly every text can hold.
var six = []string{"EMAIL", "CREDIT_CARD", "US_SSN", "IBAN", "IP_ADDRESS", "PHONE"}

// floor is the least that a set of cases must reach.
type floor struct{ precision, recall float64 }

func TestCasesAreFoundAndLookAlikesLeftAlone(t *testing.T) {
	floors := map[string]map[string]floor{
		dataset.Public: {"core": {0.995, 0.99}, "context": {1, 1}, "regional": {0.98, 0.98}, "adversarial": {0.98, 0.97}},
		dataset.Sample: {"core": {0.98, 0.985}, "regional": {1, 1}, "adversarial": {0.99, 0.83}},
	}
	odd := map[string]float64{dataset.Public: 0.005, dataset.Sample: 0.012}
	eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		for tier, want := range floors[set] {
			t.Run(tier, func(t *testing.T) {
				s := judge(t, cases, Options{}, six, tier)
				s.log(t, tier)
				all := s.total()
				require.NotZero(t, all.found)
				assert.GreaterOrEqual(t, all.precision(), want.precision)
				assert.GreaterOrEqual(t, all.recall(), want.recall)
				assert.LessOrEqual(t, ratio(s.odd, max(1, s.lookalikes)), odd[set], "look-alikes with an alarm")
				if tier != "core" || set == dataset.Sample {
					return
				}
				for name, c := range s.types {
					assert.GreaterOrEqual(t, c.precision(), 0.98, name)
					assert.GreaterOrEqual(t, c.recall(), 0.97, name)
					assert.GreaterOrEqual(t, ratio(c.exact, c.found+c.missed), 0.97, "exact spans of %s", name)
				}
			})
		}
	})
}

func TestSecretsAreFoundAndLookAlikesLeftAlone(t *testing.T) {
	eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		s := judge(t, cases, Options{}, []string{"API_KEY", "JWT", "PRIVATE_KEY", "URL_CREDENTIALS"}, "core", "context")
		s.log(t, "secrets")
		all := s.total()
		require.NotZero(t, all.found)
		recall, alarms := 0.98, 0.004
		if set == dataset.Sample {
			recall, alarms = 0.975, 0.008
		}
		assert.GreaterOrEqual(t, all.recall(), recall)
		assert.LessOrEqual(t, ratio(s.bad, s.negatives), alarms, "negatives with an alarm")
	})
}

func TestCasesOfTheTypesThatAreOnByDefault(t *testing.T) {
	eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		s := judge(t, cases, Options{}, namesOf(t, packDefault), "core", "context")
		s.log(t, "default")
		macro, types := s.macro()
		least, odd := 0.97, 0.005
		if set == dataset.Sample {
			least, odd = 0.975, 0.012
		}
		assert.GreaterOrEqual(t, types, 12)
		assert.GreaterOrEqual(t, macro, least)
		assert.LessOrEqual(t, ratio(s.odd, s.lookalikes), odd, "look-alikes with an alarm")
	})
}

func TestCasesOfAllTypes(t *testing.T) {
	eachCases(t, "pii_cases.jsonl.gz", func(t *testing.T, set string, cases []testCase) {
		s := judge(t, cases, Options{Packs: []string{packAll}}, ListTypes(), "core", "context")
		s.log(t, "all")
		macro, types := s.macro()
		least, alarms := 0.97, 0.01
		if set == dataset.Sample {
			least, alarms = 0.975, 0.014
		}
		assert.GreaterOrEqual(t, types, 55)
		assert.GreaterOrEqual(t, macro, least)
		assert.LessOrEqual(t, ratio(s.bad, s.negatives), alarms, "negatives with an alarm")
	})
}

// namesOf lists the types of a pack.
func namesOf(t *testing.T, pack string) (names []string) {
	t.Helper()
	on, err := selectTypes(nil, []string{pack})
	require.NoError(t, err)
	for i := range builtin {
		if on[i] {
			names = append(names, builtin[i].name)
		}
	}
	return names
}
