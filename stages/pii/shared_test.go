package pii

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tally counts the spans of one type as score.py of the shared data does: a
// value is found when a span of its type shares a byte with it, and every
// further piece of a found value is no false alarm.
type tally struct{ found, missed, alarms, exact int }

func (c tally) precision() float64 { return ratio(c.found, c.found+c.alarms) }
func (c tally) recall() float64    { return ratio(c.found, c.found+c.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// score is what one tier of the shared data gives.
type score struct {
	types           map[string]*tally
	negatives, bad  int
	lookalikes, odd int // negatives made to look like a value, and those with an alarm
	fails           []string
}

// judge runs the engine over the cases of some tiers and judges the named types.
func judge(t *testing.T, cases []sharedCase, o Options, names []string, tiers ...string) score {
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
		s.one(c, e.DetectAll(nil, c.Text), judged)
	}
	return s
}

func (s *score) one(c sharedCase, got []Match, judged func(string) bool) {
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
			t.Logf("%-12s %-18s n %4d  P %.3f  R %.3f  F1 %.3f  exact %.3f", what, name, c.found+c.missed, c.precision(), c.recall(), c.f1(), ratio(c.exact, c.found+c.missed))
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

func TestSharedCasesAreFoundAndLookAlikesLeftAlone(t *testing.T) {
	cases := shared(t, "pii_cases.jsonl.gz")
	for _, want := range []struct {
		tier              string
		precision, recall float64
	}{
		{"core", 0.995, 0.99},
		{"context", 1, 1},
		{"regional", 0.98, 0.98},
		{"adversarial", 0.98, 0.97},
	} {
		t.Run(want.tier, func(t *testing.T) {
			s := judge(t, cases, Options{}, six, want.tier)
			s.log(t, want.tier)
			all := s.total()
			require.NotZero(t, all.found)
			assert.GreaterOrEqual(t, all.precision(), want.precision)
			assert.GreaterOrEqual(t, all.recall(), want.recall)
			assert.LessOrEqual(t, ratio(s.odd, max(1, s.lookalikes)), 0.005, "look-alikes with an alarm")
			if want.tier != "core" {
				return
			}
			for name, c := range s.types {
				assert.GreaterOrEqual(t, c.precision(), 0.98, name)
				assert.GreaterOrEqual(t, c.recall(), 0.97, name)
				assert.GreaterOrEqual(t, ratio(c.exact, c.found+c.missed), 0.97, "exact spans of %s", name)
			}
		})
	}
}

func TestSharedSecretsAreFoundAndLookAlikesLeftAlone(t *testing.T) {
	s := judge(t, shared(t, "pii_cases.jsonl.gz"), Options{}, []string{"API_KEY", "JWT", "PRIVATE_KEY", "URL_CREDENTIALS"}, "core", "context")
	s.log(t, "secrets")
	all := s.total()
	require.NotZero(t, all.found)
	assert.GreaterOrEqual(t, all.recall(), 0.98)
	assert.LessOrEqual(t, ratio(s.bad, s.negatives), 0.004, "negatives with an alarm")
}

func TestSharedCasesOfTheTypesThatAreOnByDefault(t *testing.T) {
	s := judge(t, shared(t, "pii_cases.jsonl.gz"), Options{}, namesOf(t, packDefault), "core", "context")
	s.log(t, "default")
	macro, types := s.macro()
	assert.GreaterOrEqual(t, types, 12)
	assert.GreaterOrEqual(t, macro, 0.97)
	assert.LessOrEqual(t, ratio(s.odd, s.lookalikes), 0.005, "look-alikes with an alarm")
}

func TestSharedCasesOfAllTypes(t *testing.T) {
	s := judge(t, shared(t, "pii_cases.jsonl.gz"), Options{Packs: []string{packAll}}, Types(), "core", "context")
	s.log(t, "all")
	macro, types := s.macro()
	assert.GreaterOrEqual(t, types, 55)
	assert.GreaterOrEqual(t, macro, 0.97)
	assert.LessOrEqual(t, ratio(s.bad, s.negatives), 0.01, "negatives with an alarm")
}

// namesOf lists the types of a pack.
func namesOf(t *testing.T, pack string) (names []string) {
	t.Helper()
	on, err := wanted(nil, []string{pack})
	require.NoError(t, err)
	for i := range builtin {
		if on[i] {
			names = append(names, builtin[i].name)
		}
	}
	return names
}
